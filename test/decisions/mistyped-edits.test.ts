import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, EditInvalid, type JsonObject, memoryStore, openDesk, RunState, run } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'

async function paused(parameters: z.ZodObject) {
  const store = memoryStore()
  const pay = gated('pay', { parameters })
  const args = { amount: 100, to: { name: 'ann' } }
  const agent = new Agent({ name: 'clerk', model: scriptedModel([calls(['a', 'pay', args]), 'Done.']), tools: [pay] })
  const { state, interruptions } = await run(agent, 'go', { store, threadId: 't' })
  return { agent, store, pay, state, request: interruptions[0]! }
}

const strict = z.object({ amount: z.number(), to: z.object({ name: z.string() }), note: z.string().default('none') })

test.each<[string, JsonObject, string]>([
  ['a field', { amount: 100, amuont: 5, to: { name: 'ann' } }, 'amuont: pay has no such field'],
  ['a nested field', { amount: 100, to: { name: 'ann', nmae: 'bob' } }, 'to.nmae: pay has no such field'],
])('%s that the schema would drop is refused: the call must not run as it was', async (_, args, problem) => {
  const { state, request, pay, agent } = await paused(strict)
  const error = await refused(state.edit(request, { args }), EditInvalid, 'edit_invalid')
  expect(error).toMatchObject({ problems: [problem] })
  expect(only(await run(agent, state)).id).toBe(request.id)
  await state.edit(request, { args: { amount: 5, to: { name: 'ann' } } })
  expect((await run(agent, state)).status).toBe('completed')
  expect(pay.runs.map((ran) => ran.args)).toEqual([{ amount: 5, to: { name: 'ann' }, note: 'none' }])
})

test('through a desk the request opens again and says so', async () => {
  const { agent, store, pay, request } = await paused(strict)
  const decision = { type: 'edit', args: { amount: 100, amuont: 5, to: { name: 'ann' } } } as const
  await openDesk({ store }).decide({ request: request.id, decision, by: { kind: 'person', id: 'ann' } })
  const again = only(await run(agent, await RunState.load(agent, { store, threadId: 't' })))
  expect(again).toMatchObject({ id: request.id, version: 3, problems: ['amuont: pay has no such field'] })
  expect(pay.runs).toEqual([])
})

test('a schema that takes any field takes any in an edit', async () => {
  const { agent, state, pay, request } = await paused(z.looseObject({ amount: z.number() }))
  await state.edit(request, { args: { amount: 1, more: { than: 'asked' } } })
  await run(agent, state)
  expect(pay.runs.map((ran) => ran.args)).toEqual([{ amount: 1, more: { than: 'asked' } }])
})
