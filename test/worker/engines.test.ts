import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { Queue } from '../../src/ports/queue.ts'
import type { Store } from '../../src/ports/store.ts'
import { bullmqQueue } from '../../src/queue/bullmq/queue.ts'
import { postgresQueue } from '../../src/queue/postgres/queue.ts'
import { postgresStore } from '../../src/store/postgres/store.ts'
import { enqueueRun } from '../../src/worker/enqueue-run.ts'
import { type RedisServer, startRedis } from '../support/servers/redis-server.ts'
import { freshSchema, usePostgres } from '../support/servers/use-postgres.ts'
import { until } from '../support/until.ts'
import { asked, decide, over, payer, type Scene, scene } from './scene.ts'

const postgres = usePostgres()
let redis: RedisServer

beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.remove())

function storeOn(schema: string): Store {
  return postgresStore({ connectionString: postgres.get().connectionString, schema, onWarning: () => undefined })
}

function redisQueue(prefix: string): Queue {
  return bullmqQueue({ connection: redis.url, prefix, timeoutMs: 2000 })
}

const threads = Array.from({ length: 6 }, (_, i) => `t${i}`)

/** Two workers, each with its own connection to the queue, that note what they paid. */
async function twoWorkers({ start }: Scene, open: () => Queue) {
  const paid: string[] = []
  const agent = payer({ pay: ({ threadId }) => paid.push(threadId) })
  for (let i = 0; i < 2; i++) {
    const queue = open()
    onTestFinished(() => queue.close())
    await start(agent, { queue, sweepMs: 200 })
  }
  return { paid, agent }
}

it('workers on Postgres and Redis resume every decision, although Redis forgets everything twice', async () => {
  const place = scene({ store: storeOn(freshSchema()), queue: redisQueue('{forgets}') })
  const { store } = place
  const { paid, agent } = await twoWorkers(place, () => redisQueue('{forgets}'))
  const client = new Redis(redis.url)
  onTestFinished(() => client.disconnect())
  await Promise.all(threads.map((threadId) => enqueueRun(store, { agent, threadId, input: 'pay' })))
  await client.flushall()
  for (const threadId of threads) await asked(store, threadId)
  await Promise.all(threads.map((threadId) => decide(store, threadId)))
  await client.flushall()
  await over(store, ...threads)
  expect(paid.sort()).toEqual(threads)
})

it('workers go on while Redis is away, and hear it again afterwards', async () => {
  const place = scene({ store: storeOn(freshSchema()), queue: redisQueue('{away}') })
  const { store, events } = place
  const { paid, agent } = await twoWorkers(place, () => redisQueue('{away}'))
  await redis.crash()
  await Promise.all(threads.map((threadId) => enqueueRun(store, { agent, threadId, input: 'pay' })))
  for (const threadId of threads) await decide(store, threadId)
  await over(store, ...threads)
  await until(() => events.some(({ type }) => type === 'error'))
  await redis.start()
  await enqueueRun(store, { agent, threadId: 'after', input: 'pay' })
  await decide(store, 'after')
  await over(store, 'after')
  expect(paid.sort()).toEqual(['after', ...threads].sort())
})

it('workers on Postgres alone resume every decision', async () => {
  const { connectionString } = postgres.get()
  const [schema, storeSchema] = [freshSchema(), freshSchema()]
  const place = scene({ store: storeOn(storeSchema), queue: postgresQueue({ connectionString, schema }) })
  const { store } = place
  await store.read('none')
  const setUp = postgresQueue({ connectionString, schema, storeSchema })
  await setUp.prepare()
  await setUp.close()
  const { paid, agent } = await twoWorkers(place, () => postgresQueue({ connectionString, schema, storeSchema }))
  await Promise.all(threads.map((threadId) => enqueueRun(store, { agent, threadId, input: 'pay' })))
  await Promise.all(threads.map((threadId) => decide(store, threadId)))
  await over(store, ...threads)
  expect(paid.sort()).toEqual(threads)
})
