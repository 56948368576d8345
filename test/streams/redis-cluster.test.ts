import { Cluster, Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { redisStreams } from '../../src/redis.ts'
import { placeOf } from '../../src/streams/redis/place.ts'
import type { StreamsHarness } from '../../src/testing/streams-suite/streams-case.ts'
import { until } from '../../src/testing/streams-suite/tools.ts'
import { type RedisServer, startRedis } from '../support/servers/redis-server.ts'
import { describeStreams } from './conformance.ts'

let server: RedisServer
let node: Redis
let cluster: Cluster
let made = 0

beforeAll(async () => {
  server = await startRedis({ settings: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] })
  node = new Redis(server.url)
  await node.call('CLUSTER', 'ADDSLOTS', ...Array.from({ length: 16_384 }, (_, slot) => slot))
  await until(async () => String(await node.call('CLUSTER', 'INFO')).includes('cluster_state:ok'), 'the cluster')
  cluster = new Cluster([{ host: '127.0.0.1', port: server.port }])
})

afterAll(async () => {
  cluster.disconnect()
  node.disconnect()
  await server.remove()
})

it('all keys of a session are in one slot, whatever its names hold', async () => {
  const names = ['s', '{', '}', '{}', 'a{b}c', '}{', ':', 'ü', '\u0000', '%7B', 'default:s']
  const slots = new Set<number>()
  for (const tenant of names) {
    for (const session of names) {
      const { keys } = placeOf('holdpoint:', tenant, session)
      const found = await Promise.all(keys.map((key) => node.call('CLUSTER', 'KEYSLOT', key)))
      expect(new Set(found).size, `${tenant} ${session}`).toBe(1)
      slots.add(Number(found[0]))
    }
  }
  expect(slots.size).toBeGreaterThan(names.length)
})

const harness: StreamsHarness = {
  create: async () => redisStreams({ client: cluster, keyPrefix: `case${made++}:` }),
  reopen: async () => redisStreams({ client: cluster, keyPrefix: `case${made - 1}:` }),
  skips: [
    {
      reason: 'the suite on one server puts such a message past the port',
      cases: ['an undecodable message is reported as such, and reading continues after it'],
    },
    {
      reason: 'a node of a Cluster does not know who listens at the others, so nothing is said to be unheard',
      cases: ['an answer without a waiter is stored, and reported as unheard on request'],
    },
  ],
}

describeStreams('the streams on a Redis Cluster', harness)
