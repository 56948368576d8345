import type { RequestChange } from '../../ports/store.ts'
import type { StoredRequest } from '../../ports/store-lists.ts'
import { assignedBy, OPENED_VERSION, type RequestHead } from '../shared/guards.ts'
import { joinLists, joinReaders } from '../shared/request-filter.ts'
import { createPointed } from '../sql/pointed-entry.ts'
import { selectRequest, toStored } from '../sql/stored-request.ts'
import type { Connection } from './connection/connection.ts'
import { type HeadCondition, REPLACE_HEAD } from './heads.ts'
import { checkThreads, type View } from './read.ts'
import { SQLITE } from './tables/schema.ts'

/** The state of a request that its guard checks, seen from a thread. */
export function findRequestHead(
  connection: Connection,
  tenant: string,
  { id, thread }: { id: string; thread: number },
): RequestHead | undefined {
  const row = connection
    .statement('SELECT thread, version, status, assigned_to, assigned_until FROM requests WHERE tenant = ? AND id = ?')
    .get([tenant, id])
  if (!row) return undefined
  const assigned = row.assigned_to as string | null
  return {
    version: row.version as number,
    here: row.thread === thread,
    open: row.status === 'open',
    assigned: assigned === null ? null : { id: assigned, until: row.assigned_until as number | null },
  }
}

const REPLACE_IF_NEW = `${REPLACE_HEAD} AND NOT EXISTS (SELECT 1 FROM requests WHERE tenant = ? AND id = ?)`
const REPLACE_IF_AT = `${REPLACE_HEAD}
  AND EXISTS (SELECT 1 FROM requests WHERE tenant = ? AND id = ? AND thread = ? AND version = ?)`

/**
 * The guard of a single change as a condition on the write of the thread's row, so that the request need not be read first. `undefined`: the request
 * must be read, because there are several changes, or because the change is refused in any case.
 */
export function guardOfOne(
  changes: readonly RequestChange[],
  { tenant, thread, now }: { tenant: string; thread: number; now: number },
): HeadCondition | undefined {
  const [change, ...more] = changes
  if (!change || more.length > 0) return undefined
  switch (change.op) {
    case 'open':
      return { sql: REPLACE_IF_NEW, values: [tenant, change.row.id] }
    case 'change':
      if (now >= (change.before ?? Number.POSITIVE_INFINITY)) return undefined
      return { sql: REPLACE_IF_AT, values: [tenant, change.id, thread, change.from] }
    case 'assign':
    case 'comment':
      return undefined
  }
}

/** Applies changes that passed their guards. `after` is the thread's version before the append. */
export function writeRequests(
  connection: Connection,
  place: { tenant: string; thread: number; after: number; at: number },
  changes: readonly RequestChange[],
): void {
  for (const change of changes) {
    switch (change.op) {
      case 'open':
        insertRequest(connection, place, change)
        break
      case 'change':
        connection
          .statement(
            'UPDATE requests SET status = ?, version = ?, changed = ?, changed_at = ? WHERE tenant = ? AND id = ?',
          )
          .run([change.status, change.from + 1, place.after + 1 + change.entry, place.at, place.tenant, change.id])
        if (change.dropDeadline)
          connection
            .statement('UPDATE requests SET expires_at = NULL WHERE tenant = ? AND id = ?')
            .run([place.tenant, change.id])
        break
      case 'assign': {
        const assigned = assignedBy(change, place.at)
        connection
          .statement(
            'UPDATE requests SET assigned_to = ?, assigned_until = ?, noted_at = ? WHERE tenant = ? AND id = ?',
          )
          .run([assigned?.id ?? null, assigned?.until ?? null, place.at, place.tenant, change.id])
        break
      }
      case 'comment':
        connection
          .statement('UPDATE requests SET comments = comments + 1, noted_at = ? WHERE tenant = ? AND id = ?')
          .run([place.at, place.tenant, change.id])
        break
    }
  }
}

function insertRequest(
  connection: Connection,
  place: { tenant: string; thread: number; after: number; at: number },
  { row, entry }: Extract<RequestChange, { op: 'open' }>,
): void {
  connection
    .statement(
      `INSERT INTO requests (tenant, id, thread, opened, version, status, kind, question_id, agent, tool, assignee,
         expires_at, readers, risk, text, lists, changed_at)
       VALUES (?, ?, ?, ?, ?, 'open', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run([
      place.tenant,
      row.id,
      place.thread,
      place.after + 1 + entry,
      OPENED_VERSION,
      row.kind,
      row.questionId,
      row.agent,
      row.tool,
      row.assignee,
      row.expiresAt,
      joinReaders(row.readers),
      row.risk,
      row.text,
      joinLists(row.lists),
      place.at,
    ])
}

const SELECT_ONE = selectRequest(SQLITE, '?')

/** One request by its id. */
export function getRequest(view: View, id: string, now: number): StoredRequest | undefined {
  const row = view.connection.statement(SELECT_ONE).get([now, view.tenant, id])
  if (!row) return undefined
  const pointed = createPointed(view.tenant, view.trust)
  const stored = toStored(row, pointed)
  checkThreads(view, pointed)
  return stored
}
