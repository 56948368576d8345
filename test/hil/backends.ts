import { describe } from 'vitest'
import { memoryStreams, type Streams } from '../../src/index.ts'
import { redisStreams } from '../../src/redis.ts'
import { type RedisServer, startRedis } from '../support/servers/redis-server.ts'

/** Message streams of one kind, fresh for each test. */
export interface Backend {
  start(): Promise<void>
  create(): Streams
  stop(): Promise<void>
}

/** The same tests on streams in memory and on Redis. */
export function describeBackends(title: string, tests: (backend: Backend) => void): void {
  describe(`${title}, in memory`, () => {
    tests({ start: async () => undefined, create: () => memoryStreams(), stop: async () => undefined })
  })
  describe(`${title}, on Redis`, () => {
    let server: RedisServer
    let made = 0
    tests({
      async start() {
        server = await startRedis()
      },
      create: () => redisStreams({ url: server.url, keyPrefix: `test${made++}:` }),
      stop: () => server.remove(),
    })
  })
}
