import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '../../../src/client.ts'
import {
  choiceForm,
  HilMessageStreamContext,
  interrupt,
  memoryStore,
  memoryStreams,
  openDesk,
  StreamChannel,
} from '../../../src/index.ts'
import { describeBackends } from '../../hil/backends.ts'
import { application, refundOnce, refundTool } from '../../support/agents/remote-application.ts'
import { post, served, sessionOf, tokenOf } from '../../support/gateway/served-gateway.ts'
import { note, question } from '../../support/gateway/stream-messages.ts'
import { until } from '../../support/until.ts'

const content = {
  source: 'agent_tool_call' as const,
  body: { tool_name: 'pick', type: 'ChoiceForm', tool_exec_uuid: 'x', detail: {} },
}
const BOB = { kind: 'person', id: 'bob' } as const

describeBackends('what is settled leaves every screen', (backend) => {
  beforeAll(() => backend.start(), 60_000)
  afterAll(() => backend.stop())

  async function scene(options: { store?: ReturnType<typeof memoryStore>; heartbeatSeconds?: number } = {}) {
    const streams = backend.create()
    const { url } = await served({ streams, ...options })
    const token = await tokenOf('ann')
    const client = () => createClient({ url, token, backoff: { initialMs: 10, maxMs: 50 } })
    return { streams, url, token, client, end: () => streams.shutdown() }
  }

  it('a question that one client answers is gone at another, told by the gateway alone', async () => {
    const { streams, client, end } = await scene()
    const session = await sessionOf(streams, 'ann')
    const reply = interrupt(content, { stream: session, streams, timeoutSeconds: 30 })
    const [one, two] = [client().session(session), client().session(session)]
    await until(() => one.pending.length === 1 && two.pending.length === 1)
    expect(await one.respond(one.pending[0]!.id, 'b')).toBe('answered')
    await until(() => two.pending.length === 0)
    expect(await reply).toBe('b')
    for (const each of [one, two]) each.close()
    await end()
  })

  it('a bare interrupt that gives up, by time or by its signal, is gone at all clients', async () => {
    const { streams, client, end } = await scene()
    const session = await sessionOf(streams, 'ann')
    const tab = client().session(session)
    const stop = new AbortController()
    const settled: string[] = []
    tab.subscribe((change) => change.type === 'settled' && settled.push(change.messageId))
    const late = interrupt(content, { stream: session, streams, timeoutSeconds: 0.4, timeoutRetry: 1 })
    const stopped = interrupt(content, { stream: session, streams, signal: stop.signal })
    const outcomes = Promise.allSettled([late, stopped])
    await until(() => tab.pending.length === 2)
    stop.abort()
    await until(() => tab.pending.length === 0)
    expect(settled).toHaveLength(2)
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    tab.close()
    await end()
  })

  it('a request that was decided at the desk is neither polled nor shown, also if its application is gone', async () => {
    const store = memoryStore()
    const { streams, client, url, token, end } = await scene({ store, heartbeatSeconds: 0.05 })
    const app = await application(refundOnce, [refundTool([])], { store, streams })
    const { thread } = app.open()
    const run = thread.prompt('go')
    const [asked] = await app.asked()
    const tab = client().session(app.session)
    await until(() => tab.pending.length === 1)
    // As if its process were gone: nobody listens to the store for it any more.
    await thread.detach()
    await run
    await openDesk({ store }).decide({
      request: asked!.content.body.tool_exec_uuid,
      decision: { type: 'approve' },
      by: BOB,
    })
    await until(() => tab.pending.length === 0)
    expect(await app.questions()).toEqual([])
    const polled = await post(url, '/hil/poll', { token, body: { session_task_id: app.session, timeout: 0 } })
    expect(await polled.text()).not.toContain('HIL_interrupt_request')
    tab.close()
    await end()
  })

  it('a StreamChannel that begins takes off what the store says is settled, before anything is asked', async () => {
    const store = memoryStore()
    const { streams, end } = await scene()
    const app = await application(refundOnce, [refundTool([])], { store, streams })
    const { thread } = app.open()
    const run = thread.prompt('go')
    const [asked] = await app.asked()
    await thread.detach()
    await run
    expect(await app.questions()).toHaveLength(1)
    await openDesk({ store }).decide({
      request: asked!.content.body.tool_exec_uuid,
      decision: { type: 'reject' },
      by: BOB,
    })
    const next = new StreamChannel({ streams, session: app.session, store, threadId: 'another' })
    await until(async () => (await app.questions()).length === 0)
    expect(await app.notices()).toMatchObject([{ body: { type: 'Retracted', detail: { msg_id: asked!.msg_id } } }])
    await next.flush()
    await end()
  })

  it('taking a session over retracts bare interrupts of the predecessor and keeps questions of agents', async () => {
    const store = memoryStore()
    const { streams, end } = await scene()
    const session = randomUUID()
    const before = await HilMessageStreamContext.open(session, { streams, owner: 'ann', expireSeconds: 1 })
    const bare = interrupt(content, { stream: session, streams })
    const cancelled = expect(bare).rejects.toMatchObject({ code: 'hil_interrupt_cancelled', reason: 'retracted' })
    const app = await application(refundOnce, [refundTool([])], { store, streams, session })
    const { thread } = app.open()
    const run = thread.prompt('go')
    await app.asked(2)
    await expect(HilMessageStreamContext.open(session, { streams, owner: 'ann' })).rejects.toMatchObject({
      code: 'hil_stream_exists',
    })
    const after = await HilMessageStreamContext.open(session, { streams, owner: 'ann', takeOver: true })
    await cancelled
    expect((await app.questions()).map((each) => each.content.body.type)).toEqual(['HoldpointApprove'])
    // The predecessor is alive after all: it notices, and closing its end harms nobody.
    await until(() => before.signal.aborted)
    expect(before.signal.reason).toMatchObject({ code: 'hil_stream_taken_over' })
    await before.close()
    expect(await streams.describe(session)).toMatchObject({ owner: 'ann' })
    await thread.detach()
    await run
    await after.close()
    expect(await streams.describe(session)).toBeUndefined()
    await end()
  })

  it('an answer without a waiter is reported as unheard; one with a waiter is not', async () => {
    const { streams, client, end } = await scene()
    const session = await sessionOf(streams, 'ann')
    const message = { msg_id: randomUUID(), msg_type: 'HIL_interrupt_request' as const, content }
    await streams.send(session, message)
    expect(await client().respond(session, message.msg_id, 'b')).toBe('unheard')
    const reply = interrupt(content, { stream: session, streams })
    const tab = client().session(session)
    await until(() => tab.pending.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await tab.respond(tab.pending[0]!.id, 'b')).toBe('answered')
    expect(await reply).toBe('b')
    tab.close()
    await end()
  })

  it('a reply is checked by the schema that the application gave: a misfit is refused, and the question stays', async () => {
    const { streams, client, end } = await scene()
    const session = await sessionOf(streams, 'ann')
    const form = choiceForm({
      toolName: 'paint',
      prompt: 'Which colour?',
      choices: ['red', { value: 'blue', label: 'Blue' }],
    })
    const colour = interrupt(form.content, { stream: session, streams, schema: form.schema })
    const size = interrupt(content, { stream: session, streams, schema: z.object({ cm: z.number().max(10) }) })
    const bare = interrupt(content, { stream: session, streams })
    const tab = client().session(session)
    await until(() => tab.pending.length === 3)
    const [first, second, third] = tab.pending
    expect(first!.content).toEqual(form.content)
    expect(first!.replySchema).toMatchObject({ enum: ['red', 'blue'] })
    expect(third!.replySchema).toBeUndefined()
    for (const misfit of ['green', {}, '']) {
      await expect(tab.respond(first!.id, misfit)).rejects.toMatchObject({ code: 'bad_request', status: 400 })
    }
    await expect(tab.respond(second!.id, { cm: 11 })).rejects.toMatchObject({ code: 'bad_request' })
    expect(tab.pending).toHaveLength(3)
    await tab.respond(first!.id, 'blue')
    await tab.respond(second!.id, { cm: 9 })
    await tab.respond(third!.id, { anything: ['goes'] })
    expect(await Promise.all([colour, size, bare])).toEqual(['blue', { cm: 9 }, { anything: ['goes'] }])
    tab.close()
    await end()
  })
})

