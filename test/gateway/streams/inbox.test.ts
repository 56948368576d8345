import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createClient, type Inbox } from '../../../src/client.ts'
import { positionText } from '../../../src/gateway/hil/inbox-position.ts'
import { createGateway, jwtAuth, serve } from '../../../src/gateway.ts'
import type { Streams } from '../../../src/ports/streams.ts'
import { InputInvalid, StreamsFailed } from '../../../src/protocol/errors/errors.ts'
import { memoryStreams } from '../../../src/streams/memory/streams.ts'
import { describeBackends } from '../../hil/backends.ts'
import { post, SECRET, served, sessionOf, tokenOf } from '../../support/gateway/served-gateway.ts'
import { note, question } from '../../support/gateway/stream-messages.ts'
import { until } from '../../support/until.ts'

describeBackends('an inbox', (backend) => {
  beforeAll(() => backend.start(), 60_000)
  afterAll(() => backend.stop())

  async function scene(options: { transport?: 'sse' | 'poll' } = {}) {
    const streams = backend.create()
    onTestFinished(() => streams.shutdown())
    const { url } = await served({ streams })
    const of = async (sub: string): Promise<Inbox> => {
      const backoff = { initialMs: 10, maxMs: 50 }
      const client = createClient({ url, token: await tokenOf(sub), backoff, pollTimeoutSeconds: 5, ...options })
      const inbox = client.inbox()
      onTestFinished(async () => {
        inbox.close()
        await inbox.ended
      })
      return inbox
    }
    return { streams, url, of }
  }

  async function ask(streams: Streams, session: string): Promise<string> {
    const asked = question()
    await streams.send(session, asked)
    return asked.msg_id
  }

  it.each(['sse', 'poll'] as const)('reads all sessions of a person, as they come and go, by %s', async (transport) => {
    const { streams, of } = await scene({ transport })
    const [first, second] = [await sessionOf(streams, 'ann'), await sessionOf(streams, 'ann')]
    const foreign = await sessionOf(streams, 'eve')
    await ask(streams, foreign)
    const before = await ask(streams, first)
    await streams.send(second, note('old'))
    const inbox = await of('ann')
    const told: string[] = []
    inbox.subscribe((change) => {
      if (change.type === 'message' && change.message.kind === 'notification')
        told.push(String(change.message.content.text))
    })
    await until(() => inbox.pending.length === 1 && inbox.sessions.length === 2)
    expect(inbox.pending[0]).toMatchObject({ session: first, id: before })
    const after = await ask(streams, second)
    await streams.send(second, note('new'))
    await until(() => inbox.pending.length === 2 && told.includes('new'))
    expect(told).toEqual(['new'])
    const third = await sessionOf(streams, 'ann')
    await ask(streams, third)
    await until(() => inbox.pending.length === 3)
    expect([...inbox.sessions].sort()).toEqual([first, second, third].sort())
    await streams.close(third)
    await until(() => inbox.pending.length === 2 && inbox.sessions.length === 2)
    expect(await inbox.respond({ session: second, id: after }, 'b')).toBe('unheard')
    expect(inbox.pending.map(({ id }) => id)).toEqual([before])
    // A session of the same id that is opened again is another one, and is found again.
    await streams.open(third, { owner: 'ann', expireSeconds: 60 })
    await ask(streams, third)
    await until(() => inbox.pending.some(({ session }) => session === third))
  })

  it('goes on after its connection broke, where it stood in each session, and forgets what was settled meanwhile', async () => {
    const { streams } = await scene()
    const auth = jwtAuth({ secret: SECRET, issuer: 'tests', audience: 'gateway' })
    const start = (port = 0) => serve(createGateway({ auth, streams }), { graceSeconds: 0, port })
    const server = await start()
    const sessions = [await sessionOf(streams, 'ann'), await sessionOf(streams, 'ann')]
    const asked = [await ask(streams, sessions[0]!), await ask(streams, sessions[1]!)]
    const backoff = { initialMs: 10, maxMs: 50 }
    const inbox = createClient({ url: server.url, token: await tokenOf('ann'), backoff }).inbox()
    const told: string[] = []
    inbox.subscribe((change) => {
      if (change.type === 'message' && change.message.kind === 'notification')
        told.push(String(change.message.content.text))
    })
    await until(() => inbox.pending.length === 2)
    await streams.send(sessions[0]!, note('before'))
    await until(() => told.length === 1)
    await server.close()
    await until(() => inbox.state === 'retrying')
    await streams.send(sessions[0]!, note('meanwhile'))
    await streams.send(sessions[1]!, note('there too'))
    await streams.retract(sessions[1]!, asked[1]!)
    const again = await start(server.port)
    await until(() => told.length === 3 && inbox.pending.length === 1)
    expect(told[0]).toBe('before')
    expect(told.slice(1).sort()).toEqual(['meanwhile', 'there too'])
    expect(inbox.pending[0]!.id).toBe(asked[0])
    inbox.close()
    await inbox.ended
    await again.close()
  })

  it('refuses a position that is none, and takes an empty Last-Event-ID as none', async () => {
    const { streams, url } = await scene()
    const session = await sessionOf(streams, 'ann')
    const headers = { authorization: `Bearer ${await tokenOf('ann')}` }
    const bad = await fetch(`${url}/hil/inbox/events`, { headers: { ...headers, 'last-event-id': `${session}=x` } })
    expect(bad.status).toBe(400)
    for (const path of ['/hil/inbox/events', `/hil/events?session_task_id=${session}`]) {
      const response = await fetch(`${url}${path}`, { headers: { ...headers, 'last-event-id': '' } })
      expect(response.status).toBe(200)
      await response.body!.cancel()
    }
  })

  it('is not slowed down by a log of thousands of lines: an open question is seen at once', async () => {
    const { streams, url } = await scene()
    const session = await sessionOf(streams, 'ann')
    for (let n = 0; n < 10_000; n += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, i) => streams.send(session, note(`line ${n + i}`))))
    }
    const short = await sessionOf(streams, 'ann')
    const id = await ask(streams, session)
    await ask(streams, short)
    const token = await tokenOf('ann')
    const timeUntilSeen = async (of: string): Promise<number> => {
      const tab = createClient({ url, token }).session(of)
      const began = performance.now()
      await new Promise<void>((resolve) => {
        tab.subscribe(() => tab.pending.length === 1 && resolve())
      })
      const took = performance.now() - began
      if (of === session) expect(tab.pending[0]!.id).toBe(id)
      tab.close()
      await tab.ended
      return took
    }
    // Against a session without a log, in turn: other work on the machine slows down both.
    const times: Record<'long' | 'short', number[]> = { long: [], short: [] }
    for (let i = 0; i < 8; i++) {
      times.long.push(await timeUntilSeen(session))
      times.short.push(await timeUntilSeen(short))
    }
    expect(Math.min(...times.long)).toBeLessThan(10 * Math.min(...times.short) + 50)
    const open = await fetch(`${url}/hil/open?session_task_id=${session}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(await open.json()).toMatchObject({ open: [{ HIL_msg: { msg_id: id } }] })
    let after = '0'
    let read = 0
    for (let requests = 0; ; requests++) {
      const response = await fetch(`${url}/hil/messages?session_task_id=${session}&after=${after}&limit=500`, {
        headers: { authorization: `Bearer ${token}` },
      })
      if (response.status === 204) {
        expect(requests).toBeLessThanOrEqual(3)
        break
      }
      const body = (await response.json()) as { redis_last_id: string; messages: unknown[] }
      after = body.redis_last_id
      read += body.messages.length
    }
    // A thousand notifications are kept, and the question.
    expect(read).toBe(1001)
  })

  it('that lost notifications of its log learns what is open, and drops what is settled', async () => {
    const { streams, url } = await scene()
    const session = await sessionOf(streams, 'ann')
    const [stays, goes] = [await ask(streams, session), await ask(streams, session)]
    const token = await tokenOf('ann')
    const after = (await streams.describe(session, { last: true }))!.last!
    await streams.retract(session, goes, { notice: note('over') })
    for (let n = 0; n < 1100; n += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, i) => streams.send(session, note(`line ${n + i}`))))
    }
    const response = await fetch(`${url}/hil/messages?session_task_id=${session}&after=${after}&limit=10`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(await response.json()).toMatchObject({ gap: true })
    const tab = createClient({ url, token }).session(session, { after })
    await until(() => tab.pending.length === 1)
    expect(tab.pending[0]!.id).toBe(stays)
    tab.close()
    await tab.ended
  })

  it('does not let one session of a hundred be missed', async () => {
    const { streams, of } = await scene()
    const inbox = await of('ann')
    await until(() => inbox.state === 'open')
    const ids = Array.from({ length: 60 }, () => randomUUID())
    await Promise.all(
      ids.map(async (session) => {
        await streams.open(session, { owner: 'ann', expireSeconds: 60 })
        await ask(streams, session)
      }),
    )
    await until(() => inbox.pending.length === 60)
    await Promise.all(ids.slice(0, 30).map((session) => streams.close(session)))
    await until(() => inbox.pending.length === 30 && inbox.sessions.length === 30)
  })

  it('lets the poll of a caller without sessions wait until there is one', async () => {
    const { streams, url } = await scene()
    const token = await tokenOf('ann')
    const poll = (timeout: number) => post(url, '/hil/inbox', { token, body: { last_id: '', timeout } })
    expect((await poll(0)).status).toBe(204)
    const waiting = poll(10)
    await new Promise((resolve) => setTimeout(resolve, 50))
    const session = await sessionOf(streams, 'ann')
    const answer = await waiting
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ sessions: [session] })
  })

  it('reports by its status that the streams are unavailable, and frees its slot', async () => {
    const away = (inner: Streams): Streams => ({
      ...inner,
      sessions: () => Promise.reject(new StreamsFailed('The streams are away', new Error('no connection'))),
      tenant: (id) => away(inner.tenant(id)),
    })
    const streams = backend.create()
    onTestFinished(() => streams.shutdown())
    const { url } = await served({ streams: away(streams), maxWaitsPerCaller: 1 })
    const headers = { authorization: `Bearer ${await tokenOf('ann')}` }
    for (let n = 0; n < 3; n++) expect((await fetch(`${url}/hil/inbox/events`, { headers })).status).toBe(503)
  })

  it('shows no question of a session that ends while it is polled', async () => {
    const streams = backend.create()
    onTestFinished(() => streams.shutdown())
    const ending = (inner: Streams): Streams => ({
      ...inner,
      async pending(session) {
        const read = await inner.pending(session)
        await inner.close(session)
        return read
      },
      tenant: (id) => ending(inner.tenant(id)),
    })
    const { url } = await served({ streams: ending(streams) })
    const session = await sessionOf(streams, 'ann')
    await ask(streams, session)
    const body = { last_id: `${session}=0`, timeout: 5 }
    const answer = await post(url, '/hil/inbox', { token: await tokenOf('ann'), body })
    expect(await answer.json()).toEqual({ last_id: '', sessions: [], complete: [], open: [], messages: [] })
  })
})

it('an inbox is limited to as many sessions as one header has room for', () => {
  const auth = { authenticate: async () => ({ ok: false as const, detail: 'no' }) }
  const gateway = (maxInboxSessions: number) => createGateway({ streams: memoryStreams(), auth, maxInboxSessions })
  expect(() => gateway(251)).toThrow(InputInvalid)
  expect(() => gateway(251)).toThrow('at most 250')
  const positions = Array.from({ length: 250 }, () => [randomUUID(), '1763260000000-123'] as const)
  // Node refuses a request whose headers have more than 16 KiB.
  expect(positionText(new Map(positions)).length).toBeLessThan(15_000)
  gateway(250)
})
