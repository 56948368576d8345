import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RecordChange } from '../../../src/ports/records.ts'
import type { Append, GrantChange, LeaseChange, RequestChange, Store } from '../../../src/ports/store.ts'
import type { RequestCount, RequestQuery } from '../../../src/ports/store-lists.ts'
import { HoldpointError } from '../../../src/protocol/errors/errors.ts'
import { memoryStore } from '../../../src/store/memory/store.ts'
import { sqliteStore } from '../../../src/store/sqlite/store.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import { entry, grantId, grantRow, requestId, requestRow } from '../../../src/testing/store-suite/tools.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'
import { soak } from '../../support/soak.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'
import { temporaryFolder } from '../sqlite/harness.ts'

/**
 * The guards are written twice: for all stores in store/shared/guards.ts, and in SQL for Postgres. Whatever is appended, in whatever order,
 * the stores must say the same.
 */
const server = usePostgres()
const clock = fakeClock()
let stores: Record<'memory' | 'sqlite' | 'postgres', Store>
beforeAll(() => {
  stores = {
    memory: memoryStore({ clock }),
    sqlite: sqliteStore({ path: join(temporaryFolder(), 'store.db'), durability: 'process', clock }),
    postgres: unsyncedPostgres({ connectionString: server.get().connectionString, schema: freshSchema(), clock }),
  }
})
afterAll(() => Promise.all(Object.values(stores).map((store) => store.close())))

const small = fc.integer({ min: 0, max: 4 })
const ttlMs = fc.constantFrom(0, -1, 5, 10, 1000, 0.5)
const holder = fc.constantFrom('a', 'b')
const leases: fc.Arbitrary<LeaseChange> = fc.oneof(
  fc.record({ op: fc.constant('take' as const), holder, ttlMs }),
  fc.record({
    op: fc.constant('take' as const),
    holder,
    ttlMs,
    over: fc.record({ holder, token: small }),
    thenDrop: fc.boolean(),
  }),
  fc.record({ op: fc.constant('hold' as const), holder, token: small }),
  fc.record({ op: fc.constant('hold' as const), holder, token: small, thenDrop: fc.boolean() }),
  fc.record({ op: fc.constant('drop' as const), holder, token: small }),
)
const requests: fc.Arbitrary<RequestChange & { inMs?: number | undefined }> = fc.oneof(
  fc
    .record({
      n: small,
      tool: fc.constantFrom('refund', null),
      assignee: fc.constantFrom('ann', null),
      risk: fc.constantFrom('low' as const, 'high' as const, null),
      reviewed: fc.constantFrom(
        { readers: null, lists: null },
        { readers: [], lists: null },
        { readers: ['user:ann'], lists: null },
        { readers: ['user:ann', 'group:b"c'], lists: null },
        { readers: ['user:ann', 'group:b"c'], lists: [['user:ann'], ['group:b"c', 'user:ann']] },
        { readers: ['user:ann', 'group:b"c'], lists: [['user:ann'], ['group:b"c']] },
      ),
      text: fc.constantFrom('', 'hello', 'hello world'),
      entry: small,
      dueIn: fc.constantFrom(null, -5, 0, 4, 1000),
    })
    .map(({ n, entry, dueIn, reviewed, ...row }) => ({
      op: 'open' as const,
      entry,
      row: requestRow(n, { ...row, ...reviewed, expiresAt: dueIn === null ? null : clock.now() + dueIn }),
    })),
  fc
    .record({
      n: small,
      from: fc.integer({ min: 0, max: 3 }),
      entry: small,
      status: fc.constantFrom('open' as const, 'decided' as const, 'expired' as const),
      inMs: fc.option(fc.constantFrom(-1, 0, 1, 1000, Number.POSITIVE_INFINITY), { nil: undefined }),
      drop: fc.boolean(),
    })
    .map(({ n, drop, ...rest }) => ({
      op: 'change' as const,
      id: requestId(n),
      ...rest,
      ...(drop ? { dropDeadline: true as const } : {}),
    })),
  fc
    .record({
      n: small,
      assignee: fc.constantFrom('ann', 'bob', null),
      ttlMs: fc.option(fc.constantFrom(1, 5, 1000), { nil: undefined }),
      claim: fc.boolean(),
    })
    .map(({ n, assignee, ttlMs, claim }) => ({
      op: 'assign' as const,
      id: requestId(n),
      assignee,
      ...(ttlMs === undefined ? {} : { ttlMs }),
      ...(claim ? { claim: true as const } : {}),
    })),
  small.map((n) => ({ op: 'comment' as const, id: requestId(n) })),
)
const expect0 = fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined })
const records: fc.Arbitrary<RecordChange> = fc.oneof(
  fc
    .record({
      id: fc.constantFrom('a', 'b"', '\u{1f600}'),
      value: fc.constantFrom('1', '{"x":2}'),
      expect: expect0,
      ttlMs: fc.option(fc.constantFrom(1, 5, 1000), { nil: undefined }),
    })
    .map(({ id, value, expect, ttlMs }) => ({
      op: 'put' as const,
      kind: 'k',
      id,
      value,
      ...(expect === undefined ? {} : { expect }),
      ...(ttlMs === undefined ? {} : { ttlMs }),
    })),
  fc
    .record({ id: fc.constantFrom('a', 'b"'), expect: expect0 })
    .map(({ id, expect }) => ({ op: 'delete' as const, kind: 'k', id, ...(expect === undefined ? {} : { expect }) })),
)
const grants: fc.Arbitrary<GrantChange> = fc.oneof(
  fc
    .record({
      n: small,
      entry: small,
      scope: fc.constantFrom('run' as const, 'thread' as const, 'agent' as const, 'tenant' as const),
      uses: fc.constantFrom(null, 1, 2),
      cap: fc.constantFrom(null, 0.3, 10),
      expires: fc.constantFrom(null, -5, 5, 1000),
      ttlMs: fc.option(fc.constantFrom(0, 4, 10), { nil: undefined }),
    })
    .map(({ n, entry, ttlMs, expires, ...row }) => ({
      op: 'create' as const,
      entry,
      row: grantRow(n, { ...row, expiresAt: expires === null ? null : clock.now() + expires }),
      ...(ttlMs === undefined ? {} : { ttlMs }),
    })),
  fc
    .record({ n: small, amount: fc.option(fc.constantFrom(0, 0.1, 0.2, 4), { nil: undefined }) })
    .map(({ n, amount }) => ({ op: 'spend' as const, id: grantId(n), ...(amount === undefined ? {} : { amount }) })),
  fc.record({ n: small, entry: small }).map(({ n, entry }) => ({ op: 'revoke' as const, entry, id: grantId(n) })),
)
const place = { tenant: fc.constantFrom('x', 'y'), threadId: fc.constantFrom('t', 'u "\\\n') }
const anyAppend = fc.record({
  kind: fc.constant('append' as const),
  ...place,
  count: fc.integer({ min: 0, max: 3 }),
  version: fc.option(small, { nil: undefined }),
  head: fc.option(fc.constantFrom('now', 'before', 'never'), { nil: undefined }),
  lease: fc.option(leases, { nil: undefined }),
  requests: fc.option(fc.array(requests, { maxLength: 4 }), { nil: undefined }),
  grants: fc.option(fc.array(grants, { minLength: 1, maxLength: 4 }), { nil: undefined, freq: 1 }),
  records: fc.option(fc.array(records, { minLength: 1, maxLength: 4 }), { nil: undefined, freq: 2 }),
})
const steps = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('many' as const),
      appends: fc.array(anyAppend, { minLength: 3, maxLength: 6 }),
    }),
  },
  { weight: 8, arbitrary: anyAppend },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      ...place,
      count: fc.integer({ min: 1, max: 2 }),
      version: fc.constant(undefined),
      head: fc.constant(undefined),
      lease: fc.constant(undefined),
      requests: fc.constant(undefined),
      grants: fc.array(grants, { minLength: 1, maxLength: 3 }),
      records: fc.constant(undefined),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      ...place,
      count: fc.integer({ min: 1, max: 2 }),
      version: fc.constant(undefined),
      head: fc.constant(undefined),
      lease: fc.constant(undefined),
      requests: fc.array(requests, { minLength: 1, maxLength: 3 }),
      grants: fc.constant(undefined),
      records: fc.constant(undefined),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('records' as const),
      ...place,
      changes: fc.array(records, { maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('renew' as const), ...place, holder, token: small, ttlMs }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.constantFrom(1, 4, 5, 10, 1000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('find' as const),
      ...place,
      query: fc.record(
        {
          status: fc.constantFrom('open', 'decided', 'closed'),
          kind: fc.constantFrom('approve', 'ask'),
          risk: fc.constantFrom('low', 'high'),
          readers: fc.constantFrom([], ['*'], ['user:ann'], ['group:b"c', '*']),
          satisfiedBy: fc.constantFrom([], ['user:ann'], ['user:ann', 'group:b"c'], ['group:b"c']),
          order: fc.constantFrom('opened', 'changed'),
          assignedTo: fc.constantFrom('ann', 'bob'),
          notAssignedToOthers: fc.constantFrom('ann', 'bob'),
          text: fc.constantFrom('', 'HELLO', 'world hello'),
          tool: fc.constant('refund'),
          assignee: fc.constant('ann'),
          limit: fc.constantFrom(1, 3),
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<RequestQuery>,
    }),
  },
)
type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never

