import { onFile } from './open-file.ts'

/** Changes an SQLite file behind the store's back. Gives how many rows were changed. */
export function tamperWith(path: string, sql: string): number {
  return onFile(path, (db) => db.prepare(sql).run([]))
}
