import { callThreads } from '../desk/conversations.ts'
import { parseActor } from '../desk/record/on-record.ts'
import type { Store } from '../ports/store.ts'
import type { ThreadName } from '../ports/store-lists.ts'
import { requireStore } from '../protocol/checks/check-options.ts'
import { requireOptions } from '../protocol/checks/known-options.ts'
import type { Actor } from '../protocol/decision.ts'
import { HoldpointError, InputInvalid } from '../protocol/errors/errors.ts'
import { isOwnThread, isThreadId, parseTenantId, parseThreadId } from '../protocol/ids.ts'
import { isWellFormed } from '../protocol/json/json.ts'
import { recordErasures, removeTraces } from './complete.ts'
import { type ErasedThread, type Erasing, eraseThread } from './erase-thread.ts'
import { announce, announced } from './pending.ts'

/**
 * What to erase: one thread of the store's tenant or one conversation of a gate's host (its own name of it, or `gate/SOURCE/CONVERSATION`), all threads of a tenant, or all threads that were last written so long ago (of a tenant, or of all
 * tenants).
 */
type EraseTarget =
  | { threadId: string; tenantId?: never; olderThanMs?: never }
  | { threadId?: never; tenantId: string; olderThanMs?: number }
  | { threadId?: never; tenantId?: never; olderThanMs: number }

/** What to erase, by whom and why. */
export type EraseOptions = EraseTarget & {
  /** Goes on record. */
  by: string | Actor
  /** Goes on record: 1 to 500 characters. */
  reason: string
  /** Aborts runs that are not over, and closes their requests. Default `false`: such threads are not erased. */
  abort?: boolean
  /** Erases nothing, and returns what would be erased. */
  dryRun?: boolean
  /** Ends it early, between two threads. */
  signal?: AbortSignal
}

/** What was erased, and what was not. */
export interface Erased {
  erased: ErasedThread[]
  /** Threads that were left as they are: somebody drives them (`thread_busy`), they are not over (`thread_open`), or they cannot be read. */
  refused: { tenantId: string; threadId: string; error: HoldpointError }[]
}

const WHAT = 'erase()'
const LONGEST_REASON = 500
const PAGE = 100
/** How long rows of the outbox are kept. */
const OUTBOX_MS = 7 * 86_400_000

/**
 * Erases the content of threads: bodies, requests, grants, notes, dead letters, idempotency keys and deliveries of webhooks. Hash chains still verify.
 * Who erased what and why is recorded in the chain of each thread and in the thread `~erasures` of its tenant. If it is interrupted, run it again.
 * Calls of gates go with the records about them. A single thread that cannot be erased throws `ThreadNotFound`, `ThreadBusy` or `ThreadOpen`; others are listed as `refused`.
 */
export async function erase(store: Store, options: EraseOptions): Promise<Erased> {
  requireStore(WHAT, store)
  const how = parse(options)
  const done: Erased = { erased: [], refused: [] }
  if (options.threadId !== undefined) {
    await eraseOne(store, { threadId: options.threadId, how }, done)
  } else await eraseMany(store, { ...options, how }, done)
  if (!how.dryRun) await finish(store, await tenantsOf(store, options))
  return done
}

/** Erases a thread, or all calls of a host's conversation. */
async function eraseOne(store: Store, { threadId: name, how }: { threadId: string; how: Erasing }, done: Erased) {
  const { tenantId } = store
  const calls = await callThreads(store, String(name))
  if (calls.length > 0) {
    for (const threadId of calls) await eraseNamed(store, { tenantId, threadId, how }, done)
    if (!isThreadId(name) || (await store.read(name)).version === 0) return
  }
  const threadId = parseThreadId(name)
  if (!how.dryRun) await announce(store)
  const erased = await eraseThread(store, threadId, how)
  if (erased) done.erased.push(erased)
}

/** Erases one page of threads of all tenants that were last written before a time, for the retention sweep. */
export async function erasePage(
  store: Store,
  { after, how }: { after: ThreadName | undefined; how: Erasing & { before: number } },
): Promise<Erased & { next?: ThreadName }> {
  const { before } = how
  const page = await store.threads({ limit: PAGE, before, ...(after ? { after } : {}) })
  const done: Erased = { erased: [], refused: [] }
  for (const name of page.threads) await eraseNamed(store, { ...name, how }, done)
  return page.next ? { ...done, next: page.next } : done
}

