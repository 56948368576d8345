import type { Clock } from '../../ports/clock.ts'
import type { CrashPoint } from '../../ports/crash-points.ts'
import type { Append, AppendOutcome, Store } from '../../ports/store.ts'
import { type AuditKeyOption, toAuditKeys } from '../../protocol/chain/audit-key.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { type Limits, type StoreLimits, storeLimits } from '../../protocol/checks/limits.ts'
import { checkPostgresAddress } from '../../protocol/checks/server-address.ts'
import { InputInvalid, StoreClosed } from '../../protocol/errors/errors.ts'
import { parseTenantId } from '../../protocol/ids.ts'
import { checkAppend } from '../shared/guards.ts'
import { checkRenewal } from '../shared/lease.ts'
import { threadKey } from '../shared/thread-key.ts'
import { type Trust, toVerify, type Verify } from '../shared/verify.ts'
import { emitWarning, type OnWarning } from '../shared/warning.ts'
import { createSalts, type Salts } from '../sql/salts.ts'
import { makeAppend } from './append.ts'
import { besideJournals } from './beside.ts'
import { untilReached } from './connection/back-off.ts'
import { type Bell, createBell } from './connection/bell.ts'
import { type Connections, createConnections } from './connection/connection.ts'
import type { PgPool } from './connection/driver.ts'
import { createFollower, type Follower } from './connection/follow.ts'
import { prefixOf, toPlace } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import { findGrants, haveGrants } from './grants.ts'
import { createGroup, type Group } from './group.ts'
import { groupReads } from './group-reads.ts'
import { createLanes, type Lanes } from './lanes.ts'
import { type LoadThread, loadThreads } from './load.ts'
import { findThreads, readChain, readHead, readThread } from './read.ts'
import { readBack } from './read-back.ts'
import { countRequests, findDue, findReaderThreads, findRequests, getRequest, readQueue } from './requests.ts'
import { createUnsettled, type Unsettled } from './settle.ts'
import { readFromSnapshot } from './snapshots.ts'
import { createTime, patienceOf, type StoreTime } from './time.ts'
import { findReady } from './wake.ts'

export type { Verify } from '../shared/verify.ts'
export type { OnWarning, StoreWarning } from '../shared/warning.ts'

/** Options of a Postgres store: a connection string, or a `pg` pool, which you end yourself. */
export interface PostgresStoreOptions {
  connectionString?: string
  pool?: PgPool
  /**
   * Where to LISTEN for writes by others, if `connectionString` or `pool` goes through a proxy that hands connections on after each transaction
   * (PgBouncer): a direct connection, or `null` to poll only, five times a second. With it, the other connections have no session state and no named
   * statements. Default: where the others go.
   */
  listenConnectionString?: string | null
  /** The schema of the tables. Default `holdpoint`. It is created on first use. */
  schema?: string
  /** Whether the schema is created or upgraded if needed. Default `true`; with `false` a missing schema is `StoreMissing`, and an older one `StoreOutdated`. */
  create?: boolean
  /** How long to wait for a database that is unreachable or busy. */
  timeoutMs?: number
  /** For tests. Default: the database's clock. */
  clock?: Clock
  /**
   * Signs the end of every thread, so that a chain that was cut off or recomputed is detected too. Every process that writes needs it. The key never
   * reaches the database, so an append takes three more round trips.
   */
  auditKey?: AuditKeyOption
  /** How reads are verified: every hash (`'chain'`, the default), or only that no entry is missing (`'envelope'`), for very long threads. */
  verify?: Verify
  limits?: StoreLimits
  /** Called if the server's settings may lose acknowledged writes (`fsync = off` …). Default: a process warning. If it throws, opening fails. */
  onWarning?: OnWarning
  crashPoint?: CrashPoint
}

const KNOWN = [
  'connectionString',
  'pool',
  'listenConnectionString',
  'schema',
  'create',
  'timeoutMs',
  'clock',
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
  readonly connections: Connections
  readonly time: StoreTime
  readonly salts: Salts
  readonly lanes: Lanes
  readonly follower: Follower
  readonly bell: Bell
  readonly timeoutMs: number
  readonly trust: Trust
  readonly unsettled: Unsettled
  readonly group: Group
  readonly load: LoadThread
  hasGrants(tenant: string): Promise<boolean>
  readonly crashPoint: CrashPoint | undefined
  /** Work under way. */
  readonly pending: Set<Promise<unknown>>
  closing: Promise<void> | undefined
}

/**
 * A store in a Postgres database (14 or newer), shared by any number of processes and machines. Nothing is connected before the first
 * call that needs it, which gets the error if that fails. Views by tenant share the connections, and closing one closes all.
 */
export function postgresStore(options: PostgresStoreOptions): Store {
  requireKnown('postgresStore', options, KNOWN)
  const { connectionString, pool, schema = 'holdpoint', create = true, timeoutMs = 10_000, crashPoint } = options
  if ((connectionString === undefined) === (pool === undefined)) {
    throw new InputInvalid('postgresStore needs a connectionString or a pool, and not both')
  }
  const { listenConnectionString } = options
  if (typeof listenConnectionString === 'string') checkPostgresAddress('listenConnectionString', listenConnectionString)
  const connections = createConnections({
    place: toPlace(schema, connectionString),
    create,
    connectionString,
    listenConnectionString,
    pool,
    timeoutMs,
    onWarning: options.onWarning ?? emitWarning,
  })
  const time = createTime(options.clock)
  const verify = toVerify(options.verify)
  const backing: Backing = {
    brought: options.clock,
    limits: storeLimits(options.limits),
    connections,
    time,
    salts: createSalts(),
    lanes: createLanes(),
    follower: createFollower(connections),
    bell: createBell(connections),
    timeoutMs,
    trust: {
      store: connections.place.name,
      verify,
      auditKeys: toAuditKeys(options.auditKey),
    },
    unsettled: createUnsettled(),
    group: createGroup(connections),
    load: groupReads(connections, (run, loads) => loadThreads(run, { schema, verify, time }, loads)),
    hasGrants: groupReads(connections, (run, tenants) => haveGrants(run, schema, tenants)),
    crashPoint,
    pending: new Set(),
    closing: undefined,
  }
  return bind(backing, 'default')
}

