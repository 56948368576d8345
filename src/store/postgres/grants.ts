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

/**
 * Whether each of some tenants has a grant, valid or not. Every call that needs an approval asks, most tenants have none, and this is much cheaper than
 * planning the query of {@link findGrants}.
 */
export async function haveGrants(run: Run, schema: string, tenants: readonly string[]): Promise<boolean[]> {
  const names = [...new Set(tenants)]
  // With EXISTS the planner may choose to read all grants once; with LIMIT it looks each tenant up.
  const any = `(SELECT true FROM ${prefixOf(schema)}grants g WHERE g.tenant = t.name LIMIT 1)`
  // Mostly all ask about one tenant. A statement with an array is planned again each time, since its length decides the estimate.
  const rows =
    names.length === 1
      ? await run.kept(`SELECT ${any} AS found FROM (SELECT $1::text AS name) t`, names)
      : await run.kept(`SELECT ${any} AS found FROM unnest($1::text[]) WITH ORDINALITY AS t (name, i) ORDER BY t.i`, [
          names,
        ])
  const found = new Map(names.map((name, index) => [name, rows[index]?.found === 't']))
  return tenants.map((tenant) => found.get(tenant) === true)
}

/** A page of grants from the highest id down. */
export async function findGrants(
  run: Run,
  view: View,
  { time, ...query }: GrantQuery & { time: StoreTime },
): Promise<GrantPage> {
  const { schema, tenant } = view
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
