import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { interrupt } from '../../../src/hil/interrupt.ts'
import type { Streams } from '../../../src/ports/streams.ts'
import { redisStreams } from '../../../src/redis.ts'
import { post, served, sessionOf, tokenOf } from '../../support/gateway/served-gateway.ts'
import { note, question } from '../../support/gateway/stream-messages.ts'
import { type RedisServer, startRedis } from '../../support/servers/redis-server.ts'
import { until } from '../../support/until.ts'

let redis: RedisServer
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.remove())

/** Streams with connections of their own, as another process has them. */
function connected(options: { timeoutMs?: number } = {}): Streams {
  const streams = redisStreams({ url: redis.url, ...options })
  onTestFinished(() => streams.shutdown())
  return streams
}

const content = {
  source: 'agent_tool_call',
  body: { tool_name: 'pick', type: 'ChoiceForm', tool_exec_uuid: 'x', detail: {} },
} as const

describe('a gateway on Redis', () => {
  it('carries a question from one process to a person and the answer back, over any gateway', async () => {
    const application = connected()
    const [first, second] = [await served({ streams: connected() }), await served({ streams: connected() })]
    const token = await tokenOf('ann')
    const session = await sessionOf(application, 'ann')
    const polled = post(first.url, '/hil/poll', { token, body: { session_task_id: session, timeout: 30 } })
    const reply = interrupt({ ...content }, { stream: session, streams: application, timeoutSeconds: 30 })
    const { HIL_msg } = (await (await polled).json()) as { HIL_msg: { msg_id: string; content: unknown } }
    expect(HIL_msg.content).toEqual(content)
    const body = { session_task_id: session, hil_msg_id: HIL_msg.msg_id, msg: {} }
    const answers = await Promise.all([first, second].map(({ url }) => post(url, '/hil/respond', { token, body })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
    expect(await reply).toEqual({})
  })

  it('lets hundreds wait over two connections, and wakes each for its own', async () => {
    const application = connected()
    const { url } = await served({ streams: connected(), maxWaitsPerCaller: 1000 })
    const token = await tokenOf('ann')
    const sessions = await Promise.all(Array.from({ length: 200 }, () => sessionOf(application, 'ann')))
    const control = new Redis(redis.url)
    onTestFinished(() => void control.disconnect())
    const connections = async () => /connected_clients:(\d+)/.exec(await control.info('clients'))?.[1]
    const before = await connections()
    const polls = sessions.map((session) => post(url, '/hil/poll', { token, body: { session_task_id: session } }))
    await new Promise((resolve) => setTimeout(resolve, 300))
    // Its connections may come with the first who polls and the first who waits.
    expect(Number(await connections()) - Number(before)).toBeLessThanOrEqual(2)
    await Promise.all(sessions.map((session) => application.send(session, note(session))))
    const seen = await Promise.all(
      polls.map(async (each) => ((await (await each).json()) as { HIL_msg: { content: object } }).HIL_msg.content),
    )
    expect(seen).toEqual(sessions.map((text) => ({ text })))
  })

  it('tells all who wait that the session closed, from another process', async () => {
    const application = connected()
    const { url } = await served({ streams: connected() })
    const token = await tokenOf('ann')
    const session = await sessionOf(application, 'ann')
    const polls = [1, 2].map(() => post(url, '/hil/poll', { token, body: { session_task_id: session, timeout: 60 } }))
    const events = await fetch(`${url}/hil/events?session_task_id=${session}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await new Promise((resolve) => setTimeout(resolve, 100))
    await application.close(session)
    for (const response of await Promise.all(polls)) expect(response.status).toBe(404)
    expect(await events.text()).toContain('event: gone')
  })

  it('skips foreign entries in the stream', async () => {
    const application = connected()
    const { url } = await served({ streams: connected() })
    const token = await tokenOf('ann')
    const session = await sessionOf(application, 'ann')
    await application.send(session, note('spoiled later'))
    const control = new Redis(redis.url)
    onTestFinished(() => void control.disconnect())
    for (const key of await control.keys(`*${session}*`)) {
      if ((await control.type(key)) === 'stream') await control.xadd(key, '*', 'nonsense', '\u0080\u0004pickle')
    }
    const asked = question()
    await application.send(session, asked)
    const seen = []
    let after = '0'
    for (let i = 0; i < 2; i++) {
      const response = await post(url, '/hil/poll', { token, body: { session_task_id: session, redis_last_id: after } })
      const body = (await response.json()) as { redis_last_id: string; HIL_msg: { msg_id: string } }
      after = body.redis_last_id
      seen.push(body.HIL_msg)
    }
    expect(seen[1]).toEqual(asked)
  })

  it('answers 503 while Redis is away, is not ready, and goes on when it is back', async () => {
    const own = await startRedis()
    onTestFinished(() => own.remove())
    const streams = redisStreams({ url: own.url, timeoutMs: 3000 })
    onTestFinished(() => streams.shutdown())
    const { url } = await served({ streams })
    const token = await tokenOf('ann')
    const session = await sessionOf(streams, 'ann')
    const body = { session_task_id: session, timeout: 0 }
    expect((await post(url, '/hil/poll', { token, body })).status).toBe(204)
    own.freeze(true)
    const away = await post(url, '/hil/poll', { token, body })
    expect(away.status).toBe(503)
    expect(await away.json()).toEqual({ detail: expect.stringContaining('Try again') })
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    own.freeze(false)
    await until(async () => (await post(url, '/hil/poll', { token, body })).status === 204)
    await until(async () => (await fetch(`${url}/readyz`)).status === 200)
    expect((await post(url, '/hil/poll', { token, body: { ...body, session_task_id: randomUUID() } })).status).toBe(404)
  })

  it('takes every position that fits its form', async () => {
    const { url, streams } = await served({ streams: connected() })
    const token = await tokenOf('ann')
    const session = await sessionOf(streams, 'ann')
    await streams.send(session, note('one'))
    const most = '18446744073709551615'
    for (const redis_last_id of ['0', '0-0', '1', '00001-00001', most, `${most}-${most}`, `0-${most}`]) {
      const response = await post(url, '/hil/poll', {
        token,
        body: { session_task_id: session, redis_last_id, timeout: 0 },
      })
      expect([200, 204], redis_last_id).toContain(response.status)
    }
  })
})
