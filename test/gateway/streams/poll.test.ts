import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Streams } from '../../../src/ports/streams.ts'
import { memoryStreams } from '../../../src/streams/memory/streams.ts'
import { post, served, sessionOf, tokenOf } from '../../support/gateway/served-gateway.ts'
import { note, question } from '../../support/gateway/stream-messages.ts'
import { until } from '../../support/until.ts'
import { watched } from './watched-streams.ts'

const bodyOf = async (response: Response) =>
  (await response.json()) as { redis_last_id: string; HIL_msg: object; detail: string }

describe('POST /hil/poll', () => {
  it('hands out one message after a position, and the same one again from the same position', async () => {
    const { url, streams } = await served()
    const token = await tokenOf('ann')
    const session = await sessionOf(streams, 'ann')
    const [first, second] = [question({ options: ['a'] }), note('half way')]
    await streams.send(session, first)
    await streams.send(session, second)
    const poll = (rest: object = {}) => post(url, '/hil/poll', { token, body: { session_task_id: session, ...rest } })

    const response = await poll()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    const one = await bodyOf(response)
    expect(one).toEqual({ redis_last_id: expect.stringMatching(/^\d+-\d+$/), HIL_msg: first })
    expect(await bodyOf(await poll({ redis_last_id: '0' }))).toEqual(one)
    const two = await bodyOf(await poll({ redis_last_id: one.redis_last_id }))
    expect(two.HIL_msg).toEqual(second)
    const nothing = await poll({ redis_last_id: two.redis_last_id, timeout: 0 })
    expect(nothing.status).toBe(204)
    expect(await nothing.text()).toBe('')
  })

  it('waits for a message that comes later', async () => {
    const { streams, waiting } = watched(memoryStreams())
    const { url } = await served({ streams })
    const session = await sessionOf(streams, 'ann')
    const polled = post(url, '/hil/poll', {
      token: await tokenOf('ann'),
      body: { session_task_id: session, timeout: 30 },
    })
    await until(() => waiting() === 1)
    const asked = question()
    await streams.send(session, asked)
    expect((await bodyOf(await polled)).HIL_msg).toEqual(asked)
  })

  it('answers 204 when nothing came in time, and caps the time', async () => {
    const { url, streams } = await served({ maxPollSeconds: 0.05 })
    const session = await sessionOf(streams, 'ann')
    const body = { session_task_id: session, timeout: 1_000_000 }
    expect((await post(url, '/hil/poll', { token: await tokenOf('ann'), body })).status).toBe(204)
  })

  it('answers 404 at once when its session closes', async () => {
    const { streams, waiting } = watched(memoryStreams())
    const { url } = await served({ streams })
    const session = await sessionOf(streams, 'ann')
    const polled = post(url, '/hil/poll', {
      token: await tokenOf('ann'),
      body: { session_task_id: session, timeout: 60 },
    })
    await until(() => waiting() === 1)
    await streams.close(session)
    const response = await polled
    expect(response.status).toBe(404)
    expect((await bodyOf(response)).detail).toContain('no such message stream')
  })

  it('ends with the token, and hands nothing out after that', async () => {
    const { streams, waiting } = watched(memoryStreams())
    const { url } = await served({ streams })
    const session = await sessionOf(streams, 'ann')
    // Clocks may be 5 s apart; what was verified is good until its own end.
    const token = await tokenOf('ann', { exp: Math.floor(Date.now() / 1000) + 2 })
    const polled = post(url, '/hil/poll', { token, body: { session_task_id: session, timeout: 60 } })
    await until(() => waiting() === 1)
    const response = await polled
    expect(response.status).toBe(204)
    await streams.send(session, question())
  })

  it.each([
    '11111111-1111-1111-1111-111111111111',
    '00000000-0000-0000-0000-000000000001',
    'FFFFFFFF-0000-F000-F000-000000000001',
    '01a1df64-7204-72a9-8df3-16466a863441',
  ])('knows sessions by UUIDs of any version: %s', async (session) => {
    const { url, streams } = await served()
    await streams.open(session, { owner: 'ann', expireSeconds: 60 })
    const token = await tokenOf('ann')
    const polled = await post(url, '/hil/poll', { token, body: { session_task_id: session, timeout: 0 } })
    expect(polled.status).toBe(204)
    const headers = { authorization: `Bearer ${token}` }
    const events = await fetch(`${url}/hil/events?session_task_id=${session}`, { headers })
    expect(events.status).toBe(200)
    await events.body?.cancel()
  })

  it('returns nothing of a session that was closed and reopened for another owner meanwhile', async () => {
    const inner = memoryStreams()
    const session = randomUUID()
    await inner.open(session, { owner: 'ann', expireSeconds: 60 })
    let wake = (): void => undefined
    const held = new Promise<void>((resolve) => {
      wake = resolve
    })
    let reads = 0
    const bind = (streams: Streams): Streams => ({
      ...streams,
      async read(id, options) {
        reads++
        await held
        return streams.read(id, { ...options, waitMs: 0 })
      },
      tenant: (id) => bind(streams.tenant(id)),
    })
    const { url } = await served({ streams: bind(inner) })
    const polled = post(url, '/hil/poll', { token: await tokenOf('ann'), body: { session_task_id: session } })
    await until(() => reads === 1)
    await inner.close(session)
    await inner.open(session, { owner: 'bob', expireSeconds: 60 })
    await inner.send(session, question({ secret: 'of bob' }))
    wake()
    const response = await polled
    expect(response.status).toBe(404)
    expect(await response.text()).not.toContain('of bob')
  })

  it('ends the wait of a client that went away', async () => {
    const { streams, waiting } = watched(memoryStreams())
    const { url } = await served({ streams })
    const session = await sessionOf(streams, 'ann')
    const gone = new AbortController()
    const body = { session_task_id: session, timeout: 60 }
    const polled = post(url, '/hil/poll', { token: await tokenOf('ann'), body, signal: gone.signal })
    await until(() => waiting() === 1)
    gone.abort()
    await expect(polled).rejects.toThrow()
    await until(() => waiting() === 0)
  })

  it('refuses more waiting polls than a caller may have, and lets others wait', async () => {
    const { streams, waiting } = watched(memoryStreams())
    const { url } = await served({ streams, maxWaitsPerCaller: 2 })
    const [ann, bob] = [await tokenOf('ann'), await tokenOf('bob')]
    const [mine, theirs] = [await sessionOf(streams, 'ann'), await sessionOf(streams, 'bob')]
    const poll = (token: string, session: string) =>
      post(url, '/hil/poll', { token, body: { session_task_id: session } })
    const waits = [poll(ann, mine), poll(ann, mine)]
    await until(() => waiting() === 2)
    const refused = await poll(ann, mine)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await bodyOf(refused)).detail).toBeTypeOf('string')
    const other = poll(bob, theirs)
    await until(() => waiting() === 3)
    await streams.send(mine, note('go'))
    for (const response of await Promise.all(waits)) expect(response.status).toBe(200)
    // The places are free again.
    expect((await poll(ann, mine)).status).toBe(200)
    await streams.close(theirs)
    expect((await other).status).toBe(404)
  })

  it('skips a message that cannot be read, with a line in the log', async () => {
    const inner = memoryStreams()
    const session = await sessionOf(inner, 'ann')
    const broken = await inner.send(session, note('broken in the backend'))
    const asked = question()
    await inner.send(session, asked)
    const bind = (streams: Streams): Streams => ({
      ...streams,
      async read(id, options) {
        const read = await streams.read(id, options)
        if (read.kind !== 'messages') return read
        const spoil = (position: string) => ({ position, broken: 'not JSON' })
        return { ...read, messages: read.messages.map((each) => (each.position === broken ? spoil(broken) : each)) }
      },
      tenant: (id) => bind(streams.tenant(id)),
    })
    const lines: object[] = []
    const log = (fields: object) => void lines.push(fields)
    const { url } = await served({ streams: bind(inner), logger: { info: log, warn: log, error: log } })
    const response = await post(url, '/hil/poll', { token: await tokenOf('ann'), body: { session_task_id: session } })
    expect((await bodyOf(response)).HIL_msg).toEqual(asked)
    expect(lines).toContainEqual({ session, position: broken, problem: 'not JSON' })
  })

  it.each([
    ['no JSON', '{'],
    ['no body', ''],
    ['a list', []],
    ['null', null],
    ['a session that is no UUID', { session_task_id: 'abc' }],
    ['no session', {}],
    ['a negative time', { timeout: -1 }],
    ['half a second', { timeout: 0.5 }],
    ['a time as text', { timeout: '30' }],
    ['a position of words', { redis_last_id: 'x' }],
    ['a position of three numbers', { redis_last_id: '1-2-3' }],
    ['a position past 64 bits', { redis_last_id: '99999999999999999999-0' }],
    ['a position that is a number', { redis_last_id: 0 }],
  ])('refuses %s with 400', async (_, given) => {
    const { url, streams } = await served()
    const session = await sessionOf(streams, 'ann')
    const isPart = typeof given === 'object' && given !== null && !Array.isArray(given) && Object.keys(given).length > 0
    const body = isPart ? { session_task_id: session, ...given } : given
    const response = await post(url, '/hil/poll', { token: await tokenOf('ann'), body })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ detail: expect.any(String) })
  })

  it('takes any content type, and a session id in capitals', async () => {
    const { url, streams } = await served()
    const session = await sessionOf(streams, 'ann')
    await streams.send(session, note('hello'))
    const token = await tokenOf('ann')
    const body = { session_task_id: session.toUpperCase() }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense']) {
      const response = await post(url, '/hil/poll', { token, body, headers: { 'content-type': type } })
      expect(response.status).toBe(200)
    }
  })
})
