import type { Store } from '../../ports/store.ts'
import type { ReadyThread } from '../../ports/store-lists.ts'
import { requireStore } from '../../protocol/checks/check-options.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { InputInvalid, isThreadErased } from '../../protocol/errors/errors.ts'
import { liveRoutes } from './live-workers.ts'
import { routeOfMark, versionsIn } from './routes.ts'
import { type DeadLetter, deleteDeadLetter, readDeadLetter, STUCK } from './stuck.ts'

/**
 * A thread that has something to do and is not driven.
 * `dead`: driving it failed, and is not tried again by itself. `no_worker`: no live worker has its agent's version. `overdue`: nobody has taken it up.
 */
export interface StuckThread {
  threadId: string
  reason: 'dead' | 'no_worker' | 'overdue'
  /** The agent of its run. `null`: not known. */
  agent: string | null
  /** The version of the agent. `null`: it has none. */
  version: string | null
  /** The other versions of the agent that live workers have: the run can be moved to them. `null`: the agent without a version. */
  liveVersions: (string | null)[]
  /** Since when: a time of the store. */
  since: number
  /** How often driving it has failed. */
  tries: number
  /** Why, if it is dead. */
  error?: DeadLetter['error']
}

/** Options of {@link stuckThreads}. */
export interface StuckOptions {
  /** The most threads of each reason. Default 100. */
  limit?: number
  /** From when on a thread that a live worker could drive counts as overdue. Default 60,000. */
  overdueMs?: number
}

const PAGE = 500
/** How far threads of other tenants are looked through. */
const MOST_PAGES = 40

/** The threads of the store's tenant that have something to do and are not driven, those that failed first. */
export async function stuckThreads(store: Store, options: StuckOptions = {}): Promise<StuckThread[]> {
  requireStore('stuckThreads()', store)
  requireKnown('stuckThreads()', options, ['limit', 'overdueMs'])
  const { limit = 100, overdueMs = 60_000 } = options
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= PAGE))
    throw new InputInvalid(`limit must be an integer from 1 to ${PAGE}, not ${limit}`)
  if (!(overdueMs >= 0)) throw new InputInvalid(`overdueMs must be a number from 0, not ${overdueMs}`)
  const routes = await liveRoutes(store)
  const dead = await deadThreads(store, limit)
  const known = new Set(dead.map(({ threadId }) => threadId))
  const waiting = await waitingThreads(store, { limit, overdueMs, routes })
  return [...dead, ...waiting.filter(({ threadId }) => !known.has(threadId))].map((thread) => ({
    ...thread,
    liveVersions: versionsIn(routes, thread.agent ?? '').filter((version) => version !== thread.version),
  }))
}

type Found = Omit<StuckThread, 'liveVersions'>

async function deadThreads(store: Store, limit: number): Promise<Found[]> {
  const found: Found[] = []
  let cursor: string | undefined
  do {
    const page = await store.findRecords({ kind: STUCK, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    for (const record of page.records) {
      const letter = readDeadLetter(record)
      const { id: threadId, version: expect } = record
      const { wake, version: length } = await readUnlessErased(store, threadId)
      if (length > letter.length) {
        // It went on, or was erased. If it died again meanwhile, the new letter stays.
        await store.writeRecords([{ ...deleteDeadLetter(threadId), expect }])
        continue
      }
      // It is being tried again, or is just dying: its letter is written before its mark is cleared, and must still be there then.
      if (wake.at !== null) continue
      const { agent, version, tries, error } = letter
      found.push({ threadId, reason: 'dead', agent, version, since: record.at, tries, error })
    }
    cursor = page.next
  } while (cursor !== undefined && found.length < limit)
  return found.slice(0, limit)
}

/** An erased thread has gone on for ever. */
async function readUnlessErased(
  store: Store,
  threadId: string,
): Promise<Pick<Awaited<ReturnType<Store['read']>>, 'wake' | 'version'>> {
  try {
    return await store.read(threadId, { after: Number.MAX_SAFE_INTEGER })
  } catch (error) {
    if (!isThreadErased(error)) throw error
    return { version: Number.MAX_SAFE_INTEGER, wake: { at: null, tries: 0, agent: null, agentVersion: null } }
  }
}

async function waitingThreads(
  store: Store,
  { limit, overdueMs, routes }: { limit: number; overdueMs: number; routes: ReadonlySet<string> },
): Promise<Found[]> {
  const found: Found[] = []
  let after: ReadyThread | undefined
  for (let page = 0; page < MOST_PAGES && found.length < limit; page++) {
    const { threads, now } = await store.ready({ limit: PAGE, ...(after ? { after } : {}) })
    for (const thread of threads) {
      if (thread.tenantId !== store.tenantId) continue
      const { threadId, agent, agentVersion: version, at: since, tries } = thread
      const isServed = routes.has(routeOfMark(thread) ?? '')
      if (isServed && since > now - overdueMs) continue
      found.push({ threadId, reason: isServed ? 'overdue' : 'no_worker', agent, version, since, tries })
    }
    after = threads.at(-1)
    if (threads.length < PAGE) break
  }
  return found.slice(0, limit)
}
