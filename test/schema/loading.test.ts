import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../scripts/lib/root.js'
import { schemaProblems } from '../../src/schema/compile.ts'

/** Runs code against the built package in a process of its own, and says which of the validator's packages it loaded. */
function loadedBy(code: string): string[] {
  const program = `
    import { createRequire } from 'node:module'
    import * as holdpoint from ${JSON.stringify(join(ROOT, 'dist', 'index.js'))}
    import { z } from 'zod'
    const { Agent, tool, humanInTheLoop, computerTool, hostedMcpTool } = holdpoint
    const model = { respond() {} }
    ${code}
    const files = Object.keys(createRequire(import.meta.url).cache)
    console.log(JSON.stringify(['ajv', 're2js'].filter((name) => files.some((file) => file.includes('/node_modules/' + name + '/')))))
  `
  const args = ['--input-type=module', '--eval', program]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', cwd: ROOT, timeout: 60_000 })) as string[]
}

const zodTool = `tool({ name: 'pay', description: '', parameters: z.object({ a: z.email() }), execute() {} })`

test('the validator is loaded on first use: not by importing, and not by agents that have no JSON Schema to check', () => {
  expect(
    loadedBy(`
      const hosted = hostedMcpTool({ serverLabel: 'a', serverUrl: 'https://example.test' })
      new Agent({ name: 'a', model, tools: [${zodTool}, hosted], policy: humanInTheLoop({ interruptOn: { pay: true } }) })
    `),
  ).toEqual([])
})

test('an argsSchema loads the validator, and a pattern the regular expressions', () => {
  const agent = (schema: string) =>
    `new Agent({ name: 'a', model, tools: [${zodTool}], policy: humanInTheLoop({ interruptOn: { pay: { argsSchema: ${schema} } } }) })`
  expect(loadedBy(agent('{ required: ["a"] }'))).toEqual(['ajv'])
  expect(loadedBy(agent('{ properties: { a: { pattern: "a" } } }'))).toEqual(['ajv', 're2js'])
})

test('a JSON Schema that says no more than that arguments are an object does not load the validator', () => {
  expect(loadedBy(`tool({ name: 'pay', description: '', parameters: { type: 'object' }, execute() {} })`)).toEqual([])
})

test.each([[{}], [{ a: 1 }], [[]], [null], [5], ['a'], [true]])('it says the same of %j as the validator', (value) => {
  const withValidator = { type: 'object', title: 'of no effect' }
  expect(schemaProblems({ type: 'object' }, value)).toEqual(schemaProblems(withValidator, value))
})
