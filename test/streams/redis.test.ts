import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Streams } from '../../src/ports/streams.ts'
import { redisStreams } from '../../src/redis.ts'
import { placeOf } from '../../src/streams/redis/place.ts'
import { TAKE } from '../../src/streams/redis/scripts.ts'
import type { StreamsHarness } from '../../src/testing/streams-suite/streams-case.ts'
import { question } from '../../src/testing/streams-suite/tools.ts'
import { type RedisServer, startRedis } from '../support/servers/redis-server.ts'
import { describeStreams } from './conformance.ts'

let server: RedisServer
let raw: Redis
let made = 0

beforeAll(async () => {
  server = await startRedis()
  raw = new Redis(server.url)
})

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

describe('the id of a settled question is used up', () => {
  const scenes: [string, (keys: readonly string[]) => Promise<unknown>][] = [
    // The take arrives, and what would follow it never does.
    ['by a process that died with the reply', (keys) => raw.eval(TAKE.lua, keys.length, ...keys, 'q', 'gone', '')],
    ['under a token that looks like a position', (keys) => raw.hset(keys[1]!, 'm:q', 'done 12345678-1234-7000-8000-0')],
  ]

  it.each(scenes)('%s', async (_, settle) => {
    const prefix = `case${made++}:`
    const streams = redisStreams({ url: server.url, keyPrefix: prefix })
    try {
      await streams.open('s', { owner: 'ann', expireSeconds: 60 })
      await streams.send('s', question('q'))
      await streams.answer('s', 'q', 'yes')
      await settle(placeOf(prefix, 'default', 's').keys)
      await expect(streams.send('s', question('q'))).rejects.toMatchObject({ code: 'hil_content_invalid' })
    } finally {
      await streams.shutdown()
    }
  })
})
