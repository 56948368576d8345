import type { RequestChange, StoredRequest } from '../../ports/store.ts'
import { OPENED_VERSION, type RequestHead } from '../shared/guards.ts'
import type { Connection } from './connection.ts'
import type { SqlRow } from './driver.ts'

/** A request as its guard sees it from a thread. */
export function findRequestHead(
  connection: Connection,
  tenant: string,
  { id, thread }: { id: string; thread: number },
): RequestHead | undefined {
  const row = connection.statement('SELECT thread, version FROM requests WHERE tenant = ? AND id = ?').get([tenant, id])
  return row && { version: row.version as number, here: row.thread === thread }
}

/** Applies changes whose guards have agreed. `after` is the thread's version before the append. */
export function writeRequests(
  connection: Connection,
  place: { tenant: string; thread: number; after: number },
  changes: readonly RequestChange[],
): void {
  for (const change of changes) {
    const seq = place.after + 1 + change.entry
    switch (change.op) {
      case 'open': {
        const { row } = change
        connection
          .statement(
            `INSERT INTO requests
               (tenant, id, thread, opened, version, status, kind, question_id, agent, tool, assignee, expires_at)
             VALUES (?, ?, ?, ?, ?, 'open', ?, ?, ?, ?, ?, ?)`,
          )
          .run([
            place.tenant,
            row.id,
            place.thread,
            seq,
            OPENED_VERSION,
            row.kind,
            row.questionId,
            row.agent,
            row.tool,
            row.assignee,
            row.expiresAt,
          ])
        break
      }
      case 'change':
        connection
          .statement('UPDATE requests SET status = ?, version = ?, changed = ? WHERE tenant = ? AND id = ?')
          .run([change.status, change.from + 1, seq, place.tenant, change.id])
        break
    }
  }
}

/** The columns and joins that make a {@link StoredRequest} of a row of `requests` called `r`. */
export const STORED_COLUMNS = `r.id, t.id AS thread, r.status, r.version,
  r.opened, o.at AS opened_at, o.body AS opened_body, r.changed, c.at AS changed_at, c.body AS changed_body`

/** See {@link STORED_COLUMNS}. */
export const STORED_JOINS = `JOIN threads t ON t.no = r.thread
  JOIN entries o ON o.thread = r.thread AND o.seq = r.opened
  LEFT JOIN entries c ON c.thread = r.thread AND c.seq = r.changed`

const SELECT_ONE = `SELECT ${STORED_COLUMNS} FROM requests r ${STORED_JOINS} WHERE r.tenant = ? AND r.id = ?`

/** One request by its id. */
export function getRequest(connection: Connection, tenant: string, id: string): StoredRequest | undefined {
  const row = connection.statement(SELECT_ONE).get([tenant, id])
  return row && toStored(row)
}

/** A row of {@link STORED_COLUMNS}. */
export function toStored(row: SqlRow): StoredRequest {
  return {
    id: row.id as string,
    threadId: row.thread as string,
    status: row.status as StoredRequest['status'],
    version: row.version as number,
    opened: { seq: row.opened as number, at: row.opened_at as number, body: row.opened_body as string },
    changed:
      row.changed === null
        ? null
        : { seq: row.changed as number, at: row.changed_at as number, body: row.changed_body as string },
  }
}