function bind(backing: Backing, tenant: string): Store {
  const { connections, follower, limits, time, timeoutMs } = backing
  const { schema, name } = connections.place
  const view = { schema, tenant, trust: backing.trust }
  const tried = <T>(work: (run: Run) => Promise<T>) =>
    begun(backing, () => untilReached({ place: name, timeoutMs, run: () => connections.use(work) }))

  return {
    tenantId: tenant,
    limits,
    ...(backing.brought && { clock: backing.brought }),
    async append(append: Append): Promise<AppendOutcome> {
      if (backing.closing === undefined) checkAppend(append, limits)
      const outcome = await begun(backing, () =>
        backing.lanes.push(threadKey(tenant, append.threadId), async () => {
          await backing.unsettled.settle(threadKey(tenant, append.threadId))
          return makeAppend({ ...backing, tenant }, append)
        }),
      )
      if (outcome.ok && append.entries.length > 0) {
        follower.wrote(tenant, append.threadId, outcome.version)
        const { threadId, requests, grants, wake, erase } = append
        const tells = erase !== undefined || (wake?.op === 'by' && wake.tell === true)
        const hasRows = requests !== undefined || grants !== undefined || tells
        backing.bell.ring({ tenant, threadId, version: outcome.version, hasRows })
        if (hasRows) follower.wroteOutbox()
      }
      return outcome
    },
    async read(threadId, { after = 0, snapshot: fold, chunks = false } = {}) {
      if (backing.closing === undefined) await backing.unsettled.settle(threadKey(tenant, threadId))
      const query = { threadId, time, load: backing.load }
      const run = () =>
        fold === undefined
          ? readThread(connections.each, view, { ...query, after })
          : readFromSnapshot(connections.each, view, { ...query, fold, chunks })
      return begun(backing, () => untilReached({ place: name, timeoutMs, run }))
    },
    async readBack(threadId, query) {
      if (backing.closing === undefined) await backing.unsettled.settle(threadKey(tenant, threadId))
      return tried((run) => readBack(run, view, { ...query, threadId, time }))
    },
    readChain: (threadId, range) => tried((run) => readChain(run, view, { ...range, threadId })),
    readHead: (threadId) => tried((run) => readHead(run, view, threadId)),
    getRequest: (id) => tried((run) => getRequest(run, view, { id, time })),
    findRequests: (query) => tried((run) => findRequests(run, view, { ...query, time })),
    countRequests: (query, options) =>
      tried((run) => countRequests(run, view, { ...query, time, stopAt: options?.limit })),
    threadsOf: (query) => tried((run) => findReaderThreads(run, view, query)),
    due: (query) => tried((run) => findDue(run, schema, { ...query, time })),
    ready: (query) => tried((run) => findReady(run, schema, { ...query, time })),
    queue: () => tried((run) => readQueue(run, view, time)),
    threads: (query) => tried((run) => findThreads(run, schema, query)),
    async findGrants(query) {
      const reached = { place: name, timeoutMs, run: () => backing.hasGrants(tenant) }
      if (!(await begun(backing, () => untilReached(reached)))) return { grants: [] }
      return tried((run) => findGrants(run, view, { ...query, time }))
    },
    // A renewal is idempotent, so a lost answer needs no settling.
    async renewLease(threadId, renewal) {
      checkRenewal(renewal)
      const { holder, token, ttlMs } = renewal
      return tried(async (run) => {
        const sql = `SELECT ${prefixOf(schema)}renew($1, $2, $3, $4, $5, $6, $7, $8) AS renewed`
        const [row] = await run.kept(sql, [
          tenant,
          threadId,
          holder,
          token,
          ttlMs,
          ...time.values(),
          patienceOf(timeoutMs),
        ])
        return row?.renewed === 't'
      })
    },
    async changed(threadId, { after, signal }) {
      if (backing.closing !== undefined) throw new StoreClosed()
      if (!signal.aborted) await follower.follow({ tenant, threadId, after, signal })
    },
    ...besideJournals({ ...backing, view, tried, isClosed: () => backing.closing !== undefined }),
    // The server itself removes dead rows and recycles its log.
    scrub: () => tried(async () => undefined),
    tenant: (id) => bind(backing, parseTenantId(id)),
    close: () => (backing.closing ??= close(backing)),
  }
}

/** Starts work that closing waits for. */
async function begun<T>({ closing, pending }: Backing, work: () => Promise<T>): Promise<T> {
  if (closing !== undefined) throw new StoreClosed()
  const working = work()
  pending.add(working)
  try {
    return await working
  } finally {
    pending.delete(working)
  }
}

async function close({ pending, follower, bell, connections }: Backing): Promise<void> {
  await follower.close(new StoreClosed())
  await Promise.allSettled(pending)
  await bell.quiet()
  await connections.close()
}
