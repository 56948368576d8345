import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Append, Store } from '../../../src/ports/store.ts'
import type { ReadyThread, RequestCount, RequestQuery } from '../../../src/ports/store-lists.ts'
import { HoldpointError } from '../../../src/protocol/errors/errors.ts'
import { memoryStore } from '../../../src/store/memory/store.ts'
import { sqliteStore } from '../../../src/store/sqlite/store.ts'
import { requestId } from '../../../src/testing/store-suite/tools.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'
import { soak } from '../../support/soak.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'
import { temporaryFolder } from '../sqlite/harness.ts'
import { clock, type Step, steps, toAppend } from './any-steps.ts'

/**
 * The guards are written twice: for all stores in store/shared/guards.ts, and in SQL for Postgres. Whatever is appended, in whatever order,
 * the stores must say the same.
 */
const server = usePostgres()
let stores: Record<'memory' | 'sqlite' | 'postgres', Store>
beforeAll(() => {
  stores = {
    memory: memoryStore({ clock }),
    sqlite: sqliteStore({ path: join(temporaryFolder(), 'store.db'), durability: 'process', clock }),
    postgres: unsyncedPostgres({ connectionString: server.get().connectionString, schema: freshSchema(), clock }),
  }
})
afterAll(() => Promise.all(Object.values(stores).map((store) => store.close())))

async function headOf(store: Store, threadId: string, which: 'now' | 'before' | 'never'): Promise<string> {
  const { head, follows } = await store.read(threadId, { after: 1 })
  return { now: head, before: follows, never: 'never' }[which]
}

/** What a store said, with each head by the order in which the store first told it: what it looks like is its own. */
function withNamedHeads(said: unknown, names: Map<string, number>): unknown {
  const nameOf = (head: string) => names.get(head) ?? names.set(head, names.size).size - 1
  const text = JSON.stringify(said, (key, value) =>
    typeof value === 'string' && (key === 'head' || key === 'follows') ? nameOf(value) : value,
  )
  return text === undefined ? undefined : JSON.parse(text)
}

/** Appends at once, each to a tenant of its own: Postgres makes most of them with one transaction, the others one after the other. */
function doMany(store: Store, run: number, { appends }: Extract<Step, { kind: 'many' }>): Promise<unknown[]> {
  return Promise.all(appends.map((step, n) => doStep(store.tenant(`${run}m${n}`), step, toAppend(step, n))))
}

async function doStep(
  store: Store,
  step: Exclude<Step, { kind: 'many' }>,
  append: Append | undefined,
): Promise<unknown> {
  try {
    switch (step.kind) {
      case 'append': {
        const head = step.head && (await headOf(store, step.threadId, step.head))
        const version = step.version === 'now' ? (await store.read(step.threadId)).version : append!.version
        const outcome = await store.append({
          ...append!,
          ...(head === undefined ? {} : { head }),
          ...(version === undefined ? {} : { version }),
        })
        return [outcome, await store.read(step.threadId), await store.read(step.threadId, { after: 1 })]
      }
      case 'records':
        return [await store.writeRecords(step.changes), await store.findRecords({ kind: 'k' })]
      case 'renew':
        return [await store.renewLease(step.threadId, step), await store.read(step.threadId)]
      case 'find':
        return [
          await store.findRequests(step.query),
          await countOf(store, step.query),
          await store.threadsOf(step.query.readers ? { readers: step.query.readers } : {}),
          await store.threadsOf({ limit: 1 }),
          await store.readRecord('k', 'a'),
          await store.findRequests({ threadId: step.threadId }),
          await store.due({ limit: 500 }),
          await store.due({ limit: 1, after: { tenantId: step.tenant, id: requestId(1), expiresAt: clock.now() - 4 } }),
          await store.ready(),
          await store.ready({
            limit: 2,
            after: { ...since(clock.now() - 4), tenantId: store.tenantId, threadId: step.threadId },
          }),
          await store.queue(),
          await store.threads({ limit: 500 }),
          await store.threads({ limit: 1, after: { tenantId: step.tenant, threadId: step.threadId } }),
          await store.findGrants({ status: 'all' }),
          await store.findGrants({ threadId: step.threadId, limit: 1 }),
          await store.findGrants({
            reach: { threadId: step.threadId, run: 'r1', agents: ['support'], tools: ['refund'] },
          }),
        ]
      case 'advance':
        return undefined
    }
  } catch (error) {
    if (HoldpointError.isInstance(error)) return error.code
    throw error
  }
}

