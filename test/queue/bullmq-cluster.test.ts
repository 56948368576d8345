import { Cluster } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Queue } from '../../src/ports/queue.ts'
import { bullmqQueue } from '../../src/queue/bullmq/queue.ts'
import type { QueueHarness } from '../../src/testing/queue-suite/queue-case.ts'
import { record, wake } from '../../src/testing/queue-suite/tools.ts'
import { type RedisCluster, startRedisCluster } from '../support/servers/redis-cluster.ts'
import { startProxy, type TcpProxy } from '../support/servers/tcp-proxy.ts'
import { until } from '../support/until.ts'
import { warningsDuring } from '../support/warnings.ts'
import { describeQueue } from './conformance.ts'
import { takeAndDie } from './take-and-die.ts'

/** A case has its own way to every node, so that it can be interrupted alone. */
interface Way {
  readonly prefix: string
  readonly proxies: readonly TcpProxy[]
  readonly client: Cluster
}

let cluster: RedisCluster
const ways: Way[] = []
const places = new WeakMap<Queue, Way>()

beforeAll(async () => {
  cluster = await startRedisCluster({ password: 'not-a-secret' })
})

afterAll(async () => {
  for (const { client, proxies } of ways) {
    client.disconnect()
    for (const proxy of proxies) await proxy.close()
  }
  await cluster.remove()
})

const TIMES = { timeoutMs: 15_000, lostAfterMs: 6000 }

function open(way: Way): Queue {
  const queue = bullmqQueue({ connection: way.client, prefix: way.prefix, ...TIMES })
  places.set(queue, way)
  return queue
}

async function newWay(): Promise<Way> {
  const proxies = await Promise.all(cluster.nodes.map(({ port }) => startProxy(port)))
  const hosts = proxies.map(({ port }) => ({ host: '127.0.0.1', port }))
  const natMap = Object.fromEntries(cluster.nodes.map(({ port }, i) => [`127.0.0.1:${port}`, hosts[i]!]))
  const client = new Cluster(hosts, {
    natMap,
    lazyConnect: true,
    // By default ioredis gives a node one second to name the others, and a busy machine takes longer.
    slotsRefreshTimeout: TIMES.timeoutMs,
    redisOptions: { password: 'not-a-secret' },
  })
  client.on('error', () => undefined)
  // Every other one spreads its routes over the nodes.
  const prefix = ways.length % 2 === 0 ? `{case${ways.length}}` : `case${ways.length}`
  const way = { prefix, proxies, client }
  ways.push(way)
  return way
}

const harness: QueueHarness = {
  create: async () => open(await newWay()),
  reopen: async (queue) => open(places.get(queue)!),
  takeAndDie: (queue, route) =>
    takeAndDie('bullmq', route, { connection: cluster.url, prefix: places.get(queue)!.prefix, ...TIMES }),
  async interrupt(queue) {
    const { proxies } = places.get(queue)!
    for (const proxy of proxies) proxy.set(false)
    return async () => {
      for (const proxy of proxies) proxy.set(true)
    }
  },
  timeoutMs: TIMES.timeoutMs,
}

describeQueue('the queue on BullMQ and a Redis Cluster', harness)

describe('a consumer of many routes', () => {
  const routes = Array.from({ length: 12 }, (_, i) => `agent-${i}`)

  /** Waits, and says which share of a processor this process has used meanwhile. */
  async function load(ms: number): Promise<number> {
    const [cpu, began] = [process.cpuUsage(), performance.now()]
    await new Promise((resolve) => setTimeout(resolve, ms))
    const { user, system } = process.cpuUsage(cpu)
    return (user + system) / 1000 / (performance.now() - began)
  }

  it.each(['at its start', 'later'])('waits for a Cluster that is away %s, quietly, and goes on', async (when) => {
    const way = await newWay()
    const switchTo = (on: boolean) => way.proxies.map((proxy) => proxy.set(on))
    const queue = open(way)
    const warnings = await warningsDuring(async () => {
      if (when === 'at its start') switchTo(false)
      const consumer = await record(queue, routes)
      if (when === 'later') {
        for (const route of routes) await queue.ring(wake('before', route))
        await until(() => consumer.seen.length === routes.length)
        switchTo(false)
      }
      await until(() => consumer.errors.length > 0)
      expect(await load(3000)).toBeLessThan(0.5)
      switchTo(true)
      for (const route of routes)
        await until(() =>
          queue.ring(wake('after', route)).then(
            () => true,
            () => false,
          ),
        )
      await until(() =>
        routes.every((route) => consumer.seen.some((seen) => seen.threadId === 'after' && seen.route === route)),
      )
      switchTo(false)
      await load(500)
      await queue.close()
      expect(await load(500)).toBeLessThan(0.5)
    })
    expect(warnings.map(({ message }) => message)).toEqual([])
  })
})

describe('keys of a queue on a Redis Cluster', () => {
  const routes = Array.from({ length: 12 }, (_, i) => `agent-${i}`)

  async function nodesOf(prefix: string): Promise<number> {
    const queue = bullmqQueue({ connection: cluster.url, prefix, ...TIMES })
    const client = new Cluster([{ host: '127.0.0.1', port: cluster.nodes[0]!.port }], {
      redisOptions: { password: 'not-a-secret' },
    })
    try {
      const consumer = await record(queue, routes)
      for (const route of routes) await queue.ring(wake('t', route))
      await until(() => consumer.seen.length === routes.length)
      const found = await Promise.all(client.nodes('master').map((node) => node.keys(`${prefix}:*`)))
      return found.filter((keys) => keys.length > 0).length
    } finally {
      await queue.close()
      client.disconnect()
    }
  }

  it('are on one node if the prefix has braces', async () => {
    expect(await nodesOf('{together}')).toBe(1)
  })

  it('are spread by route if it has none', async () => {
    expect(await nodesOf('spread')).toBe(3)
  })

  it('are refused if the braces say nothing', () => {
    for (const prefix of ['{}', 'a{}{b}', 'a{b'])
      expect(() => bullmqQueue({ connection: cluster.url, prefix }), prefix).toThrow(/braces/)
  })
})
