import { Cluster, Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Streams } from '../../src/ports/streams.ts'
import { redisStreams } from '../../src/redis.ts'
import { placeOf } from '../../src/streams/redis/place.ts'
import { streamsConformance } from '../../src/testing/streams-suite/conformance.ts'
import type { StreamsHarness } from '../../src/testing/streams-suite/streams-case.ts'
import { question } from '../../src/testing/streams-suite/tools.ts'
import { type RedisCluster, startRedisCluster } from '../support/servers/redis-cluster.ts'
import { soak } from '../support/soak.ts'
import { until } from '../support/until.ts'
import { describeStreams } from './conformance.ts'
import { hasLooked } from './has-looked.ts'

let servers: RedisCluster
let node: Redis
let cluster: Cluster
let made = 0

beforeAll(async () => {
  servers = await startRedisCluster()
  node = new Redis(servers.nodes[0]!.url)
  cluster = new Cluster(servers.nodes.map(({ port }) => ({ host: '127.0.0.1', port })))
})

afterAll(async () => {
  cluster.disconnect()
  node.disconnect()
  await servers.remove()
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

/** Each case has keys of its own, on the same nodes. */
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
      const [, , send] = placeOf(prefixes.get(streams)!, 'default', session).keys
      await cluster.xadd(send, '*', 'content', '\x80garbage')
    },
    skips: [
      {
        reason: 'a node of a Cluster does not know who listens at the others, so nothing is said to be unheard',
        cases: ['an answer without a waiter is stored, and reported as unheard on request'],
      },
    ],
  }
}

describeStreams(
  'the streams on a Redis Cluster, by a client',
  harness((keyPrefix) => redisStreams({ client: cluster, keyPrefix })),
  soak.sample(streamsConformance, { part: 0, of: 3 }),
)

describeStreams(
  'the streams on a Redis Cluster, by url',
  harness((keyPrefix) => redisStreams({ url: servers.url, keyPrefix })),
)

it('a node that dies fails calls in time; when it is back, who waited gets the answer', async () => {
  const own = await startRedisCluster({ durable: true, nodeTimeoutMs: 2000, password: 'not-a-secret' })
  const [asking, answering] = [redisStreams({ url: own.url }), redisStreams({ url: own.url, timeoutMs: 2000 })]
  try {
    await asking.open('s', { owner: 'ann', expireSeconds: 600 })
    await asking.send('s', question('q'))
    const taking = asking.takeReply('s', 'q', { waitMs: 120_000 })
    await hasLooked(asking, 's')
    const victim = await own.nodeOf(placeOf('holdpoint:', 'default', 's').keys[0])
    await victim.crash()
    await expect(answering.answer('s', 'q', 'yes')).rejects.toMatchObject({ code: 'streams_failed', retryable: true })
    const isDown = () =>
      answering.ping().then(
        () => false,
        (error: Error) => error.message.includes('Cluster is down'),
      )
    await until(isDown)
    await victim.start()
    await until(own.isOk)
    await until(async () => (await answering.answer('s', 'q', 'yes').catch(() => 'failed')) === 'answered')
    expect(await taking).toMatchObject({ kind: 'reply', reply: 'yes' })
  } finally {
    await Promise.all([asking.shutdown(), answering.shutdown()])
    await own.remove()
  }
})
