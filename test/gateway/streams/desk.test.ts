import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '../../../src/client.ts'
import type { GatewayOptions } from '../../../src/gateway.ts'
import {
  Agent,
  type HitlRequest,
  humanInTheLoop,
  memoryStore,
  openDesk,
  RunState,
  run,
  type Store,
  tool,
} from '../../../src/index.ts'
import { StreamsFailed } from '../../../src/ports.ts'
import type { JsonObject } from '../../../src/protocol/json/json.ts'
import { memoryStreams } from '../../../src/streams/memory/streams.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { post, served, sessionOf, tokenOf } from '../../support/gateway/served-gateway.ts'
import { question } from '../../support/gateway/stream-messages.ts'

const forms = { approve: 'HoldpointApprove', confirm: 'HoldpointConfirm', ask: 'HoldpointAsk' }

/** An agent that stops before a refund. */
function clerk(ran: JsonObject[]) {
  const refund = tool({
    name: 'refund',
    description: 'Pays money back.',
    parameters: z.object({ cents: z.number() }),
    execute: async (args) => {
      ran.push(args)
      return 'done'
    },
  })
  const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'refund', args: { cents: 500 } }] }, 'Refunded.'])
  return { model, tools: [refund], name: 'clerk', instructions: 'Refund.' }
}

/** A paused run whose request was put on a stream of ann, and what answers to it do. */
async function paused(
  review: object = {},
  {
    tenant = 'default',
    store = memoryStore() as Store,
    ...serving
  }: Partial<GatewayOptions> & { tenant?: string } = {},
) {
  const all = await served({ store, ...serving })
  const ran: JsonObject[] = []
  const agent = new Agent({ ...clerk(ran), policy: humanInTheLoop({ interruptOn: { refund: review } }) })
  const bound = store.tenant(tenant)
  const result = await run(agent, 'Refund 42.', { threadId: 'order-42', store: bound })
  const [request] = result.interruptions as [HitlRequest]
  const streams = all.streams.tenant(tenant)
  const session = await sessionOf(streams, 'ann')
  const message = question(request as unknown as JsonObject, { type: forms[request.kind], tool_exec_uuid: request.id })
  await streams.send(session, message)
  const respond = async (msg: unknown, { sub = 'ann', claims = {}, terms = {} } = {}) =>
    post(all.url, '/hil/respond', {
      token: await tokenOf(sub, { tenant, ...claims }),
      body: { session_task_id: session, hil_msg_id: message.msg_id, msg, ...terms },
    })
  const open = async () => (await streams.pending(session)).kind === 'messages'
  const desk = openDesk({ store: bound })
  const goOn = async () => run(agent, await RunState.load(agent, { threadId: 'order-42', store: bound }))
  const comments = async () =>
    (await bound.read('order-42')).entries.flatMap(({ body }) => JSON.parse(body).comment ?? [])
  return { ...all, comments, request, respond, open, desk, goOn, ran, session, message, streams }
}