/** The place in the order of `ready` before all marks of this time. */
function since(at: number): ReadyThread {
  return { tenantId: '', threadId: '', at, tries: 0, agent: null, agentVersion: null }
}

function countOf(store: Store, { limit = 1000, ...query }: RequestQuery): Promise<RequestCount> {
  return store.countRequests(query, { limit })
}

/** What the outbox tells from a position on, without positions. Postgres tells it once earlier transactions of others are over. */
async function toldSince(store: Store, start: string, count: number): Promise<{ tenantId: string }[]> {
  const told: { tenantId: string }[] = []
  for (let after = start; told.length < count; ) {
    await store.outboxChanged({ after, signal: AbortSignal.timeout(5000) })
    const page = await store.outbox({ after, limit: 7 })
    expect(page.missed).toBe(false)
    if (page.rows.length === 0) break
    for (const { position: _, ...row } of page.rows) told.push(row)
    after = page.end
  }
  return told
}

/** Appends of different tenants that were made at once have no order. */
const byTenant = <T extends { tenantId: string }>(rows: readonly T[]): T[] =>
  [...rows].sort((a, b) => (a.tenantId < b.tenantId ? -1 : Number(a.tenantId > b.tenantId)))

let runs = 0

it('memory, SQLite and Postgres say the same to any sequence of appends', {
  timeout: soak.times(100_000, 600_000),
}, async () => {
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 40 }), async (sequence) => {
      const run = ++runs
      const all = [stores.memory, stores.sqlite, stores.postgres]
      const began = clock.now()
      const starts = await Promise.all(all.map(async (store) => (await store.outbox()).end))
      const names = [stores.memory, stores.sqlite, stores.postgres].map(() => new Map<string, number>())
      for (const [n, step] of sequence.entries()) {
        if (step.kind === 'advance') clock.advance(step.ms)
        const append = step.kind === 'append' ? toAppend(step, n) : undefined
        const tenant = `${run}${'tenant' in step ? step.tenant : ''}`
        const [memory, sqlite, postgres] = await Promise.all(
          [stores.memory, stores.sqlite, stores.postgres].map(async (store, i) =>
            withNamedHeads(
              await (step.kind === 'many' ? doMany(store, run, step) : doStep(store.tenant(tenant), step, append)),
              names[i]!,
            ),
          ),
        )
        expect(postgres).toEqual(memory)
        expect(sqlite).toEqual(memory)
        const said = JSON.stringify(memory)?.match(/"kind":"\w+"|"ok":true|input_invalid/)?.[0] ?? step.kind
        seen.set(said, (seen.get(said) ?? 0) + 1)
      }
      const told = (await stores.memory.outbox({ after: starts[0]!, limit: 1000 })).rows.map(
        ({ position: _, ...row }) => row,
      )
      for (const [i, store] of all.entries()) {
        expect(byTenant(await toldSince(store, starts[i]!, told.length))).toEqual(byTenant(told))
      }
      const [ready, ...others] = await Promise.all(all.map((store) => store.ready({ after: since(began) })))
      for (const other of others) expect(other).toEqual(ready)
      seen.set('ready', (seen.get('ready') ?? 0) + ready!.threads.length)
    }),
    soak.runs(40, 600),
  )
  for (const kind of [
    '"ok":true',
    '"kind":"lease"',
    '"kind":"version"',
    '"kind":"request"',
    '"kind":"grant"',
    '"kind":"record"',
    '"kind":"time"',
    'input_invalid',
    'ready',
  ]) {
    expect(seen.get(kind) ?? 0, `${kind} in ${JSON.stringify([...seen])}`).toBeGreaterThan(soak.times(5, 80))
  }
})
