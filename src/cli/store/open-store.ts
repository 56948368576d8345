import { statSync } from 'node:fs'
import type { Store } from '../../index.ts'
import { type OnWarning, postgresStore } from '../../postgres.ts'
import type { AuditKey } from '../../protocol/chain/audit-key.ts'
import { sqliteStore } from '../../sqlite.ts'
import type { Call } from '../command-line/command.ts'
import { CliError } from '../command-line/errors.ts'
import { auditKeysOf } from './audit-keys.ts'
import { type StoreAddress, type StorePlace, storePlace } from './store-place.ts'

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
  return closing(openForPerson(place, { create: false, auditKeys: auditKeysOf(call), onWarning }), work)
}

/** Opens a store for the time of `work`, and creates it if it is missing. */
export function withNewStore<T>(place: StorePlace, work: (store: Store) => Promise<T>): Promise<T> {
  return closing(openForPerson(place, { create: true, auditKeys: [], onWarning: () => undefined }), work)
}

function openForPerson({ at, tenant }: StorePlace, options: OpenOptions): Store {
  const store = openStore(at, { ...options, timeoutMs: CONNECT_TIMEOUT_MS })
  return tenant === undefined ? store : store.tenant(tenant)
}

/** How a store is opened. */
export interface OpenOptions {
  /** Whether missing tables in Postgres are created, and old ones upgraded. A file always is. */
  readonly create: boolean
  readonly auditKeys: readonly AuditKey[]
  readonly onWarning: OnWarning
  /** How long to wait for Postgres. */
  readonly timeoutMs?: number
  /** Whether a file is written on a thread of its own: for processes that serve many people. */
  readonly thread?: boolean
  /** Where to listen to notifications of Postgres, if not at its address. */
  readonly listen?: string | undefined
}

/** Opens a store. Nothing is connected before its first use. */
export function openStore(at: StoreAddress, { create, auditKeys, onWarning, ...rest }: OpenOptions): Store {
  const options = { onWarning, ...(auditKeys.length > 0 ? { auditKey: auditKeys } : {}) }
  const { thread = false, timeoutMs, listen } = rest
  if (at.kind === 'file') return sqliteStore({ path: at.path, thread, ...options })
  return postgresStore({
    ...options,
    connectionString: at.url,
    create,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(at.schema === undefined ? {} : { schema: at.schema }),
    ...(listen === undefined ? {} : { listenConnectionString: listen }),
  })
}

/**
 * Opens the file of a store, for processes that would otherwise go on without it. Throws what is wrong: no driver, no permission, not a store. A file does not
 * get better by waiting; a database may be on its way, so it is not asked.
 */
export async function fileOpens({ kind }: StoreAddress, store: Store): Promise<void> {
  if (kind !== 'file') return
  try {
    // Stores have no ping: a read that finds nothing will do.
    await store.getRequest('00000000-0000-0000-0000-000000000000')
  } catch (error) {
    await store.close()
    throw error
  }
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