describe('an answer to a request of the store', () => {
  it.each<[unknown, object]>([
    [{ decision: { type: 'approve' } }, { type: 'approve' }],
    ['approve', { type: 'approve' }],
    ['reject', { type: 'reject' }],
    [{ decision: { type: 'reject', message: 'No.' } }, { type: 'reject', message: 'No.' }],
    [{ decision: { type: 'edit', args: { cents: 100 } } }, { type: 'edit', args: { cents: 100 } }],
    [{ decision: { type: 'respond', message: 'Did it.' } }, { type: 'respond', message: 'Did it.' }],
  ])('decides at the desk, then takes the question away: %j', async (msg, decision) => {
    const { respond, open, desk, request, streams, session, message } = await paused()
    const response = await respond(msg)
    expect(await response.text()).toBe('')
    expect(response.status).toBe(200)
    const by = { kind: 'person', id: 'ann', via: 'hil' }
    expect(await desk.get(request.id)).toMatchObject({ status: 'decided', decision: { ...decision, by } })
    expect(await open()).toBe(false)
    // The journal has the answer; there is no second copy that somebody could act on.
    expect(await streams.takeReply(session, message.msg_id, { waitMs: 0 })).toEqual({ kind: 'empty' })
  })

  it('lets the run go on, once', async () => {
    const { respond, goOn, ran } = await paused()
    const statuses = await Promise.all([
      respond('approve'),
      respond('approve'),
      respond('reject', { claims: { role: 'admin' } }),
    ])
    expect(statuses.some(({ status }) => status === 200)).toBe(true)
    const result = await goOn()
    expect(result).toMatchObject({ status: 'completed', finalOutput: 'Refunded.' })
    expect(ran.length).toBeLessThanOrEqual(1)
  })

  it.each([
    ['is no decision', { decision: { type: 'perhaps' } }, 400],
    ['says nothing', {}, 400],
    ['is another word', 'maybe', 400],
    ['edits what the tool does not take', { decision: { type: 'edit', args: { cents: 'many' } } }, 400],
  ])('that %s is refused, and the question stays', async (_, msg, status) => {
    const { respond, open, desk, request } = await paused()
    const response = await respond(msg)
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({ detail: expect.any(String) })
    expect(await open()).toBe(true)
    expect((await desk.get(request.id)).status).toBe('open')
    expect((await respond('approve')).status).toBe(200)
  })

  it('of a kind or by a person that is not allowed is refused, and the question stays', async () => {
    const { respond, open } = await paused({ allowedDecisions: ['approve', 'reject'], reviewers: ['ann'] })
    expect((await respond({ decision: { type: 'respond', message: 'x' } })).status).toBe(400)
    expect((await respond('approve', { sub: 'boss', claims: { role: 'admin' } })).status).toBe(403)
    expect((await respond('approve', { sub: 'eve' })).status).toBe(404)
    expect(await open()).toBe(true)
    expect((await respond('approve')).status).toBe(200)
  })

  it('that was decided elsewhere finds nothing, and the stale question goes', async () => {
    const { respond, open, desk, request } = await paused()
    const by = { kind: 'person', id: 'bob' } as const
    await desk.answer(request.id, { type: 'reject' }, { by })
    const response = await respond('approve')
    expect(response.status).toBe(404)
    expect(await open()).toBe(false)
    expect((await desk.get(request.id)).decision).toMatchObject({ type: 'reject', by })
  })

  it('is done with when the same person sends it again after a crash before the question was taken away', async () => {
    const { respond, open, desk, request } = await paused()
    await desk.answer(request.id, { type: 'approve' }, { by: { kind: 'person', id: 'ann', via: 'hil' } })
    expect(await open()).toBe(true)
    expect((await respond('approve')).status).toBe(200)
    expect(await open()).toBe(false)
  })

  it('is taken at the same cost however many questions are open: they are never all looked at', async () => {
    const streams = memoryStreams()
    streams.tenant = () => streams
    const { respond, desk, request } = await paused({}, { streams })
    streams.pending = () => Promise.reject(new Error('all questions were looked at'))
    expect((await respond('perhaps')).status).toBe(400)
    expect((await respond('approve')).status).toBe(200)
    expect((await respond('approve')).status).toBe(404)
    expect((await desk.get(request.id)).status).toBe('decided')
    await streams.shutdown()
  })

  it('that was stored is reported as taken, even if the question cannot be retracted from its stream', async () => {
    const streams = memoryStreams()
    streams.tenant = () => streams
    const told: object[] = []
    const logger = { info: () => undefined, warn: (fields: object) => void told.push(fields), error: () => undefined }
    const { respond, desk, request } = await paused({}, { streams, logger })
    streams.retract = () => Promise.reject(new StreamsFailed('Redis cannot be reached', new Error('ECONNRESET')))
    expect((await respond('approve')).status).toBe(200)
    expect(await desk.get(request.id)).toMatchObject({ status: 'decided', decision: { by: { id: 'ann' } } })
    expect(told).toEqual([expect.objectContaining({ request: request.id })])
    await streams.shutdown()
  })

  it('works in a tenant of its own, and does not reach into another', async () => {
    const store = memoryStore()
    const acme = await paused({}, { tenant: 'acme', store })
    // The same request id on a stream of the default tenant: there it is nobody's request, so the reply stays on the stream.
    const session = await sessionOf(acme.streams.tenant('default'), 'ann')
    const stranger = question(acme.request as unknown as JsonObject, {
      type: forms.approve,
      tool_exec_uuid: acme.request.id,
    })
    await acme.streams.tenant('default').send(session, stranger)
    const body = { session_task_id: session, hil_msg_id: stranger.msg_id, msg: 'approve' }
    const response = await post(acme.url, '/hil/respond', { token: await tokenOf('ann'), body })
    expect((await acme.desk.get(acme.request.id)).status).toBe('open')
    expect(response.status).toBe(200)
    expect((await acme.respond('approve')).status).toBe(200)
    expect((await acme.desk.get(acme.request.id)).status).toBe('decided')
  })

  it.each([
    ['arguments', { args: { cents: 1 } }],
    ['a tool', { toolName: 'greet' }],
    ['a digest', { digest: 'sha256:other' }],
  ])('decides nothing if people were shown %s that the request does not have', async (_, shown) => {
    const { url, streams, session, request, desk } = await paused()
    const forged = question({ ...(request as unknown as JsonObject), ...shown } as JsonObject, {
      type: forms.approve,
      tool_exec_uuid: request.id,
    })
    await streams.send(session, forged)
    const body = { session_task_id: session, hil_msg_id: forged.msg_id, msg: 'approve' }
    expect((await post(url, '/hil/respond', { token: await tokenOf('ann'), body })).status).toBe(404)
    expect((await desk.get(request.id)).status).toBe('open')
    expect(await streams.question(session, forged.msg_id)).toEqual({ kind: 'unknown' })
  })

  it('does not touch questions of other kinds that name a request by chance', async () => {
    const { url, streams, session, request, desk } = await paused()
    const bare = question({}, { tool_exec_uuid: request.id })
    await streams.send(session, bare)
    const body = { session_task_id: session, hil_msg_id: bare.msg_id, msg: 'approve' }
    expect((await post(url, '/hil/respond', { token: await tokenOf('ann'), body })).status).toBe(200)
    expect((await desk.get(request.id)).status).toBe('open')
    expect(await streams.takeReply(session, bare.msg_id, { waitMs: 0 })).toEqual({
      kind: 'reply',
      reply: 'approve',
      by: 'ann',
    })
    const none = { ...body, hil_msg_id: randomUUID() }
    expect((await post(url, '/hil/respond', { token: await tokenOf('ann'), body: none })).status).toBe(404)
  })
})

