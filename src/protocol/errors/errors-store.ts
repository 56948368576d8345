import { HoldpointError, messageOf } from './error-base.ts'

/**
 * The store lost entries of a thread, or has others than were read before: it was restored from a backup, or failed
 * over to a replica that lagged. Nothing more was written. Continuing would repeat what the lost entries had recorded.
 */
export class StoreBehind extends HoldpointError {
  readonly threadId: string
  /** The version that was read before. */
  readonly expected: number
  /** The store's current version. */
  readonly found: number

  constructor(where: { threadId: string; expected: number; found: number }) {
    const { threadId, expected, found } = where
    const has =
      found < expected
        ? `The store has thread ${threadId} at version ${found}, but version ${expected} was read from it before`
        : `The store has another entry ${expected} of thread ${threadId} than was read from it before`
    super(
      'store_behind',
      `${has}: it lost entries, as after restoring a backup or failing over to a replica that lagged. Nothing more was written. Find out what was lost before you go on.`,
    )
    this.threadId = threadId
    this.expected = expected
    this.found = found
  }
}

/** Every attempt to append lost to a concurrent writer. */
export class StoreContended extends HoldpointError {
  constructor(what: string, rounds: number) {
    super(
      'store_contended',
      `${what}: concurrent writers came first ${rounds} times in a row. Nothing was written; try again.`,
    )
  }
}

/** Another process held the store's lock for too long. */
export class StoreBusy extends HoldpointError {
  constructor(what: string, cause?: unknown) {
    super('store_busy', `${what} is locked by another process. Nothing was written; try again.`, { cause })
  }
}

/** A file was opened with two SQLite libraries in one process. */
export class DriverConflict extends HoldpointError {
  readonly path: string

  constructor({ path, driver, first }: { path: string; driver: string; first: string }) {
    super(
      'driver_conflict',
      `${path} was opened with ${first} in this process, so ${driver} may not open it: closing one would drop the locks of the other, and the file could be damaged. Give all stores of a file the same driver.`,
    )
    this.path = path
  }
}

/** The store was closed. */
export class StoreClosed extends HoldpointError {
  constructor() {
    super('store_closed', 'The store is closed.')
  }
}

/**
 * The corrupt place: a whole store, or one thread of it. `seq` is the first entry that differs from what was written.
 */
export interface CorruptPlace {
  /** The file or database. */
  readonly store?: string
  readonly tenantId?: string
  readonly threadId: string
  readonly seq?: number
}

/** The store is damaged, was tampered with, or is not a holdpoint store. It was not changed. */
export class StoreCorrupt extends HoldpointError {
  readonly tenantId?: string
  readonly threadId?: string
  readonly seq?: number
  readonly problem: string

  constructor(place: string | CorruptPlace, problem: string, cause?: unknown) {
    super(
      'store_corrupt',
      typeof place === 'string'
        ? `${place} cannot be used as a store: ${problem}. It was left as it is.`
        : `${nameOf(place)} is damaged or was tampered with: ${problem}. It was left as it is.`,
      { cause },
    )
    this.problem = problem
    if (typeof place === 'string') return
    if (place.tenantId !== undefined) this.tenantId = place.tenantId
    this.threadId = place.threadId
    if (place.seq !== undefined) this.seq = place.seq
  }
}

function nameOf({ store, tenantId, threadId, seq }: CorruptPlace): string {
  const entry = seq === undefined ? 'Thread' : `Entry ${seq} of thread`
  const tenant = tenantId === undefined || tenantId === 'default' ? '' : ` of tenant ${JSON.stringify(tenantId)}`
  return `${entry} ${JSON.stringify(threadId)}${tenant}${store === undefined ? '' : ` in ${store}`}`
}

/** A thread is signed with an audit key that this store was not opened with. Nothing was written. */
export class AuditKeyMissing extends HoldpointError {
  readonly threadId: string
  readonly keyId: string

  constructor({ threadId, keyId }: { threadId: string; keyId: string }) {
    super(
      'audit_key_missing',
      `Thread ${JSON.stringify(threadId)} is signed with the audit key ${JSON.stringify(keyId)}, which this store was not opened with. Nothing was written; open it with that auditKey.`,
    )
    this.threadId = threadId
    this.keyId = keyId
  }
}

/** The store failed for a reason of its own, given as the cause. */
export class StoreFailed extends HoldpointError {
  constructor(what: string, cause: unknown) {
    super('store_failed', `${what}: ${messageOf(cause)}`, { cause })
  }
}

/** There is no store to open, and none was to be created. */
export class StoreMissing extends HoldpointError {
  constructor(what: string) {
    super(
      'store_missing',
      `There is no store of this version in ${what}. An application's store creates it on first use; so does the script that holdpoint migrate --print prints.`,
    )
  }
}

/** The tables are older than this version of holdpoint needs, and were not to be changed. */
export class StoreOutdated extends HoldpointError {
  constructor(what: string, found: number, needed: number) {
    super(
      'store_outdated',
      `${what} has tables of version ${found}; this version of holdpoint needs ${needed}. Run holdpoint migrate, then start again. It was left as it is.`,
    )
  }
}

/** The store was written by a newer version of holdpoint. It was not changed. */
export class StoreNewer extends HoldpointError {
  constructor(path: string, found: number, supported: number) {
    super(
      'store_newer',
      `${path} can only be served by code for schema version ${found} or newer; this version of holdpoint is for ${supported}. Update holdpoint. It was left as it is.`,
    )
  }
}
