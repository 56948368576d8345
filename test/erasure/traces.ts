import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'

/** Where a text is found in the files of a folder, in any case. */
export function inFiles(folder: string, text: string): string[] {
  return readdirSync(folder).filter((name) =>
    readFileSync(join(folder, name), 'latin1').toLowerCase().includes(text.toLowerCase()),
  )
}

/** Where a text is found in the tables of a schema, in any case. */
export async function inTables(admin: pg.Client, schema: string, text: string): Promise<string[]> {
  const { rows } = await admin.query(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1',
    [schema],
  )
  const found: string[] = []
  for (const { name } of rows as { name: string }[]) {
    const { rowCount } = await admin.query(`SELECT 1 FROM ${schema}.${name} t WHERE lower(t::text) LIKE $1 LIMIT 1`, [
      `%${text.toLowerCase()}%`,
    ])
    if ((rowCount ?? 0) > 0) found.push(name)
  }
  return found
}
