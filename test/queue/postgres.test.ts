import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Queue } from '../../src/ports/queue.ts'
import { postgresQueue } from '../../src/queue/postgres/queue.ts'
import type { QueueHarness } from '../../src/testing/queue-suite/queue-case.ts'
import { record, wake } from '../../src/testing/queue-suite/tools.ts'
import { startProxy, type TcpProxy } from '../support/servers/tcp-proxy.ts'
import { usePostgres } from '../support/servers/use-postgres.ts'
import { describeQueue } from './conformance.ts'
import { takeAndDie } from './take-and-die.ts'

const server = usePostgres()
const schema = 'queue'
const proxies: TcpProxy[] = []
const places = new WeakMap<Queue, { room: string; proxy: TcpProxy }>()

beforeAll(async () => {
  const queue = postgresQueue({ connectionString: server.get().connectionString, schema })
  await queue.prepare()
  await queue.close()
})

afterAll(async () => {
  for (const proxy of proxies) await proxy.close()
})

const TIMES = { timeoutMs: 15_000, lostAfterMs: 3000 }

/** A queue with routes of its own: to make its tables for each case would take longest. */
function open(room: string, proxy: TcpProxy): Queue {
  const connectionString = server.get().connectionString.replace(`:${server.get().port}`, `:${proxy.port}`)
  const all = postgresQueue({ connectionString, schema, ...TIMES })
  const inside = (route: string) => (route === '' ? route : `${room}${route}`)
  const queue: Queue = {
    ring: (wakeUp, options) => all.ring({ ...wakeUp, route: inside(wakeUp.route) }, options),
    consume: (options) =>
      all.consume({
        ...options,
        routes: options.routes.map(inside),
        handle: (wakeUp) => options.handle({ ...wakeUp, route: wakeUp.route.slice(room.length) }),
      }),
    close: () => all.close(),
  }
  places.set(queue, { room, proxy })
  return queue
}

const harness: QueueHarness = {
  async create() {
    const proxy = await startProxy(server.get().port)
    proxies.push(proxy)
    return open(`${proxies.length}/`, proxy)
  },
  async reopen(queue) {
    const { room, proxy } = places.get(queue)!
    return open(room, proxy)
  },
  takeAndDie(queue, route) {
    const { room } = places.get(queue)!
    return takeAndDie('postgres', `${room}${route}`, {
      connectionString: server.get().connectionString,
      schema,
      ...TIMES,
    })
  },
  async interrupt(queue) {
    const { proxy } = places.get(queue)!
    proxy.set(false)
    return async () => proxy.set(true)
  },
  timeoutMs: TIMES.timeoutMs,
}

describeQueue('the queue on Postgres', harness)

it('several processes may prepare the same queue at once', async () => {
  const { connectionString } = server.get()
  const queues = [1, 2, 3].map(() => postgresQueue({ connectionString, schema: 'prepared_by_many' }))
  await Promise.all(queues.map((queue) => queue.prepare()))
  await queues[0]!.ring(wake('t'))
  const consumer = await record(queues[1]!)
  await expect.poll(() => consumer.threads()).toEqual(['t'])
  await Promise.all(queues.map((queue) => queue.close()))
})
