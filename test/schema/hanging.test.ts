import { expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../src/protocol/json/json.ts'
import { compileSchema } from '../../src/schema/compile.ts'

const LONG_MS = 20_000

function check(schema: JsonObject, value: JsonValue): string[] {
  const start = performance.now()
  const compiled = compileSchema(schema)
  const problems = compiled.ok ? compiled.problems(value) : [compiled.reason]
  expect(performance.now() - start).toBeLessThan(LONG_MS)
  return problems
}

const doubling = Object.fromEntries(
  Array.from({ length: 60 }, (_, i): [string, JsonObject] => {
    const next = { $ref: `#/$defs/d${i + 1}` }
    return [`d${i}`, i === 59 ? { type: 'object' } : { allOf: [next, next] }]
  }),
)

/** Which limit ends it, that of making the checks or that of checking, depends on how fast the machine is. */
const TOO_LONG = [expect.stringMatching(/^it (cannot be checked within 500|takes more than 2000) ms$/)]

const list = { items: { $ref: '#/$defs/n' } }

test.each<[string, JsonObject, JsonValue, string[]]>([
  ['a backtracking pattern', { pattern: '^(a+)+$' }, `${'a'.repeat(20_000)}!`, ['must match pattern "^(a+)+$"']],
  ['one of property names', { patternProperties: { '^(a+)+$': false } }, { [`${'a'.repeat(20_000)}!`]: 1 }, []],
  ['one that has no linear form', { pattern: '^(?=(a+)+$)' }, `${'a'.repeat(40)}!`, TOO_LONG],
  [
    'a linear pattern that is large once its repeats are written out',
    { pattern: `^${'(a?b?c?d?){1000}'.repeat(4)}$` },
    `${'a'.repeat(40_000)}!`,
    TOO_LONG,
  ],
  ['references that double', { $ref: '#/$defs/d0', $defs: doubling }, {}, TOO_LONG],
  [
    'references that double with the depth of the value',
    { $defs: { n: { type: 'array', anyOf: [list, list] } }, $ref: '#/$defs/n' },
    JSON.parse(`${'['.repeat(60)}1${']'.repeat(60)}`) as JsonValue,
    TOO_LONG,
  ],
])('%s ends in time', (_, schema, value, problems) => {
  expect(check(schema, value)).toEqual(problems)
})

test('8,000 items that must be unique are compared in time', () => {
  expect(
    check(
      { uniqueItems: true },
      Array.from({ length: 8_000 }, (_, i) => ({ i })),
    ),
  ).toEqual([])
})

test('a value or a schema that is nested too deeply is refused, and the process lives', () => {
  let deep: JsonValue = []
  for (let i = 0; i < 50_000; i++) deep = [deep]
  expect(check({ items: { $ref: '#' } }, deep)).toEqual(['it is nested too deeply to be checked'])
  let schema: JsonObject = {}
  for (let i = 0; i < 50_000; i++) schema = { not: schema }
  expect(check(schema, 1)[0]).toContain('is not plain JSON')
})

test('a check that was stopped does not harm the next one', () => {
  const compiled = compileSchema({ pattern: '^(?=(a+)+$)' })
  if (!compiled.ok) throw new Error(compiled.reason)
  expect(compiled.problems(`${'a'.repeat(40)}!`)).toEqual(TOO_LONG)
  expect(compiled.problems('aaa')).toEqual([])
  expect(compiled.problems('b')).not.toEqual([])
})

/** Takes about 20 ms for each pattern to compile. */
const slow = (patterns: number, name: string): JsonObject => ({
  properties: Object.fromEntries(
    Array.from({ length: patterns }, (_, i) => [`${name}${i}`, { pattern: `^(${name}${i}?){900}$` }]),
  ),
})

test('a schema that was not compiled in time is compiled when it is used again', () => {
  const schema = slow(5, 'again')
  expect(compileSchema(schema, { leftMs: 1 })).toEqual({ ok: false, reason: 'it takes more than 1 ms' })
  expect(compileSchema(schema).ok).toBe(true)
})

test('schemas that share a budget take no longer together', () => {
  const budget = { leftMs: 300 }
  const before = process.cpuUsage()
  const compiled = Array.from({ length: 10 }, (_, i) => compileSchema(slow(100, `shared${i}x`), budget))
  // Processor time: other processes do not count.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2_000)
  expect(compiled.at(-1)).toEqual({
    ok: false,
    reason: 'the schemas compiled before it used up the time for all of them',
  })
})
