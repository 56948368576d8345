import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { storeConformance } from '../../../src/testing/store-suite/conformance.ts'
import { usePostgres } from '../../support/servers/use-postgres.ts'
import { soak } from '../../support/soak.ts'
import { describeConformance } from '../conformance.ts'
import { postgresHarness } from './harness.ts'

const server = usePostgres()

describeConformance(
  'the Postgres store, by a connection string',
  postgresHarness((options) => ({ ...options, connectionString: server.get().connectionString })),
)

let pool: pg.Pool
beforeAll(() => {
  pool = new pg.Pool({ connectionString: server.get().connectionString, max: 2 })
  // Connections of a pool end a little after the pool, and then the server may be gone already.
  pool.on('error', () => undefined)
})
afterAll(() => pool.end())

describeConformance(
  'the Postgres store, with a small pool that was brought',
  postgresHarness((options) => ({ ...options, pool })),
  soak.sample(storeConformance, { part: 0, of: 3 }),
)
