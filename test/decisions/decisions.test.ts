import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  EditInvalid,
  HitlNoPendingRequest,
  HitlStaleAnswer,
  memoryStore,
  RequestChanged,
  RunState,
  run,
} from '../../src/index.ts'
import { DecisionInvalid, DecisionNotAllowed } from '../../src/protocol/errors/errors.ts'
import { refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const amount = z.object({ amount: z.number() })

function refunding() {
  const refund = gated('refund', {
    parameters: amount,
    execute: ({ amount }: { amount: number }) => `refunded ${amount}`,
  })
  const { agent, model } = scripted([calls(['c1', 'refund', { amount: 42 }]), 'Done.'], [refund])
  return { refund, agent, model }
}

test('a gated call does not run before it is decided', async () => {
  const { refund, agent, model } = refunding()
  const result = await run(agent, 'refund 42')
  expect(only(result)).toMatchObject({
    kind: 'approve',
    status: 'open',
    version: 1,
    questionId: 'c1',
    toolCallId: 'c1',
    toolName: 'refund',
    args: { amount: 42 },
    agent: 'clerk',
    path: ['clerk'],
    threadId: result.threadId,
    tenant: 'default',
    allowedDecisions: ['approve', 'edit', 'reject', 'respond'],
  })
  expect(result.finalOutput).toBeUndefined()
  expect(refund.runs).toEqual([])
  expect(model.requests).toHaveLength(1)
})

test('an approved call runs once with the recorded arguments and its result reaches the model', async () => {
  const { refund, agent, model } = refunding()
  const paused = await run(agent, 'refund 42')
  const decided = await paused.state.approve(only(paused), { by: 'ann', comment: 'fine' })
  expect(decided).toMatchObject({
    status: 'decided',
    version: 2,
    decision: { type: 'approve', by: { kind: 'person', id: 'ann' } },
  })
  expect(refund.runs).toHaveLength(0)
  const result = await run(agent, paused.state)
  expect(result).toMatchObject({ status: 'completed', finalOutput: 'Done.', interruptions: [] })
  expect(refund.runs.map(({ args }) => args)).toEqual([{ amount: 42 }])
  expect(refund.runs[0]?.ctx).toMatchObject({
    toolCallId: 'c1',
    attempt: 1,
    threadId: result.threadId,
    approvedBy: { kind: 'person', id: 'ann' },
  })
  expect(toolMessage(model.requests[1]?.messages)).toEqual({
    role: 'tool',
    toolCallId: 'c1',
    toolName: 'refund',
    content: 'refunded 42',
  })
  expect(JSON.stringify(model.requests)).not.toContain('fine')
  model.assertConsumed()
})

test('a rejected call never runs and the model reads the reason', async () => {
  const { refund, agent, model } = refunding()
  const paused = await run(agent, 'refund 42')
  await paused.state.reject(only(paused), { message: 'too much' })
  const result = await run(agent, paused.state)
  expect(result.status).toBe('completed')
  expect(refund.runs).toEqual([])
  expect(toolMessage(model.requests[1]?.messages)).toMatchObject({ content: 'too much', isError: true })
})

test('a blank rejection reads as the default text, never as an empty result', async () => {
  for (const message of ['', ' \n\t']) {
    const { agent, model } = refunding()
    const paused = await run(agent, 'refund 42', { toolErrorFormatter: () => ' ' })
    await refused(paused.state.respond(only(paused), { message }), DecisionInvalid, 'decision_invalid')
    await paused.state.reject(only(paused), { message })
    await run(agent, paused.state)
    expect(toolMessage(model.requests[1]?.messages)).toMatchObject({
      content: expect.stringContaining('A person rejected this call of refund'),
      isError: true,
    })
  }
})

test('a rejection without a message is worded by the formatter of the run, then of the agent, then by default', async () => {
  const said = async (ofRun?: () => string, ofAgent?: () => string) => {
    const { agent, model } = scripted([calls(['c1', 'refund']), 'Done.'], [gated('refund')], {
      ...(ofAgent ? { toolErrorFormatter: ofAgent } : {}),
    })
    const paused = await run(agent, 'go')
    await paused.state.reject(only(paused))
    await run(agent, paused.state, ofRun ? { toolErrorFormatter: ofRun } : {})
    return toolMessage(model.requests[1]?.messages).content
  }
  const broken = () => {
    throw new Error('no words')
  }
  expect(
    await said(
      () => 'run',
      () => 'agent',
    ),
  ).toBe('run')
  expect(await said(undefined, () => 'agent')).toBe('agent')
  expect(await said(broken, () => 'agent')).toBe('agent')
  expect(await said(() => 5 as never, broken)).toMatch(/rejected this call of refund/)
  expect(await said()).toMatch(/rejected this call of refund/)
})

test('a formatter gets the rejected call and its run', async () => {
  const { agent } = scripted([calls(['c1', 'refund']), 'Done.'], [gated('refund')])
  const paused = await run(agent, 'go', { context: { user: 7 } })
  await paused.state.reject(only(paused))
  const told: unknown[] = []
  await run(agent, paused.state, { toolErrorFormatter: (failure) => void told.push(failure) as undefined })
  expect(told).toMatchObject([
    {
      kind: 'approval_rejected',
      toolName: 'refund',
      callId: 'c1',
      runContext: { context: { user: 7 }, usage: { requests: 1 } },
    },
  ])
})

test('an answer in words is the successful result of a call that did not run', async () => {
  const { refund, agent, model } = refunding()
  const paused = await run(agent, 'refund 42')
  await paused.state.respond(only(paused), { message: 'already refunded by phone' })
  await run(agent, paused.state)
  expect(refund.runs).toEqual([])
  expect(toolMessage(model.requests[1]?.messages)).toEqual({
    role: 'tool',
    toolCallId: 'c1',
    toolName: 'refund',
    content: 'already refunded by phone',
  })
})

test('an edited call runs with the edited arguments and the model is told, while its own message stays', async () => {
  const { refund, agent, model } = refunding()
  const paused = await run(agent, 'refund 42')
  await paused.state.edit(only(paused), { args: { amount: 7 }, by: 'bob' })
  await run(agent, paused.state)
  expect(refund.runs.map(({ args }) => args)).toEqual([{ amount: 7 }])
  const message = toolMessage(model.requests[1]?.messages)
  expect(message.content).toMatch(/person changed this call.*refund \{"amount":7\}.*refunded 7/s)
  expect(message.data).toEqual({
    edited: { toolName: 'refund', args: { amount: 7 }, by: { kind: 'person', id: 'bob' } },
  })
  expect(model.requests[1]?.messages[1]).toMatchObject({ toolCalls: [{ id: 'c1', args: { amount: 42 } }] })
})

test('an edit that the schema refuses leaves the request open and nothing decided', async () => {
  const { refund, agent } = refunding()
  const paused = await run(agent, 'refund 42')
  const error = await refused(
    paused.state.edit(only(paused), { args: { amount: 'lots' } }),
    EditInvalid,
    'edit_invalid',
  )
  expect(error.problems.join()).toContain('amount')
  expect(paused.state.interruptions).toMatchObject([{ status: 'open', version: 1, args: { amount: 42 } }])
  const again = await run(agent, paused.state)
  expect(only(again).version).toBe(1)
  await again.state.approve(only(again))
  await run(agent, again.state)
  expect(refund.runs.map(({ args }) => args)).toEqual([{ amount: 42 }])
})

test('an edit may not turn a call into a call of another tool', async () => {
  const other = gated('wire')
  const { agent } = scripted([calls(['c1', 'refund'])], [gated('refund'), other])
  const paused = await run(agent, 'go')
  await refused(paused.state.edit(only(paused), { args: {}, toolName: 'wire' }), EditInvalid, 'edit_invalid')
  await refused(paused.state.edit(only(paused), { args: {}, toolName: 'nope' }), EditInvalid, 'edit_invalid')
  expect(other.runs).toEqual([])
})

test('edited arguments get the defaults of the schema, recorded and run alike', async () => {
  const parameters = z.object({ amount: z.number(), currency: z.string().default('EUR') })
  const refund = gated('refund', { parameters })
  const { agent, model } = scripted([calls(['c1', 'refund', { amount: 1 }]), 'Done.'], [refund])
  const paused = await run(agent, 'go')
  await paused.state.edit(only(paused), { args: { amount: 2 } })
  await run(agent, paused.state)
  expect(refund.runs[0]?.args).toEqual({ amount: 2, currency: 'EUR' })
  expect(toolMessage(model.requests[1]?.messages).data).toMatchObject({
    edited: { args: { amount: 2, currency: 'EUR' } },
  })
})

test('a person may answer by request id, by question id or by any copy', async () => {
  for (const pick of ['id', 'questionId', 'copy', 'bare'] as const) {
    const { refund, agent } = refunding()
    const paused = await run(agent, 'refund 42')
    const request = only(paused)
    const copy = JSON.parse(JSON.stringify(request)) as typeof request
    await paused.state.approve({ id: request.id, questionId: 'c1', copy, bare: { id: request.id } }[pick])
    await run(agent, paused.state)
    expect(refund.runs).toHaveLength(1)
  }
})

test('a copy with other arguments, another tool or another digest is refused and decides nothing', async () => {
  const { agent } = refunding()
  const paused = await run(agent, 'refund 42')
  const request = only(paused)
  for (const change of [
    { args: { amount: 1 } },
    { args: { amount: 42, extra: true } },
    { toolName: 'wire' },
    { digest: 'f00' },
  ]) {
    const error = await refused(paused.state.approve({ ...request, ...change }), RequestChanged, 'request_changed')
    expect(error.requestId).toBe(request.id)
  }
  expect(paused.state.interruptions).toEqual([request])
})

test('interruptions are copies: changing them changes nothing', async () => {
  const { refund, agent } = refunding()
  const paused = await run(agent, 'refund 42')
  const [mine] = paused.state.getInterruptions()
  mine!.args!.amount = 1_000_000
  mine!.allowedDecisions.length = 0
  paused.interruptions.length = 0
  expect(paused.state.interruptions).toMatchObject([
    { args: { amount: 42 }, allowedDecisions: ['approve', 'edit', 'reject', 'respond'] },
  ])
  await paused.state.approve(paused.state.interruptions[0]!)
  await run(agent, paused.state)
  expect(refund.runs[0]?.args).toEqual({ amount: 42 })
})

test('the same answer twice by the same person is accepted as done', async () => {
  const { refund, agent } = refunding()
  const paused = await run(agent, 'refund 42')
  const request = only(paused)
  const first = await paused.state.approve(request, { by: 'ann' })
  const second = await paused.state.approve(request, { by: 'ann' })
  expect(second).toEqual(first)
  await run(agent, paused.state)
  expect(refund.runs).toHaveLength(1)
  await expect(paused.state.approve(request, { by: 'ann' })).resolves.toEqual(first)
})

test('another answer, or the same one by another person, is refused and names who decided what and when', async () => {
  const { agent } = refunding()
  const paused = await run(agent, 'refund 42', { threadId: 'order-42' })
  const request = only(paused)
  const { decision } = await paused.state.approve(request, { by: 'ann' })
  for (const late of [
    () => paused.state.approve(request, { by: 'bob' }),
    () => paused.state.reject(request, { by: 'ann' }),
    () => paused.state.edit(request, { by: 'ann', args: { amount: 42 } }),
    () => paused.state.respond(request.id, { by: 'bob', message: 'no' }),
  ]) {
    const error = await refused(late(), HitlStaleAnswer, 'stale_answer')
    expect(error).toMatchObject({
      requestId: request.id,
      requestStatus: 'decided',
      decision: { type: 'approve' },
      by: { kind: 'person', id: 'ann' },
      at: decision?.at,
    })
  }
})

test('of two processes that answer the same request only the first is heard', async () => {
  const { refund, agent } = refunding()
  const store = memoryStore()
  const request = only(await run(agent, 'refund 42', { store, threadId: 't' }))
  const [one, two] = [
    await RunState.load(agent, { threadId: 't', store }),
    await RunState.load(agent, { threadId: 't', store }),
  ]
  const answers = await Promise.allSettled([one.approve(request, { by: 'ann' }), two.reject(request, { by: 'bob' })])
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect((answers[1] as PromiseRejectedResult).reason).toMatchObject({ name: 'HitlStaleAnswer', by: { id: 'ann' } })
  await run(agent, two)
  expect(refund.runs).toHaveLength(1)
})

test('an answer to a request that was never asked here is refused', async () => {
  const store = memoryStore()
  const { agent } = refunding()
  const paused = await run(agent, 'refund 42', { store })
  const elsewhere = only(await run(refunding().agent, 'refund 42', { store }))
  for (const unknown of ['nope', { id: 'nope' }, elsewhere, elsewhere.id, null, undefined, 7, {}]) {
    await refused(paused.state.approve(unknown as string), HitlNoPendingRequest, 'no_pending_request')
  }
  expect(paused.state.interruptions).toHaveLength(1)
})

test('a decision of a kind that the request does not accept is refused and leaves it open', async () => {
  const { store, agent, request } = await lostCall()
  const state = await RunState.load(agent, { threadId: 't', store })
  const error = await refused(state.edit(request, { args: {} }), DecisionNotAllowed, 'decision_not_allowed')
  expect(error).toMatchObject({ requestId: request.id, allowed: ['approve', 'respond', 'reject'] })
  expect(state.interruptions).toHaveLength(1)
})

test('a message that is no string, and arguments that are not plain JSON, are refused', async () => {
  const { agent } = refunding()
  const paused = await run(agent, 'refund 42')
  const { state } = paused
  const request = only(paused)
  await refused(state.respond(request, {} as never), DecisionInvalid, 'decision_invalid')
  await refused(state.respond(request, { message: 5 as never }), DecisionInvalid, 'decision_invalid')
  await refused(state.edit(request, { args: { amount: new Date() as never } }), DecisionInvalid, 'decision_invalid')
  await refused(state.edit(request, { args: { amount: '\ud800' } }), DecisionInvalid, 'decision_invalid')
  await refused(state.edit(request, {} as never), DecisionInvalid, 'decision_invalid')
  expect(state.interruptions).toHaveLength(1)
})

test('decisions survive a failed resume: the tool is not repeated and the answer is not asked again', async () => {
  const refund = gated('refund')
  const { agent } = scripted([calls(['c1', 'refund']), new Error('overloaded'), 'Done.'], [refund])
  const paused = await run(agent, 'go')
  await paused.state.approve(only(paused))
  const failed = await run(agent, paused.state)
  expect(failed.status).toBe('failed')
  const result = await run(agent, failed.state)
  expect(result.status).toBe('completed')
  expect(refund.runs).toHaveLength(1)
  expect(resultsIn(result.state.messages)).toEqual([['c1', 'refund done']])
})

/** A thread that asks about an outcome that nobody knows. */
async function lostCall() {
  const store = memoryStore()
  const { agent } = scripted(
    [calls(['c1', 'pay']), 'Done.'],
    [gated('pay', { needsApproval: false, execute: stopping })],
  )
  const abort = new AbortController()
  function stopping() {
    abort.abort()
    throw abort.signal.reason
  }
  await run(agent, 'go', { store, threadId: 't', signal: abort.signal })
  const request = only(await run(agent, await RunState.load(agent, { threadId: 't', store })))
  expect(request.reason).toBe('unknown_outcome')
  return { store, agent, request }
}