/** Entries beyond those that there are are wanted sometimes: all stores must throw the same. */
function toAppend(step: Extract<Step, { kind: 'append' }>, n: number): Append {
  const changes = step.requests?.map((change): RequestChange => {
    if (change.op === 'assign' || change.op === 'comment') return change
    const index = step.count === 0 ? change.entry : change.entry % (step.count + (change.entry === 4 ? 1 : 0))
    if (change.op === 'open') return { ...change, entry: index }
    const { inMs, ...rest } = change
    return { ...rest, entry: index, ...(inMs === undefined ? {} : { before: clock.now() + inMs }) }
  })
  return {
    threadId: step.threadId,
    entries: Array.from({ length: step.count }, (_, i) => entry(`${n}.${i}`)),
    ...(step.version === undefined ? {} : { version: step.version }),
    ...(step.lease ? { lease: step.lease } : {}),
    ...(changes ? { requests: changes } : {}),
    ...(step.records ? { records: step.records } : {}),
    ...(step.grants
      ? { grants: step.grants.map((change) => (change.op === 'spend' ? change : { ...change, entry: 0 })) }
      : {}),
  }
}

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
        const outcome = await store.append(head === undefined ? append! : { ...append!, head })
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
    'input_invalid',
  ]) {
    expect(seen.get(kind) ?? 0, `${kind} in ${JSON.stringify([...seen])}`).toBeGreaterThan(soak.times(5, 80))
  }
})
