import { type Clock, systemClock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { type AuditKey, type AuditKeyOption, toAuditKeys } from '../../protocol/chain/audit-key.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { type Limits, type StoreLimits, storeLimits } from '../../protocol/checks/limits.ts'
import { StoreClosed } from '../../protocol/errors/errors.ts'
import { parseTenantId } from '../../protocol/ids.ts'
import { checkAppend } from '../shared/guards.ts'
import { checkRenewal, renewLease } from '../shared/lease.ts'
import { steadyClock, steadyTime } from '../shared/steady-clock.ts'
import { createWaiters, type Waiters } from '../shared/waiters.ts'
import { applyAppend } from './append.ts'
import { besideJournals, OUTBOX } from './beside.ts'
import { createTenant, type MemoryTenant, type ThreadSeed } from './data.ts'
import { findDue } from './due.ts'
import { findGrants } from './grants.ts'
import { type MemoryOutbox, outboxEnd } from './outbox.ts'
import { findQueue } from './queue.ts'
import { readChain, readHead, readThread } from './read.ts'
import { readBack } from './read-back.ts'
import { findReady } from './ready.ts'
import { countRequests, findReaderThreads, findRequests, getRequest } from './requests.ts'
import { findThreads } from './threads.ts'

/** Options of a memory store. */
export interface MemoryStoreOptions {
  clock?: Clock
  /** Signs the ends of threads for auditors. Other processes cannot reach this store, so reads check nothing. */
  auditKey?: AuditKeyOption
  limits?: StoreLimits
}

/** What all views of one memory store share. */
interface Backing {
  /** The `clock` option. */
  readonly brought: Clock | undefined
  readonly limits: Limits<StoreLimits>
  readonly clock: Clock
  readonly tenants: Map<string, MemoryTenant>
  readonly outbox: MemoryOutbox
  readonly waiters: Waiters
  readonly auditKeys: readonly AuditKey[]
  closed: boolean
}

/** A store that lives as long as its process. Its views by tenant share it, and closing one closes all. */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  requireKnown('memoryStore', options, ['clock', 'auditKey', 'limits'])
  return createStore(options, undefined)
}

/** A memory store that holds one thread from the start, and is bound to its tenant. No entry point exports it. */
export function seededMemoryStore(seed: ThreadSeed): Store {
  return createStore({}, seed)
}

function createStore(options: MemoryStoreOptions, seed: ThreadSeed | undefined): Store {
  const tenantId = parseTenantId(seed?.tenant ?? 'default')
  const outbox: MemoryOutbox = { rows: [], dropped: 0 }
  const backing: Backing = {
    brought: options.clock,
    limits: storeLimits(options.limits),
    clock: steadyClock(options.clock ?? systemClock),
    tenants: new Map([[tenantId, createTenant(tenantId, outbox, seed)]]),
    outbox,
    waiters: createWaiters(),
    auditKeys: toAuditKeys(options.auditKey),
    closed: false,
  }
  return bind(backing, tenantId)
}

function bind(backing: Backing, tenantId: string): Store {
  const { clock, limits, tenants, waiters, outbox } = backing
  const keyOf = (threadId: string) => JSON.stringify([tenantId, threadId])

  function tenant(): MemoryTenant {
    if (backing.closed) throw new StoreClosed()
    const known = tenants.get(tenantId)
    if (known) return known
    const added = createTenant(tenantId, backing.outbox)
    tenants.set(tenantId, added)
    return added
  }

  return {
    tenantId,
    limits,
    ...(backing.brought && { clock: backing.brought }),
    async append(append) {
      const own = tenant()
      checkAppend(append, limits)
      const outcome = applyAppend(own, append, clock.now())
      if (outcome.ok && !waiters.idle) {
        waiters.wake(keyOf(append.threadId), outcome.version)
        waiters.wake(OUTBOX, outboxEnd(outbox))
      }
      return outcome
    },
    async read(threadId, options) {
      const { after = 0, snapshot, chunks = false } = options ?? {}
      return readThread(tenant(), threadId, { after, snapshot, chunks, time: clock.now() })
    },
    async readBack(threadId, query) {
      return readBack(tenant(), threadId, query)
    },
    async readChain(threadId, range) {
      return readChain(tenant(), threadId, range)
    },
    async readHead(threadId) {
      return readHead(tenant(), threadId, backing.auditKeys)
    },
    async getRequest(id) {
      return getRequest(tenant(), id, clock.now())
    },
    async findRequests(query) {
      return findRequests(tenant(), query, clock.now())
    },
    async countRequests(query, options) {
      return countRequests(tenant(), { ...query, stopAt: options?.limit }, clock.now())
    },
    async threadsOf(query) {
      return findReaderThreads(tenant(), query, clock.now())
    },
    async due(query) {
      tenant()
      return findDue(tenants.values(), query, clock.now())
    },
    async ready(query) {
      tenant()
      return findReady(tenants.values(), query, clock.now())
    },
    async queue() {
      tenant()
      return findQueue(tenants.values(), clock.now())
    },
    async threads(query) {
      tenant()
      return findThreads(tenants.values(), query)
    },
    async findGrants(query) {
      return findGrants(tenant(), query, clock.now())
    },
    async renewLease(threadId, renewal) {
      checkRenewal(renewal)
      const thread = tenant().threads.get(threadId)
      if (!thread) return false
      const now = steadyTime(clock.now(), thread.at)
      const renewed = renewLease(thread.lease, renewal, now)
      if (!renewed) return false
      thread.lease = renewed
      thread.at = now
      return true
    },
    async changed(threadId, options) {
      const version = tenant().threads.get(threadId)?.bodies.length ?? 0
      if (version <= options.after) await waiters.wait(keyOf(threadId), options)
    },
    ...besideJournals({ outbox, waiters, tenants, tenant, now: () => clock.now() }),
    async scrub() {
      tenant()
    },
    tenant: (id) => bind(backing, parseTenantId(id)),
    async close() {
      backing.closed = true
      waiters.fail(new StoreClosed())
    },
  }
}
