import { expect, test } from 'vitest'
import { HitlError, memoryStore, openDesk, run, toolOutput } from '../../src/index.ts'
import { refused } from '../support/agents/failures.ts'
import { free } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

async function resultOf(output: unknown) {
  const { agent, model } = scripted([calls(['a', 'look']), 'Done.'], [free('look', { execute: () => output })])
  await run(agent, 'go')
  return model.requests[1]?.messages.at(-1) as { content: unknown; data?: unknown; isError?: boolean }
}

test.each([
  ['NaN', Number.NaN],
  ['Infinity in an object', { rate: Number.POSITIVE_INFINITY }],
  ['NaN in a list', [1, Number.NaN]],
  ['a BigInt', 10n],
  ['bytes in an object', { image: new Uint8Array([1, 2, 3]) }],
  ['a Buffer in a list', [Buffer.from('abc')]],
  ['a Map', new Map([['a', 1]])],
  ['a Set in an object', { names: new Set(['a']) }],
  ['an Error', new Error('lost')],
  ['a whole result with NaN', toolOutput({ content: 'x', data: { n: Number.NaN } })],
])('%s is refused with a reason, never turned into null or {}', async (_, output) => {
  const { content, data, isError } = await resultOf(output)
  expect(isError).toBe(true)
  expect(content).toContain('cannot be passed on')
  expect(data).toBeUndefined()
})

test.each([
  ['-0', -0, 0],
  ['undefined in an array', [1, undefined, 2], [1, null, 2]],
  ['an undefined member', { a: undefined, b: 1 }, { b: 1 }],
  ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
])('%s reads as JSON.stringify writes it', async (_, output, data) => {
  expect(await resultOf(output)).toMatchObject({ content: JSON.stringify(data), data })
  expect((await resultOf(output)).isError).toBeUndefined()
})

test.each([
  ['a Uint8Array', new Uint8Array([0, 255, 7])],
  ['a Buffer', Buffer.from([0, 255, 7])],
  ['an ArrayBuffer', new Uint8Array([0, 255, 7]).buffer],
  ['a view of a part', new Uint8Array([9, 0, 255, 7, 9]).subarray(1, 4)],
])('%s is carried as a file part', async (_, output) => {
  const { content } = await resultOf(output)
  expect(content).toEqual([{ type: 'file', mediaType: 'application/octet-stream', data: 'AP8H' }])
})

test('an object with toJSON is stored as what toJSON returns', async () => {
  expect(await resultOf({ at: new Date(0) })).toMatchObject({ data: { at: '1970-01-01T00:00:00.000Z' } })
})

test('a decision about a held final answer can be withdrawn while it has not taken effect', async () => {
  const store = memoryStore()
  const hold = { description: 'Send this?' }
  const { agent } = scripted(['Draft.', 'Better.'], [], {
    middleware: [{ name: 'gate', afterModel: () => ({ hold }) }],
  })
  const paused = await run(agent, 'go', { store, threadId: 't' })
  const { id } = only(paused)
  const desk = openDesk({ store })
  const by = { kind: 'person', id: 'ann' } as const
  await desk.decide({ id, decision: { type: 'approve' }, by, undoSeconds: 60 })
  await refused(desk.withdraw(id, { kind: 'person', id: 'bob' }), HitlError, 'decision_not_allowed')
  await desk.withdraw(id, by)
  expect(await desk.get(id)).toMatchObject({ status: 'open', version: 3 })
  await desk.decide({ id, decision: { type: 'approve' }, by })
  expect(await run(agent, paused.state)).toMatchObject({ status: 'completed', finalOutput: 'Draft.' })
  await refused(desk.withdraw(id, by), HitlError, 'stale_answer')
})
