import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { listFiles } from '../../scripts/lib/files.js'
import { ROOT } from '../../scripts/lib/root.js'
import { Agent, run, tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'

const parameters = z.object({})
const two = {
  toolCalls: [
    { id: 'a', name: 'a', args: {} },
    { id: 'b', name: 'b', args: {} },
  ],
}

test('calls of tools that share a line run one after the other', async () => {
  const log: string[] = []
  const make = (name: string, line?: string) =>
    tool({
      name,
      description: '',
      parameters,
      ...(line === undefined ? {} : { line }),
      execute: async () => {
        log.push(`${name} begins`)
        await new Promise((resolve) => setImmediate(resolve))
        log.push(`${name} ends`)
      },
    })
  await run(new Agent({ name: 'x', model: scriptedModel([two, 'Done.']), tools: [make('a'), make('b')] }), 'go')
  expect(log.splice(0).slice(0, 2)).toEqual(['a begins', 'b begins'])
  const tools = [make('a', 'files'), make('b', 'files')]
  await run(new Agent({ name: 'x', model: scriptedModel([two, 'Done.']), tools }), 'go')
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
})

test('onApproval of a tool decides in code, and people are asked about the rest as its review says', async () => {
  const ran: string[] = []
  const make = (name: string) =>
    tool({
      name,
      description: '',
      parameters,
      needsApproval: true,
      onApproval: (_runContext, { toolName }) => (toolName === 'a' ? { approve: true } : undefined),
      review: { allowedDecisions: ['approve', 'reject'], reviewers: ['ann'] },
      execute: () => ran.push(name),
    })
  const agent = new Agent({ name: 'x', model: scriptedModel([two, 'Done.']), tools: [make('a'), make('b')] })
  const paused = await run(agent, 'go')
  expect(ran).toEqual(['a'])
  expect(paused.interruptions).toMatchObject([{ toolName: 'b', allowedDecisions: ['approve', 'reject'] }])
  const [request] = paused.interruptions
  await expect(paused.state.approve(request!, { by: 'bob' })).rejects.toMatchObject({ code: 'reviewer_not_allowed' })
})

test('a tool with an onApproval, a review or a line that could not work is refused when it is built', () => {
  const make = (options: object) => () => tool({ name: 't', description: '', parameters, execute: () => 1, ...options })
  expect(make({ onApproval: true })).toThrow('onApproval must be a function')
  expect(make({ review: { allowedDecision: ['approve'] } })).toThrow('review has an unknown key')
  expect(make({ line: '' })).toThrow('line must be a string')
})

test('built-in tools are made by tool() alone, except those that others run', () => {
  const files = listFiles(join(ROOT, 'src/tools')).map((path) => `src/tools/${path}`)
  expect(files.length).toBeGreaterThan(5)
  const changing = files.filter((path) => /\.\.\.(made|tool\()/.test(readFileSync(join(ROOT, path), 'utf8')))
  expect(changing).toEqual([])
})
