import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Queue } from '../../src/ports/queue.ts'
import { postgresQueue } from '../../src/queue/postgres/queue.ts'
import type { QueueHarness } from '../../src/testing/queue-suite/queue-case.ts'
import { record, wake } from '../../src/testing/queue-suite/tools.ts'
import { startProxy, type TcpProxy } from '../support/servers/tcp-proxy.ts'
import { useAdmin, usePostgres } from '../support/servers/use-postgres.ts'
import { describeQueue } from './conformance.ts'
import { takeAndDie } from './take-and-die.ts'

const server = usePostgres()
const admin = useAdmin(server)
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

describe('a consumer whose queue was dropped', () => {
  const PATIENCE = { timeout: 30_000 }

  it('goes on also if its pool ended before anybody missed the tables', { timeout: 90_000 }, async () => {
    const { connectionString } = server.get()
    const queue = postgresQueue({ connectionString, schema: 'missed_late', timeoutMs: 20_000, lostAfterMs: 3_600_000 })
    const consumer = await record(queue)
    await queue.ring(wake('before'))
    await expect.poll(() => consumer.threads(), PATIENCE).toEqual(['before'])
    await admin.get().query('DROP SCHEMA missed_late CASCADE')
    // What ends pools of graphile-worker: another process changes the tables of a queue, perhaps of another one.
    await admin.get().query(`NOTIFY "worker:migrate", '{"breaking":true}'`)
    const tables = `SELECT to_regclass('missed_late.holdpoint_consumers') IS NOT NULL AS made`
    await expect.poll(async () => (await admin.get().query(tables)).rows[0].made, PATIENCE).toBe(true)
    await queue.ring(wake('after'))
    await expect.poll(() => consumer.threads(), PATIENCE).toEqual(['before', 'after'])
    await queue.close()
  })

  it('takes its own jobs, and no others, from tables that others made again while it was away', {
    timeout: 90_000,
  }, async () => {
    const { connectionString } = server.get()
    const proxy = await startProxy(server.get().port)
    proxies.push(proxy)
    const place = { schema: 'numbered', timeoutMs: 20_000, lostAfterMs: 1500 }
    const others = [1, 2].map(() => postgresQueue({ connectionString, ...place }))
    const mine = postgresQueue({
      connectionString: connectionString.replace(`:${server.get().port}`, `:${proxy.port}`),
      ...place,
    })
    // A task has the number of its first use.
    for (const route of ['first', 'second']) await others[0]!.ring(wake('before', route))
    const consumer = await record(mine, 'second')
    await expect.poll(() => consumer.threads(), PATIENCE).toEqual(['before'])
    const jobs = async () => (await admin.get().query('SELECT FROM numbered.jobs')).rowCount
    await expect.poll(jobs, PATIENCE).toBe(1)
    proxy.set(false)
    await admin.get().query('DROP SCHEMA numbered CASCADE')
    for (const route of ['second', 'third', 'first']) await others[1]!.ring(wake('after', route))
    proxy.set(true)
    await expect.poll(() => consumer.seen, PATIENCE).toEqual([wake('before', 'second'), wake('after', 'second')])
    for (const queue of [mine, ...others]) await queue.close()
  })
})

it('a queue that is made in the same database leaves consumers at work, and their process its exit code', {
  timeout: 60_000,
}, async () => {
  const { connectionString } = server.get()
  const queue = postgresQueue({ connectionString, schema: 'first_queue' })
  const later = postgresQueue({ connectionString, schema: 'later_queue' })
  const consumer = await record(queue)
  await queue.ring(wake('before'))
  await expect.poll(() => consumer.threads(), { timeout: 20_000 }).toEqual(['before'])
  await later.prepare()
  await queue.ring(wake('after'))
  await expect.poll(() => consumer.threads(), { timeout: 20_000 }).toEqual(['before', 'after'])
  expect(process.exitCode).toBeUndefined()
  await Promise.all([queue, later].map((each) => each.close()))
})
