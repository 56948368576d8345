import { afterAll, beforeAll } from 'vitest'
import type { Store } from '../../src/ports/store.ts'
import { type PostgresStoreOptions, postgresStore } from '../../src/store/postgres/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import type { StoreHarness } from '../../src/testing/store-suite/store-case.ts'
import { type PostgresServer, type ServerOptions, startPostgres } from '../support/postgres-server.ts'

/** A server for the tests of a file, started before the first and stopped after the last of them. */
export function usePostgres(options?: ServerOptions): { get(): PostgresServer } {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    server = await startPostgres(options)
  })
  afterAll(() => server?.remove())
  return { get: () => server! }
}

let schemas = 0

/** A schema that no other test of this server has. */
export function freshSchema(): string {
  return `s${process.pid}_${++schemas}`
}

/** How the Postgres store joins the suite: each store is a schema of its own, and reopening opens the same schema. */
export function postgresHarness(open: (options: PostgresStoreOptions) => PostgresStoreOptions): StoreHarness {
  const clock = fakeClock()
  const names = new WeakMap<Store, string>()
  const on = (schema: string) => {
    const store = postgresStore(open({ schema, clock }))
    names.set(store, schema)
    return store
  }
  return {
    clock,
    create: async () => on(freshSchema()),
    reopen: async (store) => on(names.get(store)!),
  }
}
