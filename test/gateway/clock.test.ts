import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCode } from '../../src/gateway/sign-in/codes.ts'
import { run } from '../../src/index.ts'
import { ask, askingAgent, diskStore, inboxOf, seen } from '../support/gateway/inbox-scene.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.UTC(2026, 5, 1, 12)
const ORIGIN = 'http://localhost'
const ann = { sub: 'ann', roles: ['reviewer'] }
const bob = { sub: 'bob', roles: ['reviewer'] }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
})
afterEach(() => {
  vi.useRealTimers()
})

const jump = (ms: number): unknown => vi.setSystemTime(Date.now() + ms)

/** A gateway on SQLite, and a browser that can sign in there. */
function scene() {
  const store = diskStore()
  const { gateway, as } = inboxOf(store, { origins: [ORIGIN], undoSeconds: 0 })
  const headers = { origin: ORIGIN, host: 'localhost', 'holdpoint-csrf': '1', 'content-type': 'application/json' }
  const newCode = () => createCode(store, { sub: 'ann', tenant: 'default', roles: ['reviewer'] })
  const signIn = async (code: string) => {
    const response = await gateway.request(`${ORIGIN}/v1/session`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ code }),
    })
    return { status: response.status, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' }
  }
  const look = async (cookie: string) =>
    (await gateway.request(`${ORIGIN}/v1/me`, { headers: { ...headers, cookie } })).status
  return { store, as, newCode, signIn, look }
}

describe('a clock that jumps', () => {
  it('forward ends codes and claims; a session only after its eight hours', async () => {
    const { store, as, newCode, signIn, look } = scene()
    const [id] = await ask(store, 't', {})
    const code = await newCode()
    const { status, cookie } = await signIn(await newCode())
    expect([status, await look(cookie)]).toEqual([200, 200])
    expect((await as(ann).post(`/v1/requests/${id}/claim`, { seconds: 600 })).status).toBe(200)
    expect((await as(bob).post(`/v1/requests/${id}/claim`, { seconds: 600 })).body.code).toBe('taken')
    jump(HOUR)
    expect((await signIn(code)).status).toBe(401)
    expect((await as(bob).post(`/v1/requests/${id}/claim`, { seconds: 600 })).status).toBe(200)
    expect(await look(cookie)).toBe(200)
    jump(8 * HOUR)
    expect(await look(cookie)).toBe(401)
  })

  it('back by a day delays nothing that begins after it', async () => {
    const { store, as, newCode, signIn, look } = scene()
    await ask(store, 'before', {})
    jump(-DAY)
    const late = await newCode()
    const { status, cookie } = await signIn(await newCode())
    expect([status, await look(cookie)]).toEqual([200, 200])
    const ran: unknown[] = []
    const agent = askingAgent([{}], { ran })
    const { interruptions } = await run(agent, 'please', { store, threadId: 't' })
    const id = interruptions[0]!.id
    expect((await as(ann).post(`/v1/requests/${id}/claim`, { seconds: 60 })).status).toBe(200)
    const { request } = await as(ann).show(id)
    const body = { ...seen(request), decision: { type: 'approve' }, undoSeconds: 30 }
    expect((await as(ann).post(`/v1/requests/${id}/decide`, body)).status).toBe(200)
    jump(11 * MINUTE)
    expect((await signIn(late)).status).toBe(401)
    const result = await agent.thread('t', { store }).resume({})
    expect([result.status, ran.length]).toEqual(['completed', 1])
    const [other] = await ask(store, 'other', {})
    expect((await as(bob).post(`/v1/requests/${other}/claim`, { seconds: 60 })).status).toBe(200)
    jump(2 * MINUTE)
    expect((await as(ann).post(`/v1/requests/${other}/claim`, { seconds: 60 })).status).toBe(200)
    jump(8 * HOUR)
    expect(await look(cookie)).toBe(401)
  })

  it('back by seconds stands still: what was over stays over', async () => {
    const { store, as, newCode, signIn } = scene()
    const [id] = await ask(store, 't', {})
    const code = await newCode()
    expect((await as(ann).post(`/v1/requests/${id}/claim`, { seconds: 600 })).status).toBe(200)
    jump(10 * MINUTE + 1)
    expect((await signIn(code)).status).toBe(401)
    jump(-30_000)
    expect((await signIn(code)).status).toBe(401)
    expect((await as(bob).post(`/v1/requests/${id}/claim`, { seconds: 60 })).status).toBe(200)
  })
})
