import { randomBytes } from 'node:crypto'
import { apply } from '../core/fold/fold.ts'
import { emptyState, type Run, type ThreadState } from '../core/state.ts'
import { abortAppend } from '../desk/record/abort-append.ts'
import { appendUndriven } from '../desk/record/append-undriven.ts'
import { commit } from '../desk/record/commit.ts'
import type { RecordChange } from '../ports/records.ts'
import type { Append, Store, ThreadSlice } from '../ports/store.ts'
import { accountFor, ERASED_BODY } from '../protocol/chain/erase-chain.ts'
import { bookmarkId } from '../protocol/conversation.ts'
import type { Actor } from '../protocol/decision.ts'
import { parseBody } from '../protocol/entries/versions.ts'
import { isThreadErased, ThreadBusy, ThreadNotFound, ThreadOpen } from '../protocol/errors/errors.ts'
import { type PendingErasure, putPending } from './pending.ts'

/** Holds the lease meanwhile. */
const WHAT = 'erase'

/** Who erases, why, and what becomes of runs that are not over. */
export interface Erasing {
  readonly by: Actor
  readonly reason: string
  /** Aborts a run that is not over. Otherwise it is `ThreadOpen`. */
  readonly abort: boolean
  /** Only finds out what would be erased, or why not. */
  readonly dryRun: boolean
  /** Only threads that were last written before this time of the store. */
  readonly before?: number | undefined
}

/** A thread that was erased, or would be. */
export interface ErasedThread {
  tenantId: string
  threadId: string
  /** How many entries it had. */
  entries: number
  /** How many requests it had. */
  requests: number
}

/**
 * Erases one thread in one append, which also leaves a record of what must follow (see `complete.ts`). `undefined`: it was erased before, or was written
 * since `before`.
 */
export async function eraseThread(store: Store, threadId: string, how: Erasing): Promise<ErasedThread | undefined> {
  try {
    return await commit(`Erasing thread ${threadId}`, () => eraseOnce(store, threadId, how))
  } catch (error) {
    if (isThreadErased(error)) return undefined
    throw error
  }
}

async function eraseOnce(
  store: Store,
  threadId: string,
  how: Erasing,
): Promise<{ done: ErasedThread | undefined } | undefined> {
  const slice = await store.read(threadId)
  if (how.before !== undefined && isYounger(slice, how.before)) return { done: undefined }
  if (slice.version === 0) throw new ThreadNotFound(threadId)
  if (slice.lease) throw new ThreadBusy(threadId, slice.lease.holder)
  const state = fold(store, threadId, slice)
  const { count: open } = await store.countRequests({ threadId, status: 'open' })
  const requests = await requestsOf(store, threadId)
  const isOver = open === 0 && (state.run?.status !== 'open' || isIdle(state.run))
  if (!isOver && !how.abort) throw new ThreadOpen(threadId, open)
  const found = { tenantId: store.tenantId, threadId, entries: slice.version, requests: requests.length }
  if (how.dryRun) return { done: found }
  // What it writes is erased in the next round.
  if (!isOver && (await abort(store, slice, { state, how }))) return undefined
  const { by, reason } = how
  const erasure = { entries: slice.version, requests, ...gateRecords(state), by, reason }
  const records = [putPending(threadId, erasure)]
  return (await replaceAll(store, { threadId, slice, records }, how)) ? { done: found } : undefined
}

/** A call from outside that nobody is asked about waits for its host, which may never come back. While it runs here, somebody has the lease. */
function isIdle({ driver }: Run): boolean {
  return driver === 'external'
}

/** The records about a call from outside. */
function gateRecords({ run }: ThreadState): Pick<PendingErasure, 'gate'> {
  if (!run?.host) return {}
  const { source, conversation, slot } = run.host
  return { gate: { bookmark: bookmarkId(source, conversation), ...(slot === undefined ? {} : { slot }) } }
}

function isYounger({ entries }: ThreadSlice, before: number): boolean {
  return (entries.at(-1)?.at ?? 0) >= before
}

function fold(store: Store, threadId: string, { entries }: ThreadSlice): ThreadState {
  const state = emptyState(store.tenantId, threadId)
  for (const { body, seq, at } of entries) apply(state, parseBody(body, { threadId, seq }), at)
  return state
}

async function requestsOf(store: Store, threadId: string): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await store.findRequests({ threadId, limit: 500, ...(cursor === undefined ? {} : { cursor }) })
    ids.push(...page.requests.map(({ id }) => id))
    cursor = page.next
  } while (cursor !== undefined)
  return ids
}

/** Ends everything that the thread waits for. `false`: there was nothing to write. */
async function abort(
  store: Store,
  { head }: ThreadSlice,
  { state, how }: { state: ThreadState; how: Erasing },
): Promise<boolean> {
  const append = abortAppend(state, { by: how.by, reason: how.reason, head })
  if (!append) return false
  await appendUndriven(store, append, WHAT)
  return true
}

/** Erases the bodies of a thread as it was read. `false`: it has changed since. */
export async function replaceAll(
  store: Store,
  { threadId, slice, records = [] }: { threadId: string; slice: ThreadSlice; records?: readonly RecordChange[] },
  { by, reason }: Pick<Erasing, 'by' | 'reason'>,
): Promise<boolean> {
  const chain = await store.readChain(threadId)
  if (chain.length !== slice.version) return false
  const salt = new Uint8Array(randomBytes(16))
  const append: Append = {
    threadId,
    version: slice.version,
    head: slice.head,
    entries: accountFor(chain, { salt, by, reason }),
    wake: { op: 'set', at: null },
    erase: { body: ERASED_BODY, salt },
    ...(records.length > 0 ? { records } : {}),
  }
  return appendUndriven(store, append, WHAT)
}
