import { Redis } from 'ioredis'
import { afterAll, beforeAll } from 'vitest'
import type { Streams } from '../../src/ports/streams.ts'
import { redisStreams } from '../../src/redis.ts'
import type { StreamsHarness } from '../../src/testing/streams-suite/streams-case.ts'
import { type RedisServer, startRedis } from '../support/servers/redis-server.ts'
import { describeStreams } from './conformance.ts'

let server: RedisServer
let raw: Redis
let made = 0

beforeAll(async () => {
  server = await startRedis()
  raw = new Redis(server.url)
}, 60_000)

afterAll(async () => {
  raw.disconnect()
  await server.remove()
})

/** Each case has keys of its own, on the same server. */
function harness(open: (keyPrefix: string) => Streams): StreamsHarness {
  const prefixes = new WeakMap<Streams, string>()
  const handle = (prefix: string): Streams => {
    const streams = open(prefix)
    prefixes.set(streams, prefix)
    return streams
  }
  return {
    create: async () => handle(`case${made++}:`),
    reopen: async (streams) => handle(prefixes.get(streams)!),
    async spoil(streams, session) {
      const key = `${prefixes.get(streams)}human_in_loop_send_stream:{default:${session}}`
      await raw.xadd(key, '*', 'content', '\x80garbage')
    },
  }
}

describeStreams(
  'the streams on Redis, by url',
  harness((keyPrefix) => redisStreams({ url: server.url, keyPrefix })),
)

describeStreams(
  'the streams on Redis, by a client',
  harness((keyPrefix) => redisStreams({ client: raw, keyPrefix })),
)
