import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createClient } from '../../src/client.ts'
import { Agent, memoryStore, memoryStreams, openDesk, remoteTool, run, tool } from '../../src/index.ts'
import { parseTraceparent, toTraceparent } from '../../src/protocol/trace-context.ts'
import { scriptedModel } from '../../src/testing.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'
import { until } from '../support/until.ts'
import { receiver } from '../webhooks/receiver.ts'
import { sending, target } from '../webhooks/scene.ts'
import { exported } from './exported.ts'

const spans = exported()

const headerOf = (name: string): string | undefined => {
  const [span] = spans.named(name)
  const ids = span?.spanContext()
  return ids && `00-${ids.traceId}-${ids.spanId}-01`
}

it('a webhook is in the trace of the run: below the wait, and below the decision once there is one', async () => {
  const store = memoryStore()
  const headers = new Map<string, unknown[]>()
  let refused = false
  const { url } = await receiver((response, { message }, request) => {
    headers.set(message.type, [...(headers.get(message.type) ?? []), request.headers.traceparent])
    response.writeHead(refused ? 204 : 500).end()
    refused = true
  })
  await target(store, url)
  await sending(store)
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({}),
    needsApproval: true,
    execute: () => 'paid',
  })
  const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'pay', args: {} }] }, 'Done.'])
  const paused = await run(new Agent({ name: 'payer', model, tools: [pay] }), 'go', { store, threadId: 't' })
  await until(() => headers.get('request.opened')?.length === 1)
  const [request] = paused.interruptions
  await openDesk({ store }).decide({ request: request!, decision: { type: 'approve' }, by: 'ann' })
  // The first attempt was refused: its repetition has the same header.
  await until(() => headers.get('request.opened')?.length === 2 && headers.has('request.decided'), 60_000)
  const waited = headerOf('hitl.approve')
  expect(headers.get('request.opened')).toEqual([waited, waited])
  expect(headers.get('request.decided')).toEqual([headerOf('holdpoint.decide')])
  expect(new Set(spans.all().map((span) => span.spanContext().traceId)).size).toBe(1)
})

it('a remote tool is called with the trace context of its call', async () => {
  const streams = memoryStreams()
  const session = randomUUID()
  await streams.open(session, { owner: 'ann', expireSeconds: 600 })
  const readFile = remoteTool({
    name: 'read_file',
    description: 'Reads a file of the person.',
    parameters: z.object({}),
    streams,
    session,
  })
  const { url } = await served({ streams })
  const stop = new AbortController()
  const client = createClient({ url, token: await tokenOf('ann'), backoff: { initialMs: 10 } })
  let told: string | undefined
  const serving = client.serveTools(
    session,
    {
      read_file: (_args, { traceparent }) => {
        told = traceparent
        return 'text'
      },
    },
    { signal: stop.signal },
  )
  onTestFinished(async () => {
    stop.abort()
    await serving
  })
  const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'read_file', args: {} }] }, 'Done.'])
  expect((await run(new Agent({ name: 'clerk', model, tools: [readFile] }), 'go')).status).toBe('completed')
  expect(told).toBeDefined()
  expect(told).toBe(headerOf('holdpoint.tool_call'))
})

it('a traceparent says whether the trace is recorded, and is never made of ids that are not valid', () => {
  const link = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
  for (const one of [link, { ...link, sampled: false } as const])
    expect(parseTraceparent(toTraceparent(one))).toEqual(one)
  expect(toTraceparent({ ...link, spanId: '0'.repeat(16) })).toBeUndefined()
  expect(toTraceparent({ ...link, traceId: '0'.repeat(32) })).toBeUndefined()
  expect(toTraceparent(undefined)).toBeUndefined()
})
