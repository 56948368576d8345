import { expect, test } from 'vitest'
import { HitlStaleAnswer, openDesk, RunState, run, StoreFailed, ThreadBusy } from '../../src/index.ts'
import type { ReviewOptions } from '../../src/policy/policy.ts'
import { ReviewerNotAllowed } from '../../src/protocol/errors/errors.ts'
import type { UnknownOutcomePolicy } from '../../src/runtime/definition/tool/approval.ts'
import { failedWith, refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { latch } from '../support/latch.ts'
import { entriesOf } from '../support/stores/entries.ts'
import { brings, clockedStore, intercept } from '../support/stores/wrapped-stores.ts'
import { until } from '../support/until.ts'

interface LostOptions {
  onUnknownOutcome?: UnknownOutcomePolicy
  idempotent?: boolean
  needsApproval?: boolean
  edit?: boolean
  review?: ReviewOptions
}

/** A worker that starts a call and then is never heard of again, unless `report` lets its last append through. */
async function lost(options: LostOptions = {}) {
  const { edit = false, ...tool } = options
  const { store, advance } = clockedStore()
  const back = latch()
  let stuck = false
  const worker = intercept(store, async (append) => {
    if (stuck || !brings(append, 'call.finished')) return
    stuck = true
    await back.passed
  })
  const pay = gated('pay', { ...tool, execute: (_args: unknown, ctx) => `paid, attempt ${ctx.attempt}` })
  const { agent, model } = scripted([calls(['a', 'pay', { n: 1 }]), 'Done.'], [pay])
  let state: RunState | undefined
  if (tool.needsApproval !== false) {
    const paused = await run(agent, 'go', { store, threadId: 't' })
    state = await RunState.load(agent, { threadId: 't', store: worker })
    if (edit) await state.edit(only(paused), { args: { n: 2 }, by: 'ann' })
    else await state.approve(only(paused), { by: 'ann' })
  }
  const gone = state ? run(agent, state) : run(agent, 'go', { store: worker, threadId: 't' })
  await until(() => stuck)
  return {
    store,
    pay,
    agent,
    model,
    gone,
    report: back.open,
    advance,
    /** A new process, after the lease of the lost one has run out. */
    async revive() {
      advance(31_000)
      return run(agent, await RunState.load(agent, { threadId: 't', store }))
    },
  }
}

test('while its lease lasts nobody takes a call from a worker that is silent', async () => {
  const { store, agent, pay, advance } = await lost({ idempotent: true })
  advance(29_000)
  await refused(run(agent, await RunState.load(agent, { threadId: 't', store })), ThreadBusy, 'thread_busy')
  expect(pay.runs).toHaveLength(1)
})

test('a call that was started and not finished is not run again: a person is asked', async () => {
  const { pay, agent, model, revive } = await lost()
  const asked = await revive()
  expect(only(asked)).toMatchObject({
    reason: 'unknown_outcome',
    toolName: 'pay',
    args: { n: 1 },
    toolCallId: 'a',
    allowedDecisions: ['approve', 'respond', 'reject'],
  })
  expect(pay.runs).toHaveLength(1)
  expect(only(await run(agent, asked.state)).id).toBe(only(asked).id)
  expect(model.requests).toHaveLength(1)
})

test('only the reviewers of a call may answer for its unknown outcome, and there is no deadline for it', async () => {
  const { pay, agent, revive } = await lost({ review: { reviewers: ['ann'], risk: 'high', timeoutSeconds: 3600 } })
  const asked = await revive()
  expect(only(asked)).toMatchObject({ reason: 'unknown_outcome', reviewers: ['user:ann'], risk: 'high' })
  expect(only(asked)).not.toHaveProperty('expiresAt')
  await refused(asked.state.approve(only(asked), { by: 'bob' }), ReviewerNotAllowed, 'reviewer_not_allowed')
  await asked.state.approve(only(asked), { by: 'ann' })
  expect((await run(agent, asked.state)).status).toBe('completed')
  expect(pay.runs).toHaveLength(2)
})

test('approving an unknown outcome runs the call again with the same idempotency key', async () => {
  const { pay, agent, model, revive } = await lost()
  const asked = await revive()
  await asked.state.approve(only(asked), { by: 'bob' })
  expect((await run(agent, asked.state)).status).toBe('completed')
  expect(pay.runs.map(({ args, ctx }) => [args, ctx.attempt, ctx.approvedBy?.id])).toEqual([
    [{ n: 1 }, 1, 'ann'],
    [{ n: 1 }, 2, 'bob'],
  ])
  expect(pay.runs[0]?.ctx.idempotencyKey).toBe(pay.runs[1]?.ctx.idempotencyKey)
  expect(resultsIn(model.requests[1]?.messages)).toEqual([['a', 'paid, attempt 2']])
})

test('answering an unknown outcome in words makes them the result; rejecting it tells the model that it is not known', async () => {
  for (const [decision, said] of [
    [{ type: 'respond', message: 'it was paid' }, 'it was paid'],
    [{ type: 'reject' }, expect.stringMatching(/started.*not known/)],
    [{ type: 'reject', message: 'ask the bank' }, 'ask the bank'],
  ] as const) {
    const { pay, agent, model, revive } = await lost()
    const asked = await revive()
    await asked.state.decide({ decisions: [decision] })
    expect((await run(agent, asked.state)).status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
    expect(resultsIn(model.requests[1]?.messages)).toEqual([['a', said]])
  }
})

test('an idempotent tool is run again by itself, with the same key and on the same approval', async () => {
  for (const tool of [{ idempotent: true }, { onUnknownOutcome: 'retry' }] as const) {
    const { pay, model, revive } = await lost(tool)
    expect((await revive()).status).toBe('completed')
    expect(pay.runs.map(({ ctx }) => [ctx.attempt, ctx.approvedBy?.kind, ctx.approvedBy?.id])).toEqual([
      [1, 'person', 'ann'],
      [2, 'person', 'ann'],
    ])
    expect(pay.runs[0]?.ctx.idempotencyKey).toBe(pay.runs[1]?.ctx.idempotencyKey)
    expect(resultsIn(model.requests[1]?.messages)).toEqual([['a', 'paid, attempt 2']])
  }
})

test('an edited call that is run again is still the edited one, and still says who edited it', async () => {
  const { pay, revive, store } = await lost({ idempotent: true, edit: true })
  expect((await revive()).status).toBe('completed')
  expect(pay.runs.map(({ args }) => args)).toEqual([{ n: 2 }, { n: 2 }])
  const finished = (await entriesOf(store, 't')).find(({ type }) => type === 'call.finished')
  expect(finished).toMatchObject({
    attempt: 2,
    result: { data: { edited: { args: { n: 2 }, by: { kind: 'person', id: 'ann' } } } },
  })
})

test("with 'fail' the model is told that the outcome is not known, and nobody is asked", async () => {
  const { pay, model, revive } = await lost({ onUnknownOutcome: 'fail' })
  expect((await revive()).status).toBe('completed')
  expect(pay.runs).toHaveLength(1)
  expect(resultsIn(model.requests[1]?.messages)).toEqual([['a', expect.stringMatching(/started.*not known/)]])
})

test('a call that needed no approval is asked about too, if nobody knows how it ended', async () => {
  const { revive, pay } = await lost({ needsApproval: false })
  expect(only(await revive()).reason).toBe('unknown_outcome')
  expect(pay.runs).toHaveLength(1)
})

test('a late report closes the question: now it is known', async () => {
  const { store, agent, pay, report, gone, revive } = await lost()
  const asked = await revive()
  report()
  // It may even go on: the lease is free again, since only a person was waited for.
  expect((await gone).status).not.toBe('failed')
  const request = await openDesk({ store }).get(only(asked).id)
  expect(request).toMatchObject({ status: 'superseded', version: 2 })
  await refused(asked.state.approve(only(asked)), HitlStaleAnswer, 'stale_answer')
  const result = await run(agent, await RunState.load(agent, { threadId: 't', store }))
  expect(result.status).toBe('completed')
  expect(resultsIn(result.state.messages)).toEqual([['a', 'paid, attempt 1']])
  expect(pay.runs).toHaveLength(1)
})

test('a late report makes a second run unnecessary even after it was allowed', async () => {
  const { store, agent, pay, report, gone, revive } = await lost()
  const asked = await revive()
  await asked.state.approve(only(asked))
  report()
  await gone
  const result = await run(agent, await RunState.load(agent, { threadId: 't', store }))
  expect(resultsIn(result.state.messages)).toEqual([['a', 'paid, attempt 1']])
  expect(pay.runs).toHaveLength(1)
})

test('a late report of an attempt that was tried again or settled changes nothing', async () => {
  for (const options of [{ idempotent: true }, { onUnknownOutcome: 'fail' }] as const) {
    const { store, report, gone, revive } = await lost(options)
    const result = await revive()
    const before = await entriesOf(store, 't')
    report()
    expect((await gone).status).not.toBe('failed')
    expect(await entriesOf(store, 't')).toEqual(before)
    expect(resultsIn(result.state.messages)).toHaveLength(1)
  }
})

test('an unknown outcome stays unknown when the tool was changed meanwhile', async () => {
  const { store, pay, revive } = await lost()
  const asked = await revive()
  await asked.state.approve(only(asked))
  const changed = gated('pay', { description: 'pays twice' })
  const { agent, model } = scripted(['Done.'], [changed])
  const again = await run(agent, await RunState.load(agent, { threadId: 't', store }))
  expect(only(again)).toMatchObject({ reason: 'changed', supersedes: only(asked).id })
  await again.state.reject(only(again))
  await run(agent, again.state)
  expect([pay.runs.length, changed.runs.length]).toEqual([1, 0])
  // Not "it was not run": the first attempt was.
  expect(resultsIn(model.requests[0]?.messages)).toEqual([['a', expect.stringMatching(/started.*not known/)]])
})

test('a standing approval does not answer for an outcome that nobody knows', async () => {
  const { store, advance } = clockedStore()
  let stuck = false
  const worker = intercept(store, async (append) => {
    if (!brings(append, 'call.finished')) return
    stuck = true
    await new Promise(() => undefined)
  })
  const pay = gated('pay')
  const { agent } = scripted([calls(['a', 'pay'])], [pay])
  await run(agent, 'go', { store, threadId: 't' })
  const state = await RunState.load(agent, { threadId: 't', store: worker })
  await state.approve('a', { always: true })
  run(agent, state).catch(() => undefined)
  await until(() => stuck)
  advance(31_000)
  expect(only(await run(agent, await RunState.load(agent, { threadId: 't', store }))).reason).toBe('unknown_outcome')
  expect(pay.runs).toHaveLength(1)
})

test('a store that fails when a tool has finished leaves the outcome unknown, never a silent second run', async () => {
  const { store } = clockedStore()
  const broken = intercept(store, (append) => {
    if (brings(append, 'call.finished')) throw new Error('disk full')
  })
  const pay = gated('pay', { needsApproval: false })
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [pay])
  const failed = await run(agent, 'go', { store: broken, threadId: 't' })
  expect(failedWith(failed, StoreFailed, 'store_failed').cause).toMatchObject({ message: 'disk full' })
  const asked = await run(agent, await RunState.load(agent, { threadId: 't', store }))
  expect(only(asked).reason).toBe('unknown_outcome')
  expect(pay.runs).toHaveLength(1)
})

test('a store that fails for a moment when a tool has finished loses nothing of it', async () => {
  const { store } = clockedStore()
  let failures = 0
  const shaky = intercept(store, (append) => {
    if (brings(append, 'call.finished') && ++failures === 1) throw new Error('locked')
  })
  const pay = gated('pay', { needsApproval: false })
  const { agent, model } = scripted([calls(['a', 'pay']), 'Done.'], [pay])
  const failed = await run(agent, 'go', { store: shaky, threadId: 't' })
  failedWith(failed, StoreFailed, 'store_failed')
  expect((await run(agent, failed.state)).status).toBe('completed')
  expect(pay.runs).toHaveLength(1)
  expect(resultsIn(model.requests[1]?.messages)).toEqual([['a', 'pay done']])
})

test('a store that fails before a call is started leaves the approval unspent', async () => {
  const { store } = clockedStore()
  const pay = gated('pay')
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [pay])
  await run(agent, 'go', { store, threadId: 't' })
  const broken = intercept(store, (append) => {
    if (brings(append, 'call.started')) throw new Error('disk full')
  })
  const state = await RunState.load(agent, { threadId: 't', store: broken })
  await state.approve('a')
  failedWith(await run(agent, state), StoreFailed, 'store_failed')
  expect(pay.runs).toEqual([])
  expect((await run(agent, await RunState.load(agent, { threadId: 't', store }))).status).toBe('completed')
  expect(pay.runs).toHaveLength(1)
})
