import type { StoredEntry, StoredRequest } from '../../ports/store.ts'
import type { Dialect, SqlRow } from './dialect.ts'

/** The columns that make a {@link StoredRequest} of a row of `requests` called `r`, with {@link storedJoins}. */
export const STORED_COLUMNS = `r.id, t.id AS thread, r.status, r.version, r.expires_at,
  r.opened, o.at AS opened_at, o.body AS opened_body, r.changed, c.at AS changed_at, c.body AS changed_body`

/** See {@link STORED_COLUMNS}. */
export function storedJoins({ prefix }: Dialect): string {
  return `JOIN ${prefix}threads t ON t.no = r.thread
  JOIN ${prefix}entries o ON o.thread = r.thread AND o.seq = r.opened
  LEFT JOIN ${prefix}entries c ON c.thread = r.thread AND c.seq = r.changed`
}

/** The statement for one request by tenant and id. */
export function selectRequest(dialect: Dialect): string {
  return `SELECT ${STORED_COLUMNS} FROM ${dialect.prefix}requests r ${storedJoins(dialect)} WHERE r.tenant = ? AND r.id = ?`
}

/** A row of {@link STORED_COLUMNS}. */
export function toStored(row: SqlRow): StoredRequest {
  return {
    id: row.id as string,
    threadId: row.thread as string,
    status: row.status as StoredRequest['status'],
    version: Number(row.version),
    expiresAt: row.expires_at === null ? null : Number(row.expires_at),
    opened: toEntry(row.opened, row.opened_at, row.opened_body),
    changed: row.changed === null ? null : toEntry(row.changed, row.changed_at, row.changed_body),
  }
}

/** One entry of its columns. Postgres gives whole numbers as text. */
export function toEntry(seq: unknown, at: unknown, body: unknown): StoredEntry {
  return { seq: Number(seq), at: Number(at), body: body as string }
}
