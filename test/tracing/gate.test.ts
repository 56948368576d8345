import { context, trace } from '@opentelemetry/api'
import { expect, it } from 'vitest'
import { memoryStore, openDesk } from '../../src/index.ts'
import { ann, gateOf, held, refund } from '../gate/gate.ts'
import { exported, idOf } from './exported.ts'

const spans = exported()

it('a call at the gate is one trace: its judging, the pause, the decision and its body, in any process', async () => {
  const store = memoryStore()
  const application = trace.getTracer('app').startSpan('app.handler')
  const request = await context.with(trace.setSpan(context.active(), application), () => held(gateOf(store), refund()))
  application.end()
  await openDesk({ store }).decide({ request, decision: { type: 'approve' }, by: ann })
  await gateOf(store).execute(refund(), () => {
    trace.getTracer('bank').startSpan('bank.transfer').end()
    return Promise.resolve('paid')
  })
  expect(new Set(spans.all().map((span) => span.spanContext().traceId)).size).toBe(1)
  const [judged] = spans.named('holdpoint.run')
  expect(judged?.parentSpanContext?.spanId).toBe(idOf(application as never))
  expect(spans.named('hitl.approve').length).toBe(1)
  expect(spans.named('holdpoint.decide').length).toBe(1)
  const [body] = spans.named('bank.transfer')
  const tool = spans.all().find((span) => idOf(span) === body?.parentSpanContext?.spanId)
  expect(tool?.name).toBe('holdpoint.tool_call')
})

it('a call that waits and finds nothing has no spans', async () => {
  const gate = gateOf(memoryStore())
  await held(gate, refund())
  spans.reset()
  expect(await gate.wait(refund(), { timeoutSeconds: 0 })).toMatchObject({ status: 'held' })
  expect(spans.all()).toEqual([])
})
