import { describe, expect, it } from 'vitest'
import { postgresQueue } from '../../src/queue/postgres/queue.ts'
import { postgresStore } from '../../src/store/postgres/store.ts'
import { record } from '../../src/testing/queue-suite/tools.ts'
import { entry, opening, requestRow } from '../../src/testing/store-suite/tools.ts'
import { routeOf } from '../../src/worker/shared/routes.ts'
import { freshSchema, useAdmin, usePostgres } from '../support/servers/use-postgres.ts'

const server = usePostgres()
const admin = useAdmin(server)
const PATIENCE = { timeout: 60_000 }

async function open({ lostAfterMs = 15_000 } = {}): Promise<{
  store: ReturnType<typeof postgresStore>
  queue: ReturnType<typeof postgresQueue>
  schema: string
}> {
  const { connectionString } = server.get()
  const storeSchema = freshSchema()
  const schema = `${storeSchema}_queue`
  const store = postgresStore({ connectionString, schema: storeSchema })
  await store.read('none')
  const queue = postgresQueue({ connectionString, schema, storeSchema, timeoutMs: 20_000, lostAfterMs })
  await queue.prepare()
  return { store, queue, schema }
}

describe('a store whose outbox rings the queue', () => {
  it('spares the workers their rings from when the trigger is there', async () => {
    const { store, queue } = await open()
    const { connectionString } = server.get()
    const unprepared = postgresQueue({ connectionString, schema: freshSchema(), storeSchema: freshSchema() })
    const alone = postgresQueue({ connectionString, schema: freshSchema() })
    try {
      await alone.prepare()
      expect([queue, unprepared, alone].map(({ isRungByStore }) => isRungByStore)).toEqual([true, false, false])
    } finally {
      for (const each of [queue, unprepared, alone]) await each.close()
      await store.close()
    }
  })

  it('rings in the transaction of an append, at the wake mark of the thread and on the route of its run', async () => {
    const { store, queue } = await open()
    const runs: [string, string, string | null][] = [
      ['t1', 'mail', '1.0.0'],
      ['t2', 'mail', null],
      ['t3', "ü %/:@ it's (1)", '\u{1f600}~!*'],
    ]
    try {
      const consumer = await record(
        queue,
        runs.map(([, agent, version]) => routeOf(agent, version)),
      )
      for (const [threadId, agent, version] of runs) {
        await store.append({
          threadId,
          entries: [entry(1)],
          run: { agent, version },
          wake: { op: 'by', inMs: 0, tell: true },
        })
      }
      await expect.poll(() => consumer.threads().sort(), PATIENCE).toEqual(['t1', 't2', 't3'])
      for (const [threadId, agent, version] of runs) {
        expect(consumer.seen).toContainEqual({ tenantId: store.tenantId, threadId, route: routeOf(agent, version) })
      }
    } finally {
      await queue.close()
      await store.close()
    }
  })

  it('rings for a decided request, not before its undo window, and not for an opened one', async () => {
    const { store, queue } = await open()
    try {
      const at: number[] = []
      const consumer = await record(queue, 'mail@1', { handle: async () => void at.push(performance.now()) })
      const row = requestRow(1)
      await store.append({ ...opening('t', row), run: { agent: 'mail', version: '1' }, wake: { op: 'by', inMs: 0 } })
      await store.append({ threadId: 't', entries: [], version: 1, wake: { op: 'set', at: null } })
      const began = performance.now()
      const decided = await store.append({
        threadId: 't',
        entries: [entry(2)],
        requests: [{ op: 'change', entry: 0, id: row.id, from: 1, status: 'decided' }],
        wake: { op: 'by', inMs: 1500 },
      })
      expect(decided).toMatchObject({ ok: true })
      await expect.poll(() => consumer.threads(), PATIENCE).toEqual(['t'])
      expect(at[0]! - began).toBeGreaterThanOrEqual(1500 - 5)
    } finally {
      await queue.close()
      await store.close()
    }
  })

  it('rings one queue: a second one is refused, and the first is rung as before', async () => {
    const { store, queue, schema } = await open()
    const { connectionString } = server.get()
    const storeSchema = schema.replace('_queue', '')
    const again = postgresQueue({ connectionString, schema, storeSchema, timeoutMs: 20_000 })
    const second = postgresQueue({ connectionString, schema: `${schema}_2`, storeSchema, timeoutMs: 20_000 })
    const wakeUp = { tenantId: store.tenantId, threadId: 't', route: 'mail' }
    try {
      const message = `The store in the schema ${storeSchema} rings the queue in the schema ${schema}, and`
      const refused = { code: 'queue_failed', message: expect.stringContaining(message) }
      await expect(second.prepare()).rejects.toMatchObject(refused)
      await expect(second.ring(wakeUp)).rejects.toMatchObject(refused)
      expect(second.isRungByStore).toBe(false)
      await again.prepare()
      const consumer = await record(queue, 'mail')
      await store.append({
        ...{ threadId: 't', entries: [entry(1)], run: { agent: 'mail', version: null } },
        wake: { op: 'by', inMs: 0, tell: true },
      })
      await expect.poll(() => consumer.threads(), PATIENCE).toEqual(['t'])
      await admin.get().query(`DROP TRIGGER holdpoint_ring ON "${storeSchema}".outbox`)
      await second.prepare()
      expect(second.isRungByStore).toBe(true)
    } finally {
      for (const each of [queue, again, second]) await each.close()
      await store.close()
    }
  })

  it('rings one queue also if several are prepared at once', async () => {
    const { connectionString } = server.get()
    const storeSchema = freshSchema()
    const store = postgresStore({ connectionString, schema: storeSchema })
    await store.read('none')
    const queues = ['one', 'two', 'three'].map((name) =>
      postgresQueue({ connectionString, schema: `${storeSchema}_${name}`, storeSchema, timeoutMs: 20_000 }),
    )
    try {
      const outcomes = await Promise.allSettled(queues.map((queue) => queue.prepare()))
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
    } finally {
      for (const each of queues) await each.close()
      await store.close()
    }
  })

  it.each([
    ['the schema of the queue is dropped', (schema: string) => `DROP SCHEMA "${schema}" CASCADE`],
    [
      'the trigger is gone, as after the store was restored without it',
      (schema: string) => `DROP TRIGGER holdpoint_ring ON "${schema.replace('_queue', '')}".outbox`,
    ],
  ])('rings again soon after %s', async (_what, drop) => {
    const { store, queue, schema } = await open({ lostAfterMs: 1500 })
    const told: unknown[] = []
    const append = (threadId: string) =>
      store.append({
        ...{ threadId, entries: [entry(1)], run: { agent: 'mail', version: null } },
        wake: { op: 'by', inMs: 0, tell: true },
      })
    try {
      const consumer = await record(queue, 'mail', { onError: (error) => told.push(error) })
      await append('before')
      await expect.poll(() => consumer.threads(), PATIENCE).toEqual(['before'])
      await admin.get().query(drop(schema))
      const trigger = `SELECT count(*)::int AS n FROM pg_trigger WHERE tgname = 'holdpoint_ring' AND tgrelid = '"${schema.replace('_queue', '')}".outbox'::regclass`
      await expect.poll(async () => (await admin.get().query(trigger)).rows[0].n, PATIENCE).toBe(1)
      expect(queue.isRungByStore).toBe(true)
      await append('after')
      await expect.poll(() => consumer.threads(), PATIENCE).toEqual(['before', 'after'])
    } finally {
      await queue.close()
      await store.close()
    }
  })

  it('is rung by hand also if its schema was dropped meanwhile', async () => {
    const { store, queue, schema } = await open()
    const wakeUp = { tenantId: store.tenantId, threadId: 't', route: 'mail' }
    try {
      await queue.ring(wakeUp)
      await admin.get().query(`DROP SCHEMA "${schema}" CASCADE`)
      await queue.ring({ ...wakeUp, threadId: 'u' })
      const consumer = await record(queue, 'mail')
      await expect.poll(() => consumer.threads(), PATIENCE).toEqual(['u'])
    } finally {
      await queue.close()
      await store.close()
    }
  })

  it('accepts the append although the queue is broken', async () => {
    const { store, queue, schema } = await open()
    try {
      await admin.get().query(`DROP SCHEMA "${schema}" CASCADE`)
      const append = {
        threadId: 't',
        entries: [entry(1)],
        run: { agent: 'mail', version: null },
        wake: { op: 'by' as const, inMs: 0, tell: true as const },
      }
      expect(await store.append(append)).toMatchObject({ ok: true })
      expect((await store.ready()).threads).toMatchObject([{ threadId: 't', agent: 'mail' }])
    } finally {
      await queue.close()
      await store.close()
    }
  })
})
