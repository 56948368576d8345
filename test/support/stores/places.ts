import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshSchema, usePostgres } from '../servers/use-postgres.ts'

/** Gives the address of a store that is not there yet, as `storeAt` takes it. It may be in the folder that is given. */
export type Place = (folder: string) => string

/** The durable stores on which the tests of a file are run. A Postgres server is started for them. */
export function usePlaces(): [name: string, place: Place][] {
  const server = usePostgres()
  return [
    ['SQLite', (folder) => join(folder, 'store.db')],
    ['Postgres', () => `${server.get().connectionString}#${freshSchema()}`],
  ]
}

/** A folder that is gone when its work is done. */
export async function inFolder<T>(name: string, act: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `holdpoint-${name}-`))
  try {
    return await act(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
