import type { GrantPage, GrantQuery, StoredGrant } from '../../ports/store-lists.ts'
import { placesOf, statusOf } from '../shared/grants.ts'
import { pageLimit } from '../shared/page.ts'
import type { Dialect, SqlQuery, SqlRow } from './dialect.ts'
import { joinPointed, type PointedEntries, pointedColumns } from './pointed-entry.ts'

/** The values that queries for grants bind. */
type Value = string | number | boolean

/** A page of grants from the highest id down; the cursor is an id. */
export interface GrantPageQuery<V> {
  readonly query: SqlQuery<V | string | number>
  page(rows: readonly SqlRow[], pointed: PointedEntries): GrantPage
}

function columns(dialect: Dialect): string {
  return `now.now, g.id, t.id AS thread, g.thread AS thread_no, g.uses, g.used, g.cap, g.spent, g.expires_at,
  ${pointedColumns(dialect, 'c', 'g.created')}, ${pointedColumns(dialect, 'r', 'g.revoked')}`
}

/** Plans the query for a page. `clock` is an expression for the time, which decides what has expired. */
export function planGrantPage<V extends Value>(
  dialect: Dialect,
  { tenant, clock }: { tenant: string; clock: SqlQuery<V> },
  query: GrantQuery,
): GrantPageQuery<V> {
  const { prefix } = dialect
  const limit = pageLimit(query.limit)
  const { sql, values, index } = conditions(dialect, tenant, query)
  return {
    query: {
      sql: `WITH now AS (SELECT ${clock.sql} AS now)
       SELECT ${columns(dialect)} FROM (
         SELECT * FROM ${prefix}grants ${index === '' ? '' : dialect.use(index)}
         WHERE ${sql.join(' AND ')} ORDER BY id DESC LIMIT ?
       ) g
       CROSS JOIN now
       LEFT JOIN ${prefix}threads t ON t.no = g.thread
       ${joinPointed(dialect, 'c', 'g.created')}
       ${joinPointed(dialect, 'r', 'g.revoked')}
       ORDER BY g.id DESC`,
      values: [...clock.values, ...values, limit + 1],
    },
    page(rows, pointed) {
      const grants = rows.slice(0, limit).map((row) => toStoredGrant(row, pointed))
      return rows.length > limit ? { grants, next: grants.at(-1)!.id } : { grants }
    },
  }
}

function conditions(
  { prefix }: Dialect,
  tenant: string,
  query: GrantQuery,
): { sql: string[]; values: (string | number)[]; index: string } {
  const sql = ['tenant = ?']
  const values: (string | number)[] = [tenant]
  let index = ''
  const add = (condition: string, ...bound: string[]): void => {
    sql.push(condition)
    values.push(...bound)
  }
  const { reach } = query
  if (reach) {
    const places = placesOf(reach)
    index = 'grants_place'
    add(`place IN (${marks(places)})`, ...places)
    add(reach.tools.length === 0 ? '1 = 0' : `tool IN (${marks(reach.tools)})`, ...reach.tools)
  }
  if (query.threadId !== undefined) {
    if (!reach) index = 'grants_thread'
    add(`thread = (SELECT no FROM ${prefix}threads WHERE tenant = ? AND id = ?)`, tenant, query.threadId)
  }
  if (query.status !== 'all') add('live = 1 AND (expires_at IS NULL OR expires_at > (SELECT now FROM now))')
  if (query.id !== undefined) add('id = ?', query.id)
  if (query.cursor !== undefined) add('id < ?', query.cursor)
  if (query.agent !== undefined) add('agent = ?', query.agent)
  if (query.tool !== undefined) add('tool = ?', query.tool)
  return { sql, values, index }
}

function marks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}

/** Postgres returns numbers as strings. */
function toStoredGrant(row: SqlRow, pointed: PointedEntries): StoredGrant {
  const head = {
    uses: optional(row.uses),
    used: Number(row.used),
    cap: optional(row.cap),
    spent: Number(row.spent),
    expiresAt: optional(row.expires_at),
  }
  return {
    id: row.id as string,
    threadId: pointed.threadOf(row),
    status: statusOf({ ...head, revoked: row.revoked !== null }, Number(row.now)),
    ...head,
    created: pointed.take(row, 'created'),
    revoked: row.revoked === null ? null : pointed.take(row, 'revoked'),
  }
}

function optional(value: unknown): number | null {
  return value === null ? null : Number(value)
}
