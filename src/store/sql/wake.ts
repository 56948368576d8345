import type { ReadyPage, ReadyQuery } from '../../ports/store-lists.ts'
import type { WakeMark } from '../../ports/wake.ts'
import { MAX_LEASE_MS } from '../shared/lease.ts'
import { pageLimit } from '../shared/page.ts'
import { NO_WAKE } from '../shared/wake.ts'
import type { Dialect, SqlQuery, SqlRow } from './dialect.ts'

/** The wake marks of threads. The index holds only threads that must be driven. */
export function addWakeMarks({ prefix, integer, text }: Dialect): string {
  return `
ALTER TABLE ${prefix}threads ADD COLUMN wake_at ${integer};
ALTER TABLE ${prefix}threads ADD COLUMN wake_tries ${integer} NOT NULL DEFAULT 0;
ALTER TABLE ${prefix}threads ADD COLUMN run_agent ${text};
ALTER TABLE ${prefix}threads ADD COLUMN run_version ${text};
CREATE INDEX threads_wake ON ${prefix}threads (wake_at, tenant, id) WHERE wake_at IS NOT NULL;
`
}

/** The columns of a mark, in the order of {@link toWake}. */
export const WAKE_COLUMNS = 'wake_at, wake_tries, run_agent, run_version'

/** Builds a mark from its columns. They are absent if there is no thread. */
export function toWake([at, tries, agent, version]: readonly unknown[]): WakeMark {
  return {
    at: at === null || at === undefined ? null : Number(at),
    tries: Number(tries ?? NO_WAKE.tries),
    agent: (agent ?? null) as string | null,
    agentVersion: (version ?? null) as string | null,
  }
}

/** The query for threads of all tenants that must be driven. */
export interface ReadyPageQuery<V> {
  readonly query: SqlQuery<V | string | number>
  page(rows: readonly SqlRow[]): ReadyPage
}

/**
 * Plans the query. `clock` is an expression for the time, which is taken once. There is always at least one row, which carries it. Threads that are
 * driven now are skipped in the index: there are never more of them than drivers.
 */
export function planReady<V>(dialect: Dialect, clock: SqlQuery<V>, query: ReadyQuery = {}): ReadyPageQuery<V> {
  const limit = pageLimit(query.limit)
  const { after } = query
  const now = '(SELECT now FROM clock)'
  const marked = `FROM ${dialect.prefix}threads ${dialect.use('threads_wake')} WHERE wake_at IS NOT NULL AND wake_at`
  return {
    query: {
      sql: `WITH clock AS MATERIALIZED (SELECT ${clock.sql} AS now)
       SELECT c.now, (SELECT wake_at ${marked} > ${now} ORDER BY wake_at LIMIT 1) AS next_at, r.*
       FROM clock c LEFT JOIN (
         SELECT tenant, id, ${WAKE_COLUMNS} ${marked} <= ${now} ${after ? 'AND (wake_at, tenant, id) > (?, ?, ?)' : ''}
           AND (lease_holder IS NULL OR lease_until <= ${now} OR lease_until - ${now} > ${MAX_LEASE_MS})
         ORDER BY wake_at, tenant, id LIMIT ?
       ) r ON 1 = 1
       ORDER BY r.wake_at, r.tenant, r.id`,
      values: [...clock.values, ...(after ? [after.at, after.tenantId, after.threadId] : []), limit],
    },
    page(rows) {
      const { now, next_at } = rows[0]!
      const threads = rows.flatMap(({ tenant, id, wake_at, wake_tries, run_agent, run_version }) => {
        if (id === null) return []
        const mark = toWake([wake_at, wake_tries, run_agent, run_version])
        return [{ tenantId: tenant as string, threadId: id as string, ...mark, at: Number(wake_at) }]
      })
      return { threads, nextAt: next_at === null ? null : Number(next_at), now: Number(now) }
    },
  }
}
