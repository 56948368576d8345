import type { StoredEntry } from '../../ports/stored-entry.ts'
import { findBreak } from '../../protocol/chain/find-break.ts'
import { StoreCorrupt } from '../../protocol/errors/errors.ts'
import type { Trust } from '../shared/verify.ts'
import type { Dialect, SqlRow } from './dialect.ts'
import { toLink } from './joined-entries.ts'

/** The columns of an entry that an index row points at. `pointer` is the column with its number, `alias` the table joined by it. */
export function pointedColumns({ prefix, hex }: Dialect, alias: string, pointer: string): string {
  const name = nameOf(pointer)
  const row = pointer.slice(0, pointer.indexOf('.'))
  return `${pointer} AS ${name}, ${alias}.at AS ${name}_at, ${alias}.body AS ${name}_body,
  ${hex(`${alias}.salt`)} || ${hex(`${alias}.hash`)} AS ${name}_link,
  (SELECT ${hex('p.hash')} FROM ${prefix}entries p WHERE p.thread = ${row}.thread AND p.seq = ${pointer} - 1) AS ${name}_previous`
}

/** Joins such an entry, if it exists. */
export function joinPointed({ prefix }: Dialect, alias: string, pointer: string): string {
  const row = pointer.slice(0, pointer.indexOf('.'))
  return `LEFT JOIN ${prefix}entries ${alias} ON ${alias}.thread = ${row}.thread AND ${alias}.seq = ${pointer}`
}

/** Builds entries from rows, and collects the threads in which an entry does not follow from the one before it. */
export interface PointedEntries {
  /** The thread of a row, which has its name as `thread` and its number as `thread_no`. */
  threadOf(row: SqlRow): string
  /** The entry that a row points at. Throws `StoreCorrupt` if it is missing. */
  take(row: SqlRow, name: string): StoredEntry
  /** The threads that must be read as a whole to be verified: a later `erased` entry may account for a broken link. */
  readonly doubtful: ReadonlySet<string>
}

/** Creates a reader for the rows of one query. */
export function createPointed(tenant: string, { store, verify }: Trust): PointedEntries {
  const doubtful = new Set<string>()

  function threadOf(row: SqlRow): string {
    if (typeof row.thread === 'string') return row.thread
    const problem = `${String(row.id)} is indexed as part of it, and it is missing`
    throw new StoreCorrupt({ store, tenantId: tenant, threadId: `#${Number(row.thread_no)}` }, problem)
  }

  return {
    threadOf,
    doubtful,
    take(row, name) {
      const threadId = threadOf(row)
      const seq = Number(row[name])
      const [at, body] = [row[`${name}_at`], row[`${name}_body`]]
      if (typeof body !== 'string' || at === null) {
        const problem = body === null ? 'it is missing' : 'its row holds values of another type'
        throw new StoreCorrupt(
          { store, tenantId: tenant, threadId, seq },
          `${problem}, and ${String(row.id)} points at it`,
        )
      }
      const entry = { seq, at: Number(at), body }
      if (
        verify === 'chain' &&
        !follows(entry, { tenant, threadId, link: row[`${name}_link`], previous: row[`${name}_previous`] })
      )
        doubtful.add(threadId)
      return entry
    },
  }
}

function follows(
  entry: StoredEntry,
  { tenant, threadId, link, previous }: { tenant: string; threadId: string; link: unknown; previous: unknown },
): boolean {
  const own = toLink(String(link))
  const part = {
    tenant,
    threadId,
    after: entry.seq - 1,
    previous: typeof previous === 'string' ? Buffer.from(previous, 'hex') : undefined,
    entries: [entry],
    links: [own],
    end: { version: entry.seq, hash: own.hash },
  }
  return findBreak(part) === undefined
}

function nameOf(pointer: string): string {
  return pointer.slice(pointer.indexOf('.') + 1)
}