/**
 * Completes what was begun in these tenants, also by processes that died: removes traces, then what files keep of deleted rows, then records what was
 * erased.
 */
export async function finish(store: Store, tenants: readonly string[]): Promise<void> {
  let threads = 0
  for (const tenantId of tenants) threads += await removeTraces(store.tenant(tenantId))
  if (threads === 0) return
  // Expired records are found by nobody, and are rows until they are pruned.
  await store.prune({ outboxMs: OUTBOX_MS })
  await store.scrub()
  for (const tenantId of tenants) await recordErasures(store.tenant(tenantId))
}

async function tenantsOf(store: Store, { threadId, tenantId }: EraseOptions): Promise<string[]> {
  if (threadId !== undefined) return [store.tenantId]
  return tenantId === undefined ? announced(store) : [tenantId]
}

async function eraseMany(
  store: Store,
  { tenantId, olderThanMs, signal, how }: Omit<EraseOptions, 'threadId'> & { how: Erasing },
  done: Erased,
): Promise<void> {
  const { now } = await store.queue()
  const before = olderThanMs === undefined ? Number.MAX_SAFE_INTEGER : now - olderThanMs
  let after: ThreadName | undefined = tenantId === undefined ? undefined : { tenantId, threadId: '' }
  do {
    const page: Awaited<ReturnType<Store['threads']>> = await store.threads({
      limit: PAGE,
      before,
      ...(after ? { after } : {}),
    })
    for (const name of page.threads) {
      if (signal?.aborted || (tenantId !== undefined && name.tenantId !== tenantId)) return
      await eraseNamed(store, { ...name, how: { ...how, before } }, done)
    }
    after = page.next
  } while (after && (tenantId === undefined || after.tenantId === tenantId))
}

async function eraseNamed(
  all: Store,
  { tenantId, threadId, how }: ThreadName & { how: Erasing },
  done: Erased,
): Promise<void> {
  // Notes are erased with the thread of their request; the record of erasures stays.
  if (isOwnThread(threadId)) return
  const store = all.tenant(tenantId)
  try {
    if (!how.dryRun && !done.erased.some((each) => each.tenantId === tenantId)) await announce(store)
    const erased = await eraseThread(store, threadId, how)
    if (erased) done.erased.push(erased)
  } catch (error) {
    if (!HoldpointError.isInstance(error) || !ONE_THREAD.has(error.code)) throw error
    done.refused.push({ tenantId, threadId, error })
  }
}

/** Failures of one thread, which must not hold up others. */
const ONE_THREAD: ReadonlySet<string> = new Set([
  ...['thread_busy', 'thread_open', 'thread_not_found', 'journal_invalid', 'store_corrupt', 'store_contended'],
  'audit_key_missing',
])

function parse(options: EraseOptions): Erasing {
  requireOptions(WHAT, options, ['threadId', 'tenantId', 'olderThanMs', 'by', 'reason', 'abort', 'dryRun', 'signal'])
  const { threadId, tenantId, olderThanMs, reason, abort = false, dryRun = false } = options
  const isOne = threadId !== undefined
  if (isOne === (tenantId !== undefined || olderThanMs !== undefined))
    throw new InputInvalid(`${WHAT} needs a threadId, or a tenantId or olderThanMs or both.`)
  if (tenantId !== undefined) parseTenantId(tenantId)
  if (olderThanMs !== undefined && !(Number.isSafeInteger(olderThanMs) && olderThanMs >= 0))
    throw new InputInvalid(`olderThanMs of ${WHAT} must be a number of milliseconds from 0, not ${olderThanMs}.`)
  const isReason = typeof reason === 'string' && reason.trim() !== '' && isWellFormed(reason)
  if (!isReason || reason.length > LONGEST_REASON)
    throw new InputInvalid(`${WHAT} needs a reason of 1 to ${LONGEST_REASON} characters.`)
  for (const [name, value] of Object.entries({ abort, dryRun }))
    if (typeof value !== 'boolean') throw new InputInvalid(`${name} of ${WHAT} must be true or false.`)
  return { by: parseActor(options.by), reason, abort, dryRun }
}
