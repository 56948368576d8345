import process from 'node:process'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HitlNoPendingRequest, HitlStaleAnswer, run } from '../../src/index.ts'
import { refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const unhandled: unknown[] = []
const note = (reason: unknown) => void unhandled.push(reason)
let others: NodeJS.UnhandledRejectionListener[] = []

beforeEach(() => {
  others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', note)
})

afterEach(async () => {
  // Node reports them after the microtasks of a turn.
  await new Promise((resolve) => setTimeout(resolve, 5))
  process.off('unhandledRejection', note)
  for (const listener of others) process.on('unhandledRejection', listener)
  expect(unhandled.splice(0)).toEqual([])
})

async function twoAsked() {
  const pay = gated('pay')
  const { agent, model } = scripted([calls(['a', 'pay'], ['b', 'pay']), 'Done.'], [pay])
  return { pay, agent, model, paused: await run(agent, 'go') }
}

test('run waits for decisions that nobody awaited', async () => {
  const { pay, agent, model, paused } = await twoAsked()
  void paused.state.approve('a')
  void paused.state.reject('b', { message: 'no' })
  const result = await run(agent, paused.state)
  expect(result.status).toBe('completed')
  expect(pay.runs).toHaveLength(1)
  expect(resultsIn(model.requests[1]?.messages)).toEqual([
    ['a', 'pay done'],
    ['b', 'no'],
  ])
})

test('run throws the failure of a decision that nobody awaited, before anything runs', async () => {
  const { pay, agent, paused } = await twoAsked()
  void paused.state.approve('a')
  void paused.state.approve('nope')
  await refused(run(agent, paused.state), HitlNoPendingRequest, 'no_pending_request')
  expect(pay.runs).toEqual([])
  // The failure was told; the good decision is kept.
  const result = await run(agent, paused.state)
  expect(only(result).toolCallId).toBe('b')
  expect(pay.runs).toHaveLength(1)
})

test('a failure is reported even if further decisions were made after it', async () => {
  const { pay, agent, paused } = await twoAsked()
  void paused.state.approve('nope')
  void paused.state.approve('a')
  void paused.state.approve('b')
  await refused(run(agent, paused.state), HitlNoPendingRequest, 'no_pending_request')
  expect(pay.runs).toEqual([])
  expect(paused.state.interruptions).toEqual([])
  expect((await run(agent, paused.state)).status).toBe('completed')
})

test('of several failures the first is reported, once', async () => {
  const { agent, paused } = await twoAsked()
  void paused.state.approve('a', { by: 'ann' })
  void paused.state.reject('a', { by: 'bob' })
  void paused.state.approve('nope')
  await refused(run(agent, paused.state), HitlStaleAnswer, 'stale_answer')
  expect(only(await run(agent, paused.state)).toolCallId).toBe('b')
})

test('a failure that was awaited is not thrown a second time by run', async () => {
  const { agent, paused } = await twoAsked()
  await refused(paused.state.approve('nope'), HitlNoPendingRequest, 'no_pending_request')
  paused.state.approve('nope').catch(() => undefined)
  expect((await run(agent, paused.state)).status).toBe('interrupted')
})

test('a failed decision that nobody ever looks at is no unhandled rejection', async () => {
  const { paused } = await twoAsked()
  void paused.state.approve('nope')
  void paused.state.decide({ decisions: [] })
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(unhandled).toEqual([])
})

test('decisions of one state take effect in the order in which they were made', async () => {
  const { paused } = await twoAsked()
  const [one, two] = await Promise.allSettled([
    paused.state.approve('a', { by: 'ann' }),
    paused.state.reject('a', { by: 'ann' }),
  ])
  expect([one.status, two.status]).toEqual(['fulfilled', 'rejected'])
})
