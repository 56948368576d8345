import { expect, test } from 'vitest'
import { z } from 'zod'
import type { JsonValue } from '../../src/index.ts'
import { EditInvalid, HitlStaleAnswer, memoryStore, RunState, run } from '../../src/index.ts'
import { DecisionInvalid } from '../../src/protocol/errors/errors.ts'
import { refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { resultsIn } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { entriesOf } from '../support/stores/entries.ts'

async function threeAsked() {
  const store = memoryStore()
  const pay = gated('pay', { parameters: z.object({ n: z.number() }) })
  const { agent, model } = scripted(
    [calls(['a', 'pay', { n: 1 }], ['b', 'pay', { n: 2 }], ['c', 'pay', { n: 3 }]), 'Done.'],
    [pay],
  )
  const paused = await run(agent, 'go', { store, threadId: 't' })
  return { store, pay, agent, model, paused }
}

test('a batch answers the interruptions in order, in one append', async () => {
  const { store, pay, agent, model, paused } = await threeAsked()
  const before = (await entriesOf(store, 't')).length
  const decided = await paused.state.decide({
    decisions: [{ type: 'approve' }, { type: 'edit', args: { n: 20 } }, { type: 'reject', message: 'no' }],
    by: 'ann',
  })
  expect(decided.map(({ toolCallId, decision }) => [toolCallId, decision?.type, decision?.by.id])).toEqual([
    ['a', 'approve', 'ann'],
    ['b', 'edit', 'ann'],
    ['c', 'reject', 'ann'],
  ])
  expect(
    (await store.read('t', { after: before })).entries.map(({ at }) => at).every((at, _, all) => at === all[0]),
  ).toBe(true)
  await run(agent, paused.state)
  expect(pay.runs.map(({ args }) => args)).toEqual([{ n: 1 }, { n: 20 }])
  expect(resultsIn(model.requests[1]?.messages).map(([id]) => id)).toEqual(['a', 'b', 'c'])
})

test('a batch that has a flaw anywhere decides nothing at all', async () => {
  const { store, paused } = await threeAsked()
  const approve = { type: 'approve' }
  const wrong: unknown[] = [
    [approve, approve],
    [approve, approve, approve, approve],
    [],
    [approve, approve, { type: 'maybe' }],
    [approve, approve, null],
    [approve, approve, 'approve'],
    [approve, approve, { type: 'approve', args: {} }],
    [approve, approve, { type: 'respond' }],
    [approve, approve, { type: 'edit' }],
    'approve',
    undefined,
    { 0: approve, length: 1 },
  ]
  const before = await entriesOf(store, 't')
  for (const decisions of wrong) {
    await refused(paused.state.decide({ decisions } as never), DecisionInvalid, 'decision_invalid')
  }
  await refused(paused.state.decide(undefined as never), DecisionInvalid, 'decision_invalid')
  await refused(
    paused.state.decide({ decisions: [approve, approve, { type: 'edit', args: { n: 'x' } }] }),
    EditInvalid,
    'edit_invalid',
  )
  expect(await entriesOf(store, 't')).toEqual(before)
  expect(paused.state.interruptions).toHaveLength(3)
})

test('a batch with a request that another person decided first is refused whole and names that person', async () => {
  const { store, agent, paused } = await threeAsked()
  const other = await RunState.load(agent, { threadId: 't', store })
  await other.reject('c', { by: 'bob' })
  const decisions = [{ type: 'approve' }, { type: 'approve' }, { type: 'approve' }]
  const error = await refused(paused.state.decide({ decisions, by: 'ann' }), HitlStaleAnswer, 'stale_answer')
  expect(error).toMatchObject({ by: { id: 'bob' }, decision: { type: 'reject' } })
  const now = await RunState.load(agent, { threadId: 't', store })
  expect(now.interruptions.map(({ toolCallId }) => toolCallId)).toEqual(['a', 'b'])
})

test("a batch understands the seed's edited_action", async () => {
  for (const key of ['edited_action', 'editedAction']) {
    const pay = gated('pay')
    const { agent } = scripted([calls(['a', 'pay', { n: 1 }]), 'Done.'], [pay])
    const paused = await run(agent, 'go')
    await paused.state.decide({ decisions: [{ type: 'edit', [key]: { name: 'pay', args: { n: 5 } } }] })
    await run(agent, paused.state)
    expect(pay.runs.map(({ args }) => args)).toEqual([{ n: 5 }])
  }
})

test("the seed's edited_action may not name another tool or leave things out", async () => {
  const { agent } = scripted([calls(['a', 'pay', { n: 1 }])], [gated('pay'), gated('wire')])
  const { state } = await run(agent, 'go')
  const edit = (edited_action: JsonValue) => state.decide({ decisions: [{ type: 'edit', edited_action }] })
  await refused(edit({ name: 'wire', args: {} }), EditInvalid, 'edit_invalid')
  await refused(edit({ name: 'pay' }), DecisionInvalid, 'decision_invalid')
  await refused(edit('pay'), DecisionInvalid, 'decision_invalid')
  expect(state.interruptions).toHaveLength(1)
})

test('a batch covers what is open now, not what was answered before', async () => {
  const { pay, agent, paused } = await threeAsked()
  await paused.state.reject('b')
  await refused(
    paused.state.decide({ decisions: [{ type: 'approve' }, { type: 'approve' }, { type: 'approve' }] }),
    DecisionInvalid,
    'decision_invalid',
  )
  await paused.state.decide({ decisions: [{ type: 'approve' }, { type: 'approve' }] })
  await run(agent, paused.state)
  expect(pay.runs.map(({ args }) => args)).toEqual([{ n: 1 }, { n: 3 }])
})
