import type { Append } from '../../ports/store.ts'
import type { ReadyPage, ReadyQuery } from '../../ports/store-lists.ts'
import { planReady } from '../sql/wake.ts'
import type { Run } from './connection/run.ts'
import { clockOf, runQuery } from './requests.ts'
import { dialectOf } from './tables/schema.ts'
import type { StoreTime } from './time.ts'

/** The change of the mark, the run and the time guard as the SQL function takes them. */
export function wakeValues({ wake, run, notBefore }: Append): string | null {
  if (!wake && !run && notBefore === undefined) return null
  return JSON.stringify({ ...wake, ...run, notBefore })
}

/** The threads of all tenants that must be driven. */
export async function findReady(
  run: Run,
  schema: string,
  { time, ...query }: ReadyQuery & { time: StoreTime },
): Promise<ReadyPage> {
  const plan = planReady<string | number | boolean>(dialectOf(schema), clockOf(schema, time), query)
  return plan.page(await runQuery(run, plan.query))
}
