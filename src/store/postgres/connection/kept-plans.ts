import { createHash } from 'node:crypto'
import type { SqlRow } from '../../sql/dialect.ts'
import { AS_TEXT, type PgClient } from './driver.ts'
import { codeOf } from './failure.ts'

/** Runs statements on connections, with or without prepared plans. */
export interface Plans {
  run(client: PgClient, text: string, values?: readonly unknown[]): Promise<SqlRow[]>
  /** The same for a frequent statement: the connection keeps its plan, which saves up to half of the cost. */
  runKept(client: PgClient, text: string, values: readonly unknown[]): Promise<SqlRow[]>
}

/**
 * Plans are kept under names. Behind a proxy that shares connections, a name may be unknown to the server or already taken. The server then refuses
 * the statement without executing it, and from then on no names are used. With `keep: false` none are used at all. A name is a hash of its SQL, so it never means another statement.
 */
export function createPlans({ keep }: { keep: boolean }): Plans {
  const names = new Map<string, string>()
  let keeping = keep

  function nameOf(text: string): string {
    let name = names.get(text)
    if (name === undefined) {
      name = `holdpoint_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
      names.set(text, name)
    }
    return name
  }

  async function run(client: PgClient, text: string, values?: readonly unknown[], name?: string): Promise<SqlRow[]> {
    const { rows } = await client.query({
      text,
      types: AS_TEXT,
      ...(values ? { values: [...values] } : {}),
      ...(name === undefined ? {} : { name }),
    })
    return rows
  }

  return {
    run: (client, text, values) => run(client, text, values),
    async runKept(client, text, values) {
      if (!keeping) return run(client, text, values)
      try {
        return await run(client, text, values, nameOf(text))
      } catch (error) {
        if (!isAboutName(error)) throw error
        keeping = false
        return run(client, text, values)
      }
    },
  }
}

/** invalid_sql_statement_name, duplicate_prepared_statement. */
function isAboutName(error: unknown): boolean {
  const code = codeOf(error)
  return code === '26000' || code === '42P05'
}
