import { afterAll, beforeAll } from 'vitest'
import type { Queue } from '../../src/ports/queue.ts'
import { bullmqQueue } from '../../src/queue/bullmq/queue.ts'
import type { QueueHarness } from '../../src/testing/queue-suite/queue-case.ts'
import { type RedisServer, startRedis } from '../support/servers/redis-server.ts'
import { startProxy, type TcpProxy } from '../support/servers/tcp-proxy.ts'
import { describeQueue } from './conformance.ts'
import { takeAndDie } from './take-and-die.ts'

let server: RedisServer
const proxies: TcpProxy[] = []
const places = new WeakMap<Queue, { prefix: string; proxy: TcpProxy }>()

beforeAll(async () => {
  server = await startRedis()
})

afterAll(async () => {
  for (const proxy of proxies) await proxy.close()
  await server.remove()
})

const TIMES = { timeoutMs: 15_000, lostAfterMs: 6000 }

function open(prefix: string, proxy: TcpProxy): Queue {
  const queue = bullmqQueue({ connection: `redis://127.0.0.1:${proxy.port}`, prefix, ...TIMES })
  places.set(queue, { prefix, proxy })
  return queue
}

const harness: QueueHarness = {
  async create() {
    const proxy = await startProxy(server.port)
    proxies.push(proxy)
    return open(`{case${proxies.length}}`, proxy)
  },
  async reopen(queue) {
    const { prefix, proxy } = places.get(queue)!
    return open(prefix, proxy)
  },
  takeAndDie: (queue, route) =>
    takeAndDie('bullmq', route, { connection: server.url, prefix: places.get(queue)!.prefix, ...TIMES }),
  async interrupt(queue) {
    const { proxy } = places.get(queue)!
    proxy.set(false)
    return async () => proxy.set(true)
  },
  timeoutMs: TIMES.timeoutMs,
}

describeQueue('the queue on BullMQ', harness)
