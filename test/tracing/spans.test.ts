import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, askUser, CheckpointedChannel, InMemoryChannel, memoryStore, openDesk, tool } from '../../src/index.ts'
import { ScriptedChannel, scriptedModel } from '../../src/testing.ts'
import { exported } from './exported.ts'

const { named, reset } = exported()

const refund = tool({
  name: 'refund',
  description: 'Pay back',
  parameters: z.object({ id: z.number() }),
  needsApproval: true,
  execute: () => 'paid',
})

function refundAgent(): Agent {
  const calls = { toolCalls: [{ id: 'c1', name: 'refund', args: { id: 1 } }] }
  const model = scriptedModel(
    Array.from(
      { length: 3 },
      () =>
        ({ messages }) =>
          messages.some((message) => message.role === 'tool') ? 'Done.' : calls,
    ),
  )
  return new Agent({ name: 'support', model, tools: [refund] })
}

it.each([
  [{ type: 'approve' }, 'approved'],
  [{ type: 'reject' }, 'denied'],
  [{ type: 'edit', args: { id: 2 } }, 'edited'],
  [{ type: 'respond', message: 'ok' }, 'answered'],
])('a decision %j is told as outcome %s, under its tool call', async (answer, outcome) => {
  const thread = refundAgent().thread('t', { channel: new ScriptedChannel({ answers: [answer] }) })
  expect((await thread.prompt('go')).status).toBe('completed')
  const [hitl] = named('hitl.approve')
  const [call] = named('holdpoint.tool_call')
  const [run] = named('holdpoint.run')
  expect(hitl?.attributes).toMatchObject({
    'hitl.tool_name': 'refund',
    'hitl.tool_call_id': 'c1',
    'hitl.outcome': outcome,
    'hitl.from_resume': false,
  })
  expect(hitl?.attributes['hitl.duration_seconds']).toBeTypeOf('number')
  expect(hitl?.parentSpanContext?.spanId).toBe(call?.spanContext().spanId)
  expect(call?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId)
})

it('a pause ends the span as detached, and a resumed run is linked to the span where it began', async () => {
  const store = memoryStore()
  const channel = new CheckpointedChannel({ store, threadId: 't' })
  const first = refundAgent().thread('t', { store, channel })
  const pending = first.prompt('go')
  await new Promise<void>((resolve) => {
    const stop = channel.subscribe(() => {
      resolve()
      queueMicrotask(() => stop())
    })
  })
  await first.detach()
  expect((await pending).status).toBe('suspended')
  expect(named('hitl.approve').map((span) => span.attributes['hitl.outcome'])).toEqual(['detached'])
  const [began] = named('holdpoint.run')
  reset()

  const second = refundAgent().thread('t', { store, channel: new CheckpointedChannel({ store, threadId: 't' }) })
  expect((await second.respond({ questionId: 'c1', answer: { type: 'approve' } })).status).toBe('completed')
  const [hitl] = named('hitl.approve')
  expect(hitl?.attributes).toMatchObject({ 'hitl.outcome': 'approved', 'hitl.from_resume': true })
  for (const span of [hitl, ...named('holdpoint.run'), ...named('holdpoint.tool_call')]) {
    expect(span?.links.map((link) => link.context.spanId)).toContain(began?.spanContext().spanId)
  }
})

it('cancelled, timed out and aborted waits say so', async () => {
  const outcome = async (
    end: (thread: ReturnType<Agent['thread']>) => Promise<unknown>,
    seconds: number | null = null,
  ) => {
    reset()
    const channel = new InMemoryChannel({ defaultTimeoutSeconds: seconds })
    const thread = refundAgent().thread('t', { channel })
    const shown = new Promise<void>((resolve) => void channel.subscribe(() => resolve()))
    const pending = thread.prompt('go')
    // On a slow machine a deadline passes before its request is shown.
    await Promise.race([shown, pending])
    await end(thread)
    await pending
    return named('hitl.approve')[0]?.attributes['hitl.outcome']
  }
  expect(await outcome((thread) => thread.channel?.cancel('c1', { reason: 'no' }) ?? Promise.resolve())).toBe(
    'cancelled',
  )
  expect(await outcome(() => Promise.resolve(), 0.02)).toBe('timed_out')
  expect(await outcome((thread) => thread.abortPending({ reason: 'stop' }))).toBe('aborted')
})

