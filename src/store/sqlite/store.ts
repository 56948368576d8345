import { resolve } from 'node:path'
import { type Clock, systemClock } from '../../ports/clock.ts'
import type { CrashPoint } from '../../ports/crash-points.ts'
import type { Append, AppendOutcome, Store } from '../../ports/store.ts'
import { type AuditKeyOption, toAuditKeys } from '../../protocol/chain/audit-key.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { type Limits, type StoreLimits, storeLimits } from '../../protocol/checks/limits.ts'
import { InputInvalid, StoreClosed } from '../../protocol/errors/errors.ts'
import { parseTenantId } from '../../protocol/ids.ts'
import { checkAppend } from '../shared/guards.ts'
import { checkRenewal } from '../shared/lease.ts'
import { steadyClock } from '../shared/steady-clock.ts'
import { type Trust, toVerify, type Verify } from '../shared/verify.ts'
import { emitWarning, type OnWarning } from '../shared/warning.ts'
import { createSalts } from '../sql/salts.ts'
import { besideJournals } from './beside.ts'
import { untilFree } from './connection/back-off.ts'
import { type Connection, type ConnectionHolder, createConnectionHolder } from './connection/connection.ts'
import { DRIVERS, type DriverName } from './connection/driver.ts'
import { createFollower, type Follower } from './connection/follow.ts'
import { scrub } from './erase.ts'
import { countRequests, findDue, findReaderThreads, findRequests, readQueue } from './find-requests.ts'
import { findGrants } from './grants.ts'
import { findThreads, readChain, readEnd } from './read.ts'
import { readBack } from './read-back.ts'
import { getRequest } from './requests.ts'
import { readSlice } from './snapshots.ts'
import { findReady } from './wake.ts'
import { type CommitQueue, createCommitQueue } from './writing/commit-queue.ts'
import { ShortTurns } from './writing/short-turns.ts'
import { ThreadQueue } from './writing/thread-queue.ts'

export type { Verify } from '../shared/verify.ts'
export type { OnWarning, StoreWarning } from '../shared/warning.ts'

/** Options of an SQLite store. */
export interface SqliteStoreOptions {
  /** The file. It is created on first use, with its parent folders. */
  path: string
  /** What a fulfilled append survives: a power cut (`'power'`, the default: one sync per commit), or the end of the process. */
  durability?: 'power' | 'process'
  /**
   * Whether writes are made on a thread of their own, so that the program's own thread never waits for the disk. Default `false`. For programs that
   * serve many threads at once with `durability: 'power'`.
   */
  thread?: boolean
  clock?: Clock
  /** By default `node:sqlite` where Node has it, else `libsql`, else `better-sqlite3`. All stores of a file in one process need the same one. */
  driver?: DriverName
  /** How long to wait for locks of other processes before `StoreBusy`. */
  busyTimeoutMs?: number
  /** Signs the end of every thread, so that a chain that was cut off or recomputed is detected too. Every process that writes needs it. */
  auditKey?: AuditKeyOption
  /** How reads are verified: every hash (`'chain'`, the default), or only that no entry is missing (`'envelope'`), for very long threads. */
  verify?: Verify
  limits?: StoreLimits
  /** Called if the file is in a place that cannot keep the promised durability. Default: a process warning. If it throws, opening fails. */
  onWarning?: OnWarning
  crashPoint?: CrashPoint
}

/** A path that begins like this is a mistake: it would become a file in folders of these names. */
const URL_SCHEME = /^(?:file:|[a-z][a-z\d+.-]+:\/\/)/i

const KNOWN = [
  'path',
  'durability',
  'thread',
  'clock',
  'driver',
  'busyTimeoutMs',
  'auditKey',
  'verify',
  'limits',
  'onWarning',
  'crashPoint',
]

/** What all views of one store share. */
interface Backing {
  /** The `clock` option. */
  readonly brought: Clock | undefined
  readonly limits: Limits<StoreLimits>
  readonly clock: Clock
  readonly holder: ConnectionHolder
  readonly queue: CommitQueue
  readonly follower: Follower
  readonly busyTimeoutMs: number
  readonly trust: Trust
  readonly turns: ShortTurns | undefined
  closing: Promise<void> | undefined
}

/**
 * A store in one file, shared by any number of processes of one machine. The file is opened by the first call that needs it, which
 * gets the error if that fails. Views by tenant share the file, and closing one closes all.
 */
