import type { StoredRequest } from '../../ports/store-lists.ts'
import type { StoredEntry } from '../../ports/stored-entry.ts'
import type { Dialect, SqlRow } from './dialect.ts'
import { joinPointed, type PointedEntries, pointedColumns } from './pointed-entry.ts'

/**
 * The columns that make a {@link StoredRequest} of a row of `requests` called `r`, with {@link storedJoins}. `clock` is an expression for the time.
 */
export function storedColumns(dialect: Dialect, clock: string): string {
  return `r.id, t.id AS thread, r.thread AS thread_no, r.status, r.version, r.expires_at, r.comments,
  CASE WHEN r.assigned_until <= ${clock} THEN NULL ELSE r.assigned_to END AS assigned_to, r.assigned_until,
  ${pointedColumns(dialect, 'o', 'r.opened')}, ${pointedColumns(dialect, 'c', 'r.changed')}`
}

/** See {@link storedColumns}. */
export function storedJoins(dialect: Dialect): string {
  return `LEFT JOIN ${dialect.prefix}threads t ON t.no = r.thread
  ${joinPointed(dialect, 'o', 'r.opened')}
  ${joinPointed(dialect, 'c', 'r.changed')}`
}

/** The statement for one request. It binds the values of `clock`, tenant and id. */
export function selectRequest(dialect: Dialect, clock: string): string {
  return `SELECT ${storedColumns(dialect, clock)} FROM ${dialect.prefix}requests r ${storedJoins(dialect)} WHERE r.tenant = ? AND r.id = ?`
}

/** A row of {@link storedColumns}. */
export function toStored(row: SqlRow, pointed: PointedEntries): StoredRequest {
  return {
    id: row.id as string,
    threadId: pointed.threadOf(row),
    status: row.status as StoredRequest['status'],
    version: Number(row.version),
    expiresAt: row.expires_at === null ? null : Number(row.expires_at),
    assigned:
      row.assigned_to === null
        ? null
        : { id: row.assigned_to as string, until: row.assigned_until === null ? null : Number(row.assigned_until) },
    comments: Number(row.comments),
    opened: pointed.take(row, 'opened'),
    changed: row.changed === null ? null : pointed.take(row, 'changed'),
  }
}

/** Builds an entry from its columns. Postgres returns integers as strings. */
export function toEntry(seq: unknown, at: unknown, body: unknown): StoredEntry {
  return { seq: Number(seq), at: Number(at), body: body as string }
}
