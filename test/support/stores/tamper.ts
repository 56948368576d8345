import { createRequire } from 'node:module'

interface Libsql {
  prepare(sql: string): { run(...values: unknown[]): { changes: number } }
  close(): void
}

/** Changes an SQLite file behind the store's back. Gives how many rows were changed. */
export function tamperWith(path: string, sql: string): number {
  const Database = createRequire(import.meta.url)('libsql') as new (path: string) => Libsql
  const db = new Database(path)
  try {
    return db.prepare(sql).run().changes
  } finally {
    db.close()
  }
}
