import { statSync } from 'node:fs'
import type { Store } from '../../index.ts'
import { type OnWarning, postgresStore } from '../../postgres.ts'
import type { AuditKey } from '../../protocol/chain/audit-key.ts'
import { sqliteStore } from '../../sqlite.ts'
import type { Call } from '../command-line/command.ts'
import { CliError } from '../command-line/errors.ts'
import { auditKeysOf } from './audit-keys.ts'
import { type StorePlace, storePlace } from './store-place.ts'

/** Connection timeout. Short, since a person waits. */
const CONNECT_TIMEOUT_MS = 3_000

/** Opens an existing store for the time of `work`. A missing store is an error; none is created. Only `doctor` prints warnings. */
export async function withStore<T>(
  call: Call,
  work: (store: Store) => Promise<T>,
  onWarning: OnWarning = () => undefined,
): Promise<T> {
  const place = storePlace(call)
  if (place.at.kind === 'file') checkFile(place.at.path)
  return closing(open(place, { create: false, auditKeys: auditKeysOf(call), onWarning }), work)
}

/** Opens a store for the time of `work`, and creates it if it is missing. */
export function withNewStore<T>(place: StorePlace, work: (store: Store) => Promise<T>): Promise<T> {
  return closing(open(place, { create: true, auditKeys: [], onWarning: () => undefined }), work)
}

function open(
  { at, tenant }: StorePlace,
  { create, auditKeys, onWarning }: { create: boolean; auditKeys: readonly AuditKey[]; onWarning: OnWarning },
): Store {
  const options = { onWarning, ...(auditKeys.length > 0 ? { auditKey: auditKeys } : {}) }
  const store =
    at.kind === 'file'
      ? sqliteStore({ path: at.path, ...options })
      : postgresStore({
          ...options,
          connectionString: at.url,
          timeoutMs: CONNECT_TIMEOUT_MS,
          create,
          ...(at.schema === undefined ? {} : { schema: at.schema }),
        })
  return tenant === undefined ? store : store.tenant(tenant)
}

function checkFile(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isFile() && stat.size > 0) return
  throw new CliError(
    'store_missing',
    `There is no store at ${path}. Run this in the folder where the store is, or name it with --store PLACE or HOLDPOINT_STORE.`,
  )
}

async function closing<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
