import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../src/client.ts'
import type { Streams } from '../../../src/ports/streams.ts'
import { redisStreams } from '../../../src/redis.ts'
import { memoryStreams } from '../../../src/streams/memory/streams.ts'
import { post, served, sessionOf, tokenOf } from '../../support/gateway/served-gateway.ts'
import { note, question } from '../../support/gateway/stream-messages.ts'
import { type RedisServer, startRedis } from '../../support/servers/redis-server.ts'
import { until } from '../../support/until.ts'
import { watched } from './watched-streams.ts'

let redis: RedisServer
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.remove())

describe.each<[string, () => Streams]>([
  ['memory', () => memoryStreams()],
  ['Redis', () => redisStreams({ url: redis.url })],
])('a server that is closed right after a session, on %s', (_, make) => {
  it('still tells event readers that the session is gone', async () => {
    const streams = make()
    for (let round = 0; round < 5; round++) {
      const { streams: seen, waiting } = watched(streams)
      const { url, server } = await served({ streams: seen })
      const session = await sessionOf(streams, 'ann')
      const headers = { authorization: `Bearer ${await tokenOf('ann')}` }
      const events = await fetch(`${url}/hil/events?session_task_id=${session}`, { headers })
      const text = events.text()
      await until(() => waiting() === 1)
      await streams.close(session)
      await server.close()
      expect(await text).toContain('event: gone')
    }
    await streams.shutdown()
  })

  it('still tells who polls', async () => {
    const streams = make()
    const { streams: seen, waiting } = watched(streams)
    const { url, server } = await served({ streams: seen })
    const session = await sessionOf(streams, 'ann')
    const body = { session_task_id: session, timeout: 60 }
    const polled = post(url, '/hil/poll', { token: await tokenOf('ann'), body })
    await until(() => waiting() === 1)
    await streams.close(session)
    await server.close()
    expect((await polled).status).toBe(404)
    await streams.shutdown()
  })

  it('hands out what was sent in that moment, and the client goes on after it elsewhere', async () => {
    const streams = make()
    const session = await sessionOf(streams, 'ann')
    const first = watched(streams)
    const { server, url } = await served({ streams: first.streams })
    const other = await served({ streams })
    let to = url
    const token = await tokenOf('ann')
    const fetchThere: typeof fetch = (address, init) => fetch(String(address).replace(url, to), init)
    const client = createClient({ url, token, fetch: fetchThere, backoff: { initialMs: 5, maxMs: 20 } })
    const got: string[] = []
    const reading = (async () => {
      for await (const message of client.messages(session)) got.push(message.id)
    })()
    await until(() => first.waiting() === 1)
    const [asked, told] = [question(), note('more')]
    await streams.send(session, asked)
    to = other.url
    await server.close()
    await streams.send(session, told)
    await until(() => got.length >= 2)
    expect(got).toEqual([asked.msg_id, told.msg_id])
    await streams.close(session)
    await reading
    await streams.shutdown()
  })
})
