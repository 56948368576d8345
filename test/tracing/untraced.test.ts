import { trace } from '@opentelemetry/api'
import { AlwaysOffSampler, ParentBasedSampler } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, memoryStore, openDesk, run, tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { exported } from './exported.ts'

/** Runs to a pause, decides, and gives back what is stored. */
async function stored(): Promise<{ type: string; trace?: object }[]> {
  const store = memoryStore()
  const pay = tool({
    name: 'pay',
    description: '',
    parameters: z.object({}),
    needsApproval: true,
    execute: () => 'paid',
  })
  const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'pay', args: {} }] }, 'Done.'])
  const agent = new Agent({ name: 'payer', model, tools: [pay] })
  const result = await run(agent, 'go', { store, threadId: 't1' })
  const [request] = result.interruptions
  await openDesk({ store }).decide({
    request: request as NonNullable<typeof request>,
    decision: { type: 'approve' },
    by: 'ann',
  })
  expect((await run(agent, result.state, { store })).status).toBe('completed')
  return (await store.read('t1')).entries.map(({ body }) => JSON.parse(body))
}

it('without a tracer provider nothing of a trace is stored', async () => {
  expect(trace.getTracerProvider()).toHaveProperty('getDelegateTracer')
  expect((await stored()).filter((entry) => 'trace' in entry)).toEqual([])
})

describe('with a sampler that drops the trace', () => {
  const spans = exported({ sampler: new ParentBasedSampler({ root: new AlwaysOffSampler() }) })

  it('a run that is not sampled stays so in the process that resumes it', async () => {
    const traces = (await stored()).flatMap((entry) => (entry.trace ? [[entry.type, entry.trace]] : []))
    expect(traces.map(([type]) => type)).toEqual(['run.opened', 'request.opened', 'request.decided'])
    for (const [, link] of traces) expect(link).toMatchObject({ sampled: false })
    expect(spans.all()).toEqual([])
  })
})
