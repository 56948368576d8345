import type { Append, AppendOutcome, Lease } from '../../ports/store.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import { patienceOf, type StoreTime } from './time.ts'

/** Appends with an unknown outcome, by thread. */
export interface Unsettled {
  add(key: string, work: () => Promise<unknown>): void
  /** Settles the unknown outcomes of a thread. Nothing else may be done with the thread before that. */
  settle(key: string): Promise<void>
}

/** Creates an empty set. */
export function createUnsettled(): Unsettled {
  const byKey = new Map<string, (() => Promise<unknown>)[]>()
  return {
    add(key, work) {
      byKey.set(key, [...(byKey.get(key) ?? []), work])
    },
    async settle(key) {
      for (;;) {
        const [first, ...more] = byKey.get(key) ?? []
        if (!first) return
        await first()
        if (more.length > 0) byKey.set(key, more)
        else byKey.delete(key)
      }
    },
  }
}

/** The append to settle. Its id is the salt of its first entry, or a random one if it has no entries. */
export interface SentAppend {
  schema: string
  tenant: string
  append: Append
  id: Uint8Array
  time: StoreTime
  timeoutMs: number
}

/** What the database found. `took`: the append was the last to change the lease. */
type Found =
  | { stored: false }
  | { stored: true; before: number; head: string; at: number; took: boolean; lease: Lease | null }

/**
 * Reads the outcome of an append whose answer never came. `undefined`: it is not stored and was declared void, so that it is never stored, even if it
 * arrives later. An append without entries leaves no trace but the lease. If another append has changed the lease since, or if there was nothing to
 * change, it counts as not stored, and repeating it is harmless.
 */
export async function settleAppend(
  run: Run,
  { schema, tenant, append, id, time, timeoutMs }: SentAppend,
): Promise<AppendOutcome | undefined> {
  const rows = await run(`SELECT ${prefixOf(schema)}settle($1, $2, $3, $4, $5, $6, $7) AS found`, [
    tenant,
    append.threadId,
    Buffer.from(id),
    append.entries.length,
    ...time.values(),
    patienceOf(timeoutMs),
  ])
  const found = JSON.parse(rows[0]?.found as string) as Found
  if (!found.stored) return undefined
  return {
    ok: true,
    version: found.before + append.entries.length,
    head: found.head,
    at: time.saw(found.at),
    lease: leaseOf(append, found),
  }
}

/** A lease that is no longer the append's own is not handed to it. */
function leaseOf({ lease }: Append, found: Extract<Found, { stored: true }>): Lease | null {
  switch (lease?.op) {
    case 'take':
      return found.took ? found.lease : null
    case 'hold':
      return found.lease?.token === lease.token && found.lease.holder === lease.holder ? found.lease : null
    case 'drop':
    case undefined:
      return found.lease
  }
}
