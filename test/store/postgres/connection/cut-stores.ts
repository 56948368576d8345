import type { Store } from '../../../../src/ports/store.ts'
import type { PostgresServer } from '../../../support/servers/postgres-server.ts'
import { startProxy, type TcpProxy } from '../../../support/servers/tcp-proxy.ts'
import { freshSchema } from '../../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../../support/stores/unsynced-postgres.ts'

/** Two processes that share a schema, and what is between the first one and the server. */
export interface CutStores {
  readonly store: Store
  /** Its connections are cut by nobody. */
  readonly other: Store
  readonly proxy: TcpProxy
  /** The address of the server behind the proxy. */
  readonly address: string
  readonly schema: string
  close(): Promise<void>
}

/** Opens them on a schema of their own. */
export async function openCutStores({ connectionString, port }: PostgresServer): Promise<CutStores> {
  const schema = freshSchema()
  const proxy = await startProxy(port)
  const address = connectionString.replace(`:${port}/`, `:${proxy.port}/`)
  const store = unsyncedPostgres({ connectionString: address, schema })
  const other = unsyncedPostgres({ connectionString, schema })
  return {
    ...{ store, other, proxy, address, schema },
    async close() {
      await Promise.all([store.close(), other.close()])
      await proxy.close()
    },
  }
}