export function sqliteStore(options: SqliteStoreOptions): Store {
  requireKnown('sqliteStore', options, KNOWN)
  if (typeof options?.path !== 'string' || options.path === '' || options.path === ':memory:') {
    throw new InputInvalid('sqliteStore needs the path of a file; for a store without one use memoryStore()')
  }
  if (URL_SCHEME.test(options.path))
    throw new InputInvalid('the path of sqliteStore is that of a file, such as ./runs.db, not a url')
  const { durability = 'power', thread = false, busyTimeoutMs = 10_000, crashPoint, driver } = options
  const verify = toVerify(options.verify)
  // A typo must not weaken durability.
  if (durability !== 'power' && durability !== 'process') {
    throw new InputInvalid(`durability must be 'power' or 'process'`)
  }
  if (driver !== undefined && !DRIVERS.includes(driver))
    throw new InputInvalid(`driver must be ${DRIVERS.map((name) => `'${name}'`).join(' or ')}`)
  if (thread && crashPoint) throw new InputInvalid('crashPoint cannot be called on another thread: leave out thread')
  const holder = createConnectionHolder({
    path: resolve(options.path),
    durability,
    driver,
    onWarning: options.onWarning ?? emitWarning,
  })
  const clock = steadyClock(options.clock ?? systemClock)
  const trust = { store: holder.path, verify, auditKeys: toAuditKeys(options.auditKey) }
  const writing = { salts: createSalts(), trust, now: () => clock.now() }
  const here = createCommitQueue({ holder, busyTimeoutMs, crashPoint, writing })
  const data = { path: holder.path, durability, busyTimeoutMs, trust }
  // On the program's own thread the disk is what turns are long by, and who goes on together is committed together.
  const turns = thread ? new ShortTurns() : undefined
  const queue = turns ? new ThreadQueue({ data, holder, here, clock: options.clock && clock, turns }) : here
  const backing: Backing = {
    brought: options.clock,
    limits: storeLimits(options.limits),
    clock,
    holder,
    queue,
    follower: createFollower(holder),
    busyTimeoutMs,
    trust,
    turns,
    closing: undefined,
  }
  return bind(backing, 'default')
}

function bind(backing: Backing, tenant: string): Store {
  const { clock, limits, holder, queue, follower, trust, turns } = backing

  const write: CommitQueue['push'] = (one) =>
    backing.closing === undefined ? queue.push(one) : Promise.reject(new StoreClosed())

  async function read<T>(run: (connection: Connection) => T): Promise<T> {
    const found = await untilFree({
      path: holder.path,
      timeoutMs: backing.busyTimeoutMs,
      run: () => run(openConnection(backing)),
    })
    const turn = turns?.pass()
    if (turn !== undefined) await turn
    return found
  }

  return {
    tenantId: tenant,
    limits,
    ...(backing.brought && { clock: backing.brought }),
    async append(append: Append): Promise<AppendOutcome> {
      checkAppend(append, limits)
      const outcome = await write({ op: 'append', tenant, append })
      if (outcome.ok) follower.wrote(tenant, append.threadId, outcome.version)
      if (append.requests || append.grants || append.wake) follower.wroteOutbox()
      return outcome
    },
    read: (threadId, options) =>
      read((connection) => readSlice({ connection, tenant, trust }, { ...options, threadId, time: clock.now() })),
    readHead: (threadId) => read((connection) => readEnd(connection, tenant, threadId)),
    readBack: (threadId, query) => read((connection) => readBack({ connection, tenant, trust }, threadId, query)),
    readChain: (threadId, range) => read((connection) => readChain({ connection, tenant }, threadId, range)),
    getRequest: (id) => read((connection) => getRequest({ connection, tenant, trust }, id, clock.now())),
    findRequests: (query) => read((connection) => findRequests({ connection, tenant, trust }, query, clock.now())),
    countRequests: (query, { limit: stopAt } = {}) =>
      read((connection) => countRequests({ connection, tenant, trust }, { ...query, stopAt }, clock.now())),
    threadsOf: (query) => read((connection) => findReaderThreads({ connection, tenant, trust }, query)),
    due: (query) => read((connection) => findDue(connection, query, clock.now())),
    ready: (query) => read((connection) => findReady(connection, query, clock.now())),
    queue: () => read((connection) => readQueue(connection, holder.path, clock.now())),
    threads: (query) => read((connection) => findThreads(connection, query)),
    findGrants: (query) =>
      read((connection) => findGrants({ connection, tenant, trust }, { ...query, now: clock.now() })),
    async renewLease(threadId, renewal) {
      checkRenewal(renewal)
      return write({ op: 'renew', tenant, threadId, renewal })
    },
    async changed(threadId, { after, signal }) {
      if (signal.aborted) return
      const woken = await read((connection) => follower.follow(connection, { tenant, threadId, after, signal }))
      await woken()
    },
    ...besideJournals({ tenant, follower, read, write, now: () => clock.now() }),
    ...(turns && { turn: () => turns.pass() }),
    scrub: () => scrub(read),
    tenant: (id) => bind(backing, parseTenantId(id)),
    close: () => (backing.closing ??= close(backing)),
  }
}

function openConnection({ closing, holder }: Backing): Connection {
  if (closing !== undefined) throw new StoreClosed()
  return holder.get()
}

async function close({ queue, follower, holder }: Backing): Promise<void> {
  follower.close(new StoreClosed())
  await queue.close()
  holder.close()
}
