import { createHash } from 'node:crypto'
import type { SqlRow } from '../../sql/dialect.ts'
import { codeOf } from '../failure.ts'
import { AS_TEXT, type PgClient } from './driver.ts'

/** Runs statements on connections, with or without having their plans kept there. */
export interface Plans {
  run(client: PgClient, text: string, values?: readonly unknown[]): Promise<SqlRow[]>
  /** The same, for a statement that is made again and again: the connection keeps its plan, which saves up to half of it. */
  runKept(client: PgClient, text: string, values: readonly unknown[]): Promise<SqlRow[]>
}

/**
 * Plans are kept under names. Behind a proxy that hands one connection to many in turn, a name may mean nothing to the server at hand, or be given
 * twice; it says so and has done nothing, and from then on no names are used. A name is made of its text, so it never means another.
 */
export function createPlans(): Plans {
  const names = new Map<string, string>()
  let keeping = true

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
