import type { GrantChange } from '../../ports/store.ts'
import type { GrantPage, GrantQuery } from '../../ports/store-lists.ts'
import { placeOf } from '../shared/grants.ts'
import { planGrantPage } from '../sql/find-grants.ts'
import { createPointed } from '../sql/pointed-entry.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import { checkThreads, type View } from './read.ts'
import { dialectOf, numbered } from './tables/schema.ts'
import type { StoreTime } from './time.ts'

/** A page of grants from the highest id down. */
export async function findGrants(
  run: Run,
  view: View,
  { time, ...query }: GrantQuery & { time: StoreTime },
): Promise<GrantPage> {
  const { schema, tenant } = view
  // Most tenants have no grants, and this check is much cheaper than planning the query below.
  const any = await run.kept(`SELECT 1 AS one FROM ${prefixOf(schema)}grants WHERE tenant = $1 LIMIT 1`, [tenant])
  if (any.length === 0) return { grants: [] }
  const clock = { sql: `${prefixOf(schema)}clock_ms(?, ?)`, values: time.values() }
  const plan = planGrantPage(dialectOf(schema), { tenant, clock }, query)
  const pointed = createPointed(tenant, view.trust)
  const page = plan.page(await run(numbered(plan.query.sql), plan.query.values), pointed)
  await checkThreads(run, view, pointed)
  return page
}

/** Changes as the SQL function `append` takes them. */
export function grantValues(threadId: string, changes: readonly GrantChange[] | undefined): string | null {
  if (!changes || changes.length === 0) return null
  return JSON.stringify(
    changes.map((change) => {
      if (change.op !== 'create') return change
      const { row, ...rest } = change
      return { ...rest, ...row, place: placeOf(row, threadId) }
    }),
  )
}
