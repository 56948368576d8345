import { context, SpanStatusCode, trace } from '@opentelemetry/api'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createInboxClient } from '../../src/client.ts'
import { Agent, memoryStore, openDesk, RunState, run, type Store, tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { enqueueRun } from '../../src/worker.ts'
import { callerOf, inboxOf } from '../support/gateway/inbox-scene.ts'
import { tokenOf } from '../support/gateway/served-gateway.ts'
import { exported, idOf, linksOf } from './exported.ts'

const spans = exported()
const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
const HEADER = `00-${CALLER.traceId}-${CALLER.spanId}-01`

/** An agent whose tool has a span of its own, as a driver would. Its model too. */
function payer(): Agent {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ iban: z.string() }),
    needsApproval: true,
    execute: () => {
      trace.getTracer('bank').startSpan('bank.transfer').end()
      return 'paid'
    },
  })
  const answers = [{ toolCalls: [{ id: 'c1', name: 'pay', args: { iban: 'DE02' } }] }, 'Done.']
  const model = scriptedModel(
    Array.from({ length: 4 }, () => ({ messages }) => {
      trace.getTracer('model').startSpan('model.ask').end()
      return answers[messages.some(({ role }) => role === 'tool') ? 1 : 0] as string
    }),
  )
  return new Agent({ id: 'payer', name: 'Payer', model, tools: [pay] })
}

/** A run that waits for a person, in a store. */
async function paused(store: Store, agent = payer()) {
  const result = await run(agent, 'go', { store, threadId: 't1' })
  expect(result.status).toBe('interrupted')
  const [request] = result.interruptions
  if (!request) throw new Error('nothing was asked')
  return { agent, result, request }
}

it('plain run() is traced: the pause, the decision on its state, the resumed run and the tool are one trace', async () => {
  const agent = payer()
  const application = trace.getTracer('app').startSpan('app.handler')
  const first = await context.with(trace.setSpan(context.active(), application), () => run(agent, 'go'))
  application.end()
  // Another process goes on with the text of the state.
  const state = await RunState.fromString(agent, await first.state.toString(), { trust: true })
  const [request] = state.getInterruptions()
  await state.approve(request as NonNullable<typeof request>)
  expect((await run(agent, state)).status).toBe('completed')
  expect(new Set(spans.all().map((span) => span.spanContext().traceId)).size).toBe(1)
  const [began, resumed] = spans.named('holdpoint.run')
  const [asked] = spans.named('hitl.approve')
  const [decided] = spans.named('holdpoint.decide')
  expect(began?.parentSpanContext?.spanId).toBe(idOf(spans.named('app.handler')[0]))
  expect(resumed?.parentSpanContext?.spanId).toBe(idOf(began))
  expect(linksOf(decided)).toEqual([idOf(asked)])
  expect(linksOf(resumed)).toContain(idOf(decided))
  const tool = spans.named('holdpoint.tool_call').find((span) => span.parentSpanContext?.spanId === idOf(resumed))
  expect(spans.named('bank.transfer')[0]?.parentSpanContext?.spanId).toBe(idOf(tool))
  expect(spans.named('model.ask').map((span) => span.parentSpanContext?.spanId)).toEqual([idOf(began), idOf(resumed)])
})

it('a streamed run has the same spans', async () => {
  const streamed = await run(payer(), 'go', { stream: true })
  expect((await streamed.completed).status).toBe('interrupted')
  expect(spans.all().map(({ name }) => name)).toEqual([
    'model.ask',
    'hitl.approve',
    'holdpoint.tool_call',
    'holdpoint.run',
  ])
})

it('a run that is resumed inside of another span stays in its own trace, and is linked to that span', async () => {
  const store = memoryStore()
  const { agent, result, request } = await paused(store)
  await openDesk({ store }).decide({ request, decision: { type: 'approve' }, by: 'ann' })
  const other = trace.getTracer('app').startSpan('app.cron')
  await context.with(trace.setSpan(context.active(), other), () => run(agent, result.state, { store }))
  const [began, resumed] = spans.named('holdpoint.run')
  expect(resumed?.spanContext().traceId).toBe(began?.spanContext().traceId)
  expect(linksOf(resumed)).toContain(other.spanContext().spanId)
})

