import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { type PostgresServer, type ServerOptions, startPostgres } from './postgres-server.ts'

/** A server for the tests of a file, started before the first and stopped after the last of them. */
export function usePostgres(options?: ServerOptions): { get(): PostgresServer } {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    server = await startPostgres(options)
  })
  // Hundreds of schemas are tens of thousands of files.
  afterAll(() => server?.remove(), 120_000)
  return { get: () => server! }
}

/** A connection to it for what only a test does, open as long as the server runs. */
export function useAdmin(server: { get(): PostgresServer }): { get(): pg.Client } {
  let admin: pg.Client | undefined
  beforeAll(async () => {
    admin = new pg.Client(server.get().connectionString)
    await admin.connect()
  })
  afterAll(() => admin?.end())
  return { get: () => admin! }
}

let schemas = 0

/** A schema that no other test of this server has. */
export function freshSchema(): string {
  return `s${process.pid}_${++schemas}`
}
