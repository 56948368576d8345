import type { GrantChange } from '../../ports/store.ts'
import type { GrantPage, GrantQuery } from '../../ports/store-lists.ts'
import { type GrantHead, isUsedUp, placeOf } from '../shared/grants.ts'
import { pageLimit } from '../shared/page.ts'
import { planGrantPage } from '../sql/find-grants.ts'
import { createPointed } from '../sql/pointed-entry.ts'
import type { Connection } from './connection/connection.ts'
import { checkThreads, type View } from './read.ts'
import { SQLITE } from './tables/schema.ts'

/** The state of a grant that its guards check. */
export function findGrantHead(connection: Connection, tenant: string, id: string): GrantHead<number> | undefined {
  const row = connection
    .statement('SELECT thread, uses, used, cap, spent, expires_at, revoked FROM grants WHERE tenant = ? AND id = ?')
    .get([tenant, id])
  return (
    row && {
      thread: row.thread as number,
      uses: row.uses as number | null,
      used: row.used as number,
      cap: row.cap as number | null,
      spent: row.spent as number,
      expiresAt: row.expires_at as number | null,
      revoked: row.revoked !== null,
    }
  )
}

/** Applies changes that passed their guards. `after` is the thread's version before the append, `heads` the grants after it. */
export function writeGrants(
  connection: Connection,
  place: { tenant: string; threadId: string; thread: number; after: number },
  changes: readonly GrantChange[],
  heads: ReadonlyMap<string, GrantHead<number>>,
): void {
  for (const change of changes) {
    const id = change.op === 'create' ? change.row.id : change.id
    const head = heads.get(id)!
    const live = head.revoked || isUsedUp(head) ? 0 : 1
    switch (change.op) {
      case 'create': {
        const { row } = change
        connection
          .statement(
            `INSERT INTO grants
               (tenant, id, thread, created, place, agent, tool, uses, used, cap, spent, expires_at, live)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          )
          .run([
            place.tenant,
            id,
            place.thread,
            place.after + 1 + change.entry,
            placeOf(row, place.threadId),
            row.agent,
            row.tool,
            head.uses,
            head.used,
            head.cap,
            head.spent,
            head.expiresAt,
            live,
          ])
        break
      }
      case 'spend':
        connection
          .statement('UPDATE grants SET used = ?, spent = ?, live = ? WHERE tenant = ? AND id = ?')
          .run([head.used, head.spent, live, place.tenant, id])
        break
      case 'revoke':
        connection
          .statement('UPDATE grants SET revoked = ?, live = 0 WHERE tenant = ? AND id = ?')
          .run([place.after + 1 + change.entry, place.tenant, id])
        break
    }
  }
}

/** A page of grants from the highest id down. */
export function findGrants(view: View, { now, ...query }: GrantQuery & { now: number }): GrantPage {
  const { connection, tenant } = view
  pageLimit(query.limit)
  // Most tenants have no grants, and planning and joining cost as much as an append.
  if (!connection.list('SELECT 1 FROM grants WHERE tenant = ? LIMIT 1').get([tenant])) return { grants: [] }
  const plan = planGrantPage(SQLITE, { tenant, clock: { sql: '?', values: [now] } }, query)
  const pointed = createPointed(tenant, view.trust)
  const page = plan.page(connection.statement(plan.query.sql).all(plan.query.values), pointed)
  checkThreads(view, pointed)
  return page
}
