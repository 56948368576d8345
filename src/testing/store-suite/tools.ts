import assert from 'node:assert/strict'
import type { Append, AppendOutcome, Conflict, GrantRow, RequestRow, Store } from '../../ports/store.ts'
import type { RequestPage, RequestQuery } from '../../ports/store-lists.ts'
import type { HarnessOptions, StoreHarness } from './store-case.ts'

/** Runs a check on a fresh store and closes it afterwards. */
export async function onFreshStore(
  harness: StoreHarness,
  check: (store: Store) => Promise<void>,
  options?: HarnessOptions,
): Promise<void> {
  const store = await harness.create(options)
  try {
    await check(store)
  } finally {
    await store.close()
  }
}

/** Runs a check on two handles of the same data. */
export async function onTwoHandles(
  harness: StoreHarness,
  check: (first: Store, second: Store) => Promise<void>,
): Promise<void> {
  await onFreshStore(harness, async (first) => {
    const second = await reopen(harness, first)
    try {
      await check(first, second)
    } finally {
      await second.close()
    }
  })
}

/** Opens a second handle. Fails with advice if the harness cannot. */
export function reopen(harness: StoreHarness, store: Store): Promise<Store> {
  if (!harness.reopen)
    throw new Error('this harness has no reopen(): skip the case with a reason if the store is not durable')
  return harness.reopen(store)
}

/** A small entry with a recognisable name. */
export function entry(name: string | number): string {
  return JSON.stringify({ v: 1, type: 'test', name })
}

/** A request id that sorts by its number, as UUIDv7 does by time. */
export function requestId(n: number): string {
  return `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
}

/** A row of the request index. */
export function requestRow(n: number, row: Partial<RequestRow> = {}): RequestRow {
  return {
    id: requestId(n),
    questionId: `call_${n}`,
    kind: 'approve',
    agent: 'support',
    tool: 'refund',
    assignee: null,
    expiresAt: null,
    readers: null,
    lists: null,
    risk: null,
    text: '',
    ...row,
  }
}

/** An append that opens one request. */
export function opening(threadId: string, row: RequestRow): Append {
  return { threadId, entries: [entry(`open ${row.id}`)], requests: [{ op: 'open', entry: 0, row }] }
}

/** A grant id that sorts by its number. */
export function grantId(n: number): string {
  return `01900000-0000-7000-9000-${n.toString(16).padStart(12, '0')}`
}

/** A grant without limits, for the run `r1` of the agent `support`. */
export function grantRow(n: number, row: Partial<GrantRow> = {}): GrantRow {
  return {
    id: grantId(n),
    scope: 'run',
    run: 'r1',
    agent: 'support',
    tool: 'refund',
    uses: null,
    cap: null,
    expiresAt: null,
    used: 0,
    spent: 0,
    ...row,
  }
}

/** An append that creates one grant. */
export function giving(threadId: string, row: GrantRow, ttlMs?: number): Append {
  const change = { op: 'create', entry: 0, row, ...(ttlMs === undefined ? {} : { ttlMs }) } as const
  return { threadId, entries: [entry(`give ${row.id}`)], grants: [change] }
}

/** An append that spends one use of a grant. */
export function spending(threadId: string, n: number, amount?: number): Append {
  const change = { op: 'spend', id: grantId(n), ...(amount === undefined ? {} : { amount }) } as const
  return { threadId, entries: [entry(`spend ${n}`)], grants: [change] }
}

/** Appends, and fails unless it is accepted. */
export async function accepted(store: Store, append: Append): Promise<Extract<AppendOutcome, { ok: true }>> {
  const outcome = await store.append(append)
  assert.equal(outcome.ok, true, `refused: ${JSON.stringify(outcome)}`)
  return outcome as Extract<AppendOutcome, { ok: true }>
}

/** Appends, and fails unless it is refused with this kind of conflict. */
export async function refused<K extends Conflict['kind']>(
  store: Store,
  append: Append,
  kind: K,
): Promise<Extract<Conflict, { kind: K }>> {
  const outcome = await store.append(append)
  assert.equal(outcome.ok, false, 'it was accepted')
  const { conflict } = outcome as Extract<AppendOutcome, { ok: false }>
  assert.equal(conflict.kind, kind)
  return conflict as Extract<Conflict, { kind: K }>
}

/** Fails unless a thread holds exactly these bodies, numbered without gaps. */
export async function assertBodies(store: Store, threadId: string, bodies: readonly string[]): Promise<void> {
  const slice = await store.read(threadId)
  assert.deepEqual(
    slice.entries.map(({ seq, body }) => ({ seq, body })),
    bodies.map((body, index) => ({ seq: index + 1, body })),
  )
  assert.equal(slice.version, bodies.length)
}

/** All pages of a query. Fails if one exceeds its limit. */
export async function allPages(store: Store, query: RequestQuery): Promise<RequestPage[]> {
  const pages: RequestPage[] = []
  let cursor: string | undefined
  do {
    const page = await store.findRequests(cursor === undefined ? query : { ...query, cursor })
    assert.ok(page.requests.length <= (query.limit ?? 50), 'a page is longer than its limit')
    pages.push(page)
    cursor = page.next
    assert.ok(pages.length < 1000, 'the pages never end')
  } while (cursor !== undefined)
  return pages
}

/** The ids of all pages of a query. */
export async function allIds(store: Store, query: RequestQuery): Promise<string[]> {
  return (await allPages(store, query)).flatMap((page) => page.requests.map((request) => request.id))
}

/** Whether a promise is still pending after a while. */
export async function isPending(promise: Promise<unknown>, ms = 150): Promise<boolean> {
  return (await within(promise, ms)) === 'late'
}

/** Fails unless a promise settles soon. */
export async function soon<T>(promise: Promise<T>): Promise<T> {
  const outcome = await within(promise, 5000)
  if (outcome === 'late') throw new assert.AssertionError({ message: 'it did not settle within 5 s' })
  return outcome.value
}

async function within<T>(promise: Promise<T>, ms: number): Promise<{ value: T } | 'late'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, ms, 'late')
  })
  try {
    return await Promise.race([promise.then((value) => ({ value })), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Invalid tenant ids: empty, not a string, too long, or changed or refused by databases. */
export const noTenantIds: readonly unknown[] = [
  '',
  undefined,
  null,
  0,
  {},
  ['acme'],
  'x'.repeat(201),
  'a\u0000b',
  'a\ud800b',
]