it('an answer over a gateway without a store is recorded for its author, not for the owner of the session', async () => {
  const app = await application(refundOnce, [refundTool([])])
  const { url } = await served({ streams: app.streams })
  const result = app.open().thread.prompt('go')
  const [question] = await app.asked()
  const body = { session_task_id: app.session, hil_msg_id: question!.msg_id, msg: 'approve' }
  expect((await post(url, '/hil/respond', { token: await tokenOf('boss', { roles: ['admin'] }), body })).status).toBe(
    200,
  )
  expect((await result).status).toBe('completed')
  const [request] = (await openDesk(app).list({})).requests
  expect(request?.decision).toMatchObject({ type: 'approve', by: { kind: 'person', id: 'boss', via: 'stream' } })
})

it('a session that polls learns that a question is over although its notification was dropped', async () => {
  const streams = memoryStreams({ maxNotifications: 1 })
  const { url } = await served({ streams, maxPollSeconds: 1 })
  const session = await sessionOf(streams, 'ann')
  const asked = question()
  await streams.send(session, asked)
  const gate = { open: true }
  const slow: typeof fetch = async (input, init) => {
    while (!gate.open && String(input).endsWith('/hil/poll')) await new Promise((resolve) => setTimeout(resolve, 5))
    return fetch(input, init)
  }
  const client = createClient({
    url,
    token: await tokenOf('ann'),
    transport: 'poll',
    pollTimeoutSeconds: 1,
    fetch: slow,
  })
  const tab = client.session(session)
  await until(() => tab.pending.length === 1 && tab.state === 'open')
  // While the client is between two polls, the question is retracted, and another notification pushes the retraction out.
  gate.open = false
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  await streams.retract(session, asked.msg_id, { notice: note('over') })
  await streams.send(session, note('more'))
  gate.open = true
  await until(() => tab.pending.length === 0)
  tab.close()
  await streams.shutdown()
})
