import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, type Sampler, SamplingDecision, type SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, memoryStore, openDesk, run, tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { enqueueRun } from '../../src/worker.ts'

afterEach(() => {
  trace.disable()
  context.disable()
})

const broken = (): never => {
  throw new Error('the exporter is broken')
}

function processor(throwing: Partial<SpanProcessor>): SpanProcessor {
  const done = async (): Promise<void> => undefined
  return { onStart: () => undefined, onEnd: () => undefined, forceFlush: done, shutdown: done, ...throwing }
}

const sampler: Sampler = { shouldSample: broken, toString: () => 'broken' }
const always: Sampler = {
  shouldSample: () => ({ decision: SamplingDecision.RECORD_AND_SAMPLED }),
  toString: () => 'all',
}

it.each([
  ['ends spans', { sampler: always, spanProcessors: [processor({ onEnd: broken })] }],
  ['starts spans', { sampler: always, spanProcessors: [processor({ onStart: broken })] }],
  ['samples', { sampler, spanProcessors: [processor({})] }],
])('code of the application that throws when it %s changes nothing of runs and decisions', async (_, options) => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(new BasicTracerProvider(options))
  let paid = 0
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({}),
    needsApproval: true,
    execute: () => `paid ${++paid}`,
  })
  const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'pay', args: {} }] }, 'Done.'])
  const agent = new Agent({ id: 'payer', name: 'Payer', model, tools: [pay] })
  const store = memoryStore()
  const paused = await run(agent, 'go', { store, threadId: 't' })
  expect(paused.status).toBe('interrupted')
  const decided = await openDesk({ store }).decide({
    request: paused.interruptions[0]!,
    decision: { type: 'approve' },
    by: 'ann',
  })
  expect(decided).toMatchObject([{ status: 'decided' }])
  expect((await run(agent, paused.state, { store })).status).toBe('completed')
  expect(paid).toBe(1)
  await expect(enqueueRun(store, { agent: 'payer', input: 'go', threadId: 'u' })).resolves.toBeDefined()
})
