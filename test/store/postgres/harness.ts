import pg from 'pg'
import type { Store } from '../../../src/ports/store.ts'
import type { PostgresStoreOptions } from '../../../src/store/postgres/store.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import type { HarnessOptions, StoreHarness } from '../../../src/testing/store-suite/store-case.ts'
import { freshSchema } from '../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'
import { tamperingSql } from '../tampering.js'

/** How the Postgres store joins the suite: each store is a schema of its own, and reopening opens the same schema. */
export function postgresHarness(open: (options: PostgresStoreOptions) => PostgresStoreOptions): StoreHarness {
  const clock = fakeClock()
  const names = new WeakMap<Store, string>()
  const on = (schema: string, more: HarnessOptions = {}) => {
    const store = unsyncedPostgres(open({ schema, clock, ...more }))
    names.set(store, schema)
    return store
  }
  return {
    clock,
    create: async (more) => on(freshSchema(), more),
    reopen: async (store, more) => on(names.get(store)!, more),
    async tamper(store, tampering) {
      const { connectionString, pool } = open({})
      const client = pool ? undefined : new pg.Client(connectionString)
      await client?.connect()
      const dialect = { prefix: `${names.get(store)!}.`, hex: (bytes: string) => `'\\x${bytes}'` }
      for (const sql of tamperingSql(tampering, dialect)) await (client ?? (pool as pg.Pool)).query(sql)
      await client?.end()
    },
  }
}
