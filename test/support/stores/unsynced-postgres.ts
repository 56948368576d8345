import type { Store } from '../../../src/ports/store.ts'
import { type PostgresStoreOptions, postgresStore } from '../../../src/store/postgres/store.ts'
import { emitWarning } from '../../../src/store/shared/warning.ts'

/** A store on a server that tests start with `fsync = off` on purpose. It does not warn of that, and of everything else it does. */
export function unsyncedPostgres(options: PostgresStoreOptions): Store {
  return postgresStore({
    onWarning(warning) {
      if (warning.code !== 'fsync_off') emitWarning(warning)
    },
    ...options,
  })
}
