import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { memoryStreams } from '../../../src/streams/memory/streams.ts'
import { post, served, sessionOf, tokenOf } from '../../support/gateway/served-gateway.ts'
import { note, question } from '../../support/gateway/stream-messages.ts'
import { until } from '../../support/until.ts'
import { watched } from './watched-streams.ts'

/** An event stream as text that grows. */
async function open(url: string, { token, session, headers = {}, query = '' }: Opening) {
  const cut = new AbortController()
  const response = await fetch(`${url}/hil/events?session_task_id=${session}${query}`, {
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
    signal: cut.signal,
  })
  const seen = { text: '', ended: false }
  const read = async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) seen.text += chunk
    seen.ended = true
  }
  const reading = read().catch(() => undefined)
  return { response, seen, reading, leave: () => cut.abort() }
}

interface Opening {
  token?: string
  session: string
  headers?: Record<string, string>
  query?: string
}

const SESSION = randomUUID()
const idsIn = (text: string) => [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id!)

describe('GET /hil/events', () => {
  it('sends what is there and what comes, by kind, and says when the stream is gone', async () => {
    const { url, streams } = await served()
    const session = await sessionOf(streams, 'ann')
    const asked = question({ text: 'two\nlines \u2028 and "quotes"' })
    await streams.send(session, asked)
    const { response, seen, reading } = await open(url, { token: await tokenOf('ann'), session })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    await until(() => seen.text.includes('HIL_interrupt_request'))
    const told = note('half way')
    await streams.send(session, told)
    await until(() => seen.text.includes('half way'))
    await streams.close(session)
    await reading
    expect(seen.ended).toBe(true)
    const [greeting, ...events] = seen.text.trimEnd().split('\n\n')
    expect(greeting).toBe(': open\nretry: 1000')
    const fields = events.map((event) => Object.fromEntries(event.split('\n').map((line) => line.split(/: (.*)/s))))
    expect(fields.map(({ event }) => event)).toEqual(['open', 'HIL_interrupt_request', 'Notification', 'gone'])
    expect(JSON.parse(fields[0]!.data)).toEqual({ open: [{ redis_last_id: expect.any(String), HIL_msg: asked }] })
    expect(fields[0]!.id).toBeUndefined()
    expect(JSON.parse(fields[1]!.data)).toEqual(asked)
    expect(JSON.parse(fields[2]!.data)).toEqual(told)
  })

  it('goes on after the last event that was seen, by header or by query', async () => {
    const { url, streams } = await served()
    const token = await tokenOf('ann')
    const session = await sessionOf(streams, 'ann')
    for (const text of ['one', 'two', 'three']) await streams.send(session, note(text))
    const first = await open(url, { token, session })
    await until(() => idsIn(first.seen.text).length === 3)
    first.leave()
    const [one, two] = idsIn(first.seen.text)
    const byHeader = await open(url, { token, session, headers: { 'last-event-id': one! }, query: '&redis_last_id=0' })
    const byQuery = await open(url, { token, session, query: `&redis_last_id=${two}` })
    await until(() => byHeader.seen.text.includes('three') && byQuery.seen.text.includes('three'))
    expect(byHeader.seen.text).not.toContain('one')
    expect(byHeader.seen.text).toContain('two')
    expect(byQuery.seen.text).not.toContain('two')
  })

  it('sends keep-alives when idle', async () => {
    const { url, streams } = await served({ heartbeatSeconds: 0.02 })
    const session = await sessionOf(streams, 'ann')
    const { seen } = await open(url, { token: await tokenOf('ann'), session })
    await until(() => seen.text.split('\n').filter((line) => line === ':').length >= 3)
  })

  it('counts as waiting, until the client leaves', async () => {
    const { streams, waiting } = watched(memoryStreams())
    const { url } = await served({ streams, maxWaitsPerCaller: 1 })
    const token = await tokenOf('ann')
    const session = await sessionOf(streams, 'ann')
    const { leave } = await open(url, { token, session })
    await until(() => waiting() === 1)
    expect((await open(url, { token, session })).response.status).toBe(429)
    expect((await post(url, '/hil/poll', { token, body: { session_task_id: session } })).status).toBe(429)
    leave()
    await until(async () => {
      const { response, leave: leaveAgain } = await open(url, { token, session })
      leaveAgain()
      return response.status === 200
    })
    await until(() => waiting() === 0)
  })

  it('ends with the token', async () => {
    const { url, streams } = await served()
    const session = await sessionOf(streams, 'ann')
    const token = await tokenOf('ann', { exp: Math.floor(Date.now() / 1000) + 1 })
    const { seen, reading } = await open(url, { token, session })
    await reading
    expect(seen.ended).toBe(true)
    expect(seen.text).not.toContain('gone')
  })

  it('reads no further ahead than the client consumes', async () => {
    const inner = memoryStreams()
    let reads = 0
    const bind = (streams: typeof inner): typeof inner => ({
      ...streams,
      read: (id, options) => {
        reads++
        return streams.read(id, options)
      },
      tenant: (id) => bind(streams.tenant(id)),
    })
    const { url } = await served({ streams: bind(inner) })
    const session = await sessionOf(inner, 'ann')
    const long = 'x'.repeat(100_000)
    for (let i = 0; i < 500; i++) await inner.send(session, note(long))
    const cut = new AbortController()
    const response = await fetch(`${url}/hil/events?session_task_id=${session}`, {
      headers: { authorization: `Bearer ${await tokenOf('ann')}` },
      signal: cut.signal,
    })
    // Nobody reads the response. What is read settles at what the buffers on the way hold.
    let before = -1
    await until(async () => {
      const settled = before === reads && reads > 0
      before = reads
      await new Promise((resolve) => setTimeout(resolve, 100))
      return settled
    })
    expect(reads).toBeLessThan(400)
    cut.abort()
    await response.body?.cancel().catch(() => undefined)
  })

  it.each([
    ['no session', ''],
    ['a session that is no UUID', 'session_task_id=abc'],
    ['a bad position', `session_task_id=${SESSION}&redis_last_id=x`],
  ])('refuses %s', async (_, query) => {
    const { url, streams } = await served()
    await streams.open(SESSION, { owner: 'ann', expireSeconds: 60 })
    const headers = { authorization: `Bearer ${await tokenOf('ann')}` }
    const response = await fetch(`${url}/hil/events?${query}`, { headers })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ detail: expect.any(String) })
  })

  it('takes no token from the address, opens nothing for HEAD, and hides sessions of others', async () => {
    const { streams, waiting } = watched(memoryStreams())
    const { url } = await served({ streams })
    const token = await tokenOf('ann')
    const session = await sessionOf(streams, 'bob')
    for (const name of ['token', 'access_token', 'authorization', 'auth_token'])
      expect((await open(url, { session, query: `&${name}=${token}` })).response.status).toBe(401)
    const head = await fetch(`${url}/hil/events?session_task_id=${session}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${await tokenOf('bob')}` },
    })
    expect(head.status).toBe(405)
    const [foreign, absent] = [await open(url, { token, session }), await open(url, { token, session: randomUUID() })]
    await Promise.all([foreign.reading, absent.reading])
    expect([foreign.response.status, absent.response.status]).toEqual([404, 404])
    expect(foreign.seen.text).toBe(absent.seen.text)
    expect(waiting()).toBe(0)
  })
})