it('questions of bodies and of the application have spans with their question id', async () => {
  const form = { toolCalls: [{ id: 'c1', name: 'ask_user', args: { questions: [{ key: 'k', prompt: 'p' }] } }] }
  const agent = new Agent({ name: 'a', model: scriptedModel([form, 'Done.']), tools: [askUser()] })
  const channel = new InMemoryChannel()
  channel.subscribe((request) => void channel.answer(request.questionId, request.kind === 'ask' ? { k: 'v' } : true))
  const thread = agent.thread('t', { channel })
  const result = await thread.prompt('go')
  expect(result.status).toBe('completed')
  const [ask] = named('hitl.ask')
  expect(ask?.attributes).toMatchObject({ 'hitl.outcome': 'answered' })
  expect(ask?.attributes['hitl.question_id']).toMatch(/\.0$/)
  expect(await channel.confirm('sure?')).toBe(true)
  expect(named('hitl.confirm')[0]?.attributes['hitl.outcome']).toBe('answered')
})

it('a question that is not stored, and is let go by a detach, says that it was detached', async () => {
  reset()
  const form = { toolCalls: [{ id: 'c1', name: 'ask_user', args: { questions: [{ key: 'k', prompt: 'p' }] } }] }
  const agent = new Agent({ name: 'a', model: scriptedModel([form, 'Done.']), tools: [askUser()] })
  const channel = new InMemoryChannel()
  const shown = new Promise<void>((resolve) => void channel.subscribe(() => resolve()))
  const thread = agent.thread('t', { channel })
  const prompting = thread.prompt('go')
  await shown
  await thread.detach()
  expect((await prompting).status).toBe('incomplete')
  expect(named('hitl.ask').map(({ attributes }) => attributes['hitl.outcome'])).toEqual(['detached'])
})

it('a thread has no spans of questions that others ask on the same channel', async () => {
  reset()
  const channel = new InMemoryChannel()
  channel.subscribe(({ id }) => void channel.answer(id, { k: 'v' }))
  const form = { toolCalls: [{ id: 'c1', name: 'ask_user', args: { questions: [{ key: 'k', prompt: 'p' }] } }] }
  const agent = new Agent({ name: 'a', model: scriptedModel(['Done.', form, 'Done.']), tools: [askUser()] })
  const threads = ['t', 'u'].map((id) => agent.thread(id, { channel }))
  for (const thread of threads) await thread.prompt('go')
  expect(named('hitl.ask')).toHaveLength(1)
})

it('a request that was decided at the desk while nobody drove gets its span from the process that resumes', async () => {
  const store = memoryStore()
  const suspended = await refundAgent().thread('t', { store }).prompt('go')
  expect(suspended.status).toBe('suspended')
  reset()
  const thread = refundAgent().thread('t', { store })
  await thread.loadPendingHitlRequest()
  await openDesk({ store }).decide({
    request: suspended.requests[0]?.id ?? '',
    decision: { type: 'approve' },
    by: { kind: 'person', id: 'ann' },
  })
  expect((await thread.resume()).status).toBe('completed')
  expect(named('hitl.approve')[0]?.attributes).toMatchObject({ 'hitl.outcome': 'approved', 'hitl.from_resume': true })
})

it('calls of nested runs are traced under the call that opened the run, whatever ids they share', async () => {
  const helper = (name: string) => {
    const model = scriptedModel([{ toolCalls: [{ id: 'same', name: 'refund', args: { id: 1 } }] }, `${name} done`])
    return new Agent({ name, model, tools: [refund] }).asTool()
  }
  const both = ['north', 'south'].map((name) => ({ id: name, name, args: { input: 'go' } }))
  const model = scriptedModel([{ toolCalls: both }, 'Done.'])
  const agent = new Agent({ name: 'lead', model, tools: [helper('north'), helper('south')] })
  const channel = new ScriptedChannel({ answers: [{ type: 'approve' }, { type: 'reject' }] })
  expect((await agent.thread('t', { channel }).prompt('go')).status).toBe('completed')
  const spans = named('holdpoint.tool_call')
  const ofTool = (name: string) => spans.filter((span) => span.attributes['holdpoint.tool_name'] === name)
  const outer = [...ofTool('north'), ...ofTool('south')]
  expect([spans.length, outer.length]).toEqual([4, 2])
  const [run] = named('holdpoint.run')
  for (const span of outer) expect(span.parentSpanContext?.spanId).toBe(run?.spanContext().spanId)
  const ids = (list: ReadableSpan[]) => list.map((span) => span.spanContext().spanId).sort()
  const parents = (list: ReadableSpan[]) => list.map((span) => span.parentSpanContext?.spanId).sort()
  expect(parents(ofTool('refund'))).toEqual(ids(outer))
  expect(parents(named('hitl.approve'))).toEqual(ids(ofTool('refund')))
  // An outer call ends after what it is made of.
  for (const [index, span] of spans.entries())
    if (outer.includes(span)) {
      const inner = spans.findIndex((one) => one.parentSpanContext?.spanId === span.spanContext().spanId)
      expect(inner).toBeLessThan(index)
    }
})