describe('what goes with an answer', () => {
  const terms = { comment: 'Called her.', always: { scope: 'thread', uses: 3 }, undoSeconds: 60 } as const

  it('is recorded with the decision, and can be withdrawn in time', async () => {
    const { respond, desk, request, comments } = await paused()
    expect((await respond('approve', { terms })).status).toBe(200)
    expect(await desk.get(request.id)).toMatchObject({ decision: { type: 'approve' } })
    expect(await comments()).toEqual(['Called her.'])
    const { grants } = await desk.grants({ status: 'all' })
    expect(grants).toEqual([
      expect.objectContaining({ scope: 'thread', uses: 3, by: expect.objectContaining({ id: 'ann' }) }),
    ])
    await desk.withdraw(request.id, { kind: 'person', id: 'ann', via: 'hil' })
    expect((await desk.get(request.id)).status).toBe('open')
  })

  it.each(['respond', 'session', 'inbox'] as const)('is sent by the client: %s', async (door) => {
    const { url, session: id, message, desk, request, comments } = await paused()
    const client = createClient({ url, token: await tokenOf('ann') })
    const [session, inbox] = [client.session(id), client.inbox()]
    const sent = {
      respond: () => client.respond(id, message.msg_id, 'approve', terms),
      session: () => session.respond(message.msg_id, 'approve', terms),
      inbox: () => inbox.respond({ session: id, id: message.msg_id }, 'approve', terms),
    }
    expect(await sent[door]()).toBe('answered')
    session.close()
    inbox.close()
    await Promise.all([session.ended, inbox.ended])
    expect(await desk.get(request.id)).toMatchObject({ decision: { type: 'approve' } })
    expect(await comments()).toEqual(['Called her.'])
    expect((await desk.grants({ status: 'all' })).grants).toMatchObject([{ scope: 'thread', uses: 3 }])
    await desk.withdraw(request.id, { kind: 'person', id: 'ann', via: 'hil' })
  })

  it.each<[string, unknown, object, number]>([
    ['a comment that is no string', 'approve', { comment: 7 }, 400],
    ['always that is no grant', 'approve', { always: 'yes' }, 400],
    ['always with an unknown member', 'approve', { always: { forever: true } }, 400],
    ['always with an edit', { decision: { type: 'edit', args: { cents: 1 } } }, { always: true }, 400],
    ['a negative time', 'approve', { undoSeconds: -1 }, 400],
    ['a grant for other threads of the agent', 'approve', { always: { scope: 'agent' } }, 400],
    ['a grant for the tenant', 'approve', { always: { scope: 'tenant' } }, 400],
    ['a grant inside the decision', { decision: { type: 'approve', always: { scope: 'tenant' } } }, {}, 400],
  ])('is refused, and the question stays open: %s', async (_, msg, given, status) => {
    const { respond, open, desk, request } = await paused()
    const response = await respond(msg, { terms: given })
    expect([response.status, await response.json()]).toEqual([status, { detail: expect.any(String) }])
    expect((await desk.get(request.id)).status).toBe('open')
    expect((await desk.grants({ status: 'all' })).grants).toEqual([])
    expect(await open()).toBe(true)
  })

  it.each(Object.entries(terms))(
    'is refused for a question that is answered on its stream: %s',
    async (name, value) => {
      const { url, streams, session } = await paused()
      const bare = question()
      await streams.send(session, bare)
      const body = { session_task_id: session, hil_msg_id: bare.msg_id, msg: 'blue' }
      const token = await tokenOf('ann')
      const refused = await post(url, '/hil/respond', { token, body: { ...body, [name]: value } })
      expect(refused.status).toBe(400)
      expect(await refused.json()).toEqual({ detail: expect.stringMatching(new RegExp(`^${name}: only for requests`)) })
      expect((await post(url, '/hil/respond', { token, body })).status).toBe(200)
    },
  )

  it('is part of the description', async () => {
    const { url } = await paused()
    const { paths } = JSON.parse(await (await fetch(`${url}/openapi.json`)).text())
    const { schema } = paths['/hil/respond'].post.requestBody.content['application/json']
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(['comment', 'always', 'undoSeconds']))
    expect(schema.required).toEqual(['session_task_id', 'hil_msg_id', 'msg'])
  })
})