it('a decision with a traceparent is in the trace of its caller, and linked to the run on both sides', async () => {
  const store = memoryStore()
  const { agent, result, request } = await paused(store)
  const { gateway } = inboxOf(store)
  const client = createInboxClient({
    url: 'http://localhost',
    token: await tokenOf('ann', { roles: ['reviewer'] }),
    fetch: async (url, init) => gateway.request(String(url).replace('http://localhost', ''), init),
    traceparent: () => HEADER,
  })
  const { version, digest = '' } = request
  await client.decide(request.id, { version, digest, decision: { type: 'approve' } })
  const [decided] = spans.named('holdpoint.decide')
  expect(decided?.spanContext().traceId).toBe(CALLER.traceId)
  expect(decided?.parentSpanContext?.spanId).toBe(CALLER.spanId)
  expect(linksOf(decided)).toEqual([idOf(spans.named('hitl.approve')[0])])
  expect((await run(agent, result.state, { store })).status).toBe('completed')
  const [began, resumed] = spans.named('holdpoint.run')
  expect(resumed?.spanContext().traceId).toBe(began?.spanContext().traceId)
  expect(linksOf(resumed)).toContain(idOf(decided))
})

it.each([
  '',
  'x',
  `00-${CALLER.traceId}-${CALLER.spanId}`,
  `00-${CALLER.traceId}-${'0'.repeat(16)}-01`,
  `ff-${CALLER.traceId}-${CALLER.spanId}-01`,
  `${HEADER}, ${HEADER}`,
  HEADER.toUpperCase(),
])('the invalid traceparent %j is ignored: the decision is taken, in the trace of the run', async (traceparent) => {
  const store = memoryStore()
  const { request } = await paused(store)
  const { gateway } = inboxOf(store)
  const response = await gateway.request(`/v1/requests/${request.id}/decide`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await tokenOf('ann', { roles: ['reviewer'] })}`,
      'content-type': 'application/json',
      traceparent,
    },
    body: JSON.stringify({ version: 1, digest: request.digest, decision: { type: 'approve' } }),
  })
  expect(response.status).toBe(200)
  const [decided] = spans.named('holdpoint.decide')
  expect(decided?.parentSpanContext?.spanId).toBe(idOf(spans.named('hitl.approve')[0]))
})

it('a refused decision has no span, and a repeated one only the first', async () => {
  const store = memoryStore()
  const { request } = await paused(store)
  const desk = openDesk({ store })
  await desk.decide({ request, decision: { type: 'approve' }, by: 'ann' })
  await desk.decide({ request, decision: { type: 'approve' }, by: 'ann' })
  await expect(desk.decide({ request, decision: { type: 'reject' }, by: 'bob' })).rejects.toThrow()
  expect(spans.named('holdpoint.decide')).toHaveLength(1)
})

it('people who read a request or a journal page see nothing of the trace that they would not see without it', async () => {
  const store = memoryStore()
  const { request } = await paused(store)
  const ann = callerOf(inboxOf(store).gateway, { sub: 'ann', roles: ['reviewer'] })
  const shown = await ann.get(`/v1/requests/${request.id}`)
  expect(shown.status).toBe(200)
  expect(shown.text).not.toContain(idOf(spans.named('holdpoint.run')[0]))
  expect(JSON.stringify(request)).not.toContain('trace')
})

it('enqueueRun stores its span with the run', async () => {
  const store = memoryStore()
  await enqueueRun(store, { agent: 'payer', input: 'go', threadId: 't1' })
  const [enqueued] = spans.named('holdpoint.enqueue')
  const [entry] = (await store.read('t1')).entries
  expect(JSON.parse(entry?.body ?? '{}').trace).toEqual({
    traceId: enqueued?.spanContext().traceId,
    spanId: idOf(enqueued),
  })
})

it('a drive that fails says so with the code of its error', async () => {
  const model = scriptedModel([
    () => {
      throw new Error('the secret cause')
    },
  ])
  expect((await run(new Agent({ name: 'a', model }), 'go')).status).toBe('failed')
  const [failed] = spans.named('holdpoint.run')
  expect(failed?.attributes).toMatchObject({ 'holdpoint.ending': 'failed', 'holdpoint.error': 'model_failed' })
  expect(failed?.status).toEqual({ code: SpanStatusCode.ERROR })
  expect(JSON.stringify([failed?.attributes, failed?.events])).not.toContain('secret')
})

it('a request whose append was refused and planned again has one span, the one that is stored', async () => {
  const inner = memoryStore()
  let refusals = 0
  const store: Store = Object.create(inner, {
    append: {
      value: async (append: Parameters<Store['append']>[0]) => {
        const isAsking = append.entries.some((body) => body.includes('"request.opened"'))
        if (!isAsking || refusals > 0) return inner.append(append)
        refusals += 1
        const { version, now } = await inner.read(append.threadId)
        return { ok: false, conflict: { kind: 'version', version }, now }
      },
    },
  })
  await paused(store)
  expect(refusals).toBe(1)
  const bodies = (await inner.read('t1')).entries.map(({ body }) => JSON.parse(body))
  const opened = bodies.find(({ type }) => type === 'request.opened')
  expect(spans.named('hitl.approve').map(idOf)).toEqual([opened.trace.spanId])
  expect(spans.named('holdpoint.tool_call')).toHaveLength(1)
})
