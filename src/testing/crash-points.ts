import type { CrashPoint } from '../ports/crash-points.ts'
import type { Append, AppendOutcome, Store } from '../ports/store.ts'

/**
 * A store that reaches a named point before and after each append: `before:run.opened#1`, `after:run.opened#1`, … The
 * name is the type of the append's first entry, or `lease` if it only changes the lease. The number counts appends of
 * that name, so every append of a cycle has its own points. All tenants share the counters.
 */
export function withCrashPoints(store: Store, reach: CrashPoint): Store {
  const counts = new Map<string, number>()
  return wrap(store, async (inner, append) => {
    const name = nameOf(append)
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    reach(`before:${name}#${count}`)
    const outcome = await inner.append(append)
    reach(`after:${name}#${count}`)
    return outcome
  })
}

function wrap(inner: Store, append: (inner: Store, append: Append) => Promise<AppendOutcome>): Store {
  return {
    tenantId: inner.tenantId,
    ...(inner.clock && { clock: inner.clock }),
    append: (change) => append(inner, change),
    read: (threadId, options) => inner.read(threadId, options),
    readBack: (threadId, query) => inner.readBack(threadId, query),
    readChain: (threadId, range) => inner.readChain(threadId, range),
    readHead: (threadId) => inner.readHead(threadId),
    getRequest: (id) => inner.getRequest(id),
    findRequests: (query) => inner.findRequests(query),
    countRequests: (query, options) => inner.countRequests(query, options),
    threadsOf: (query) => inner.threadsOf(query),
    due: (query) => inner.due(query),
    ready: (query) => inner.ready(query),
    queue: () => inner.queue(),
    threads: (query) => inner.threads(query),
    findGrants: (query) => inner.findGrants(query),
    renewLease: (threadId, lease) => inner.renewLease(threadId, lease),
    changed: (threadId, options) => inner.changed(threadId, options),
    writeRecords: (changes) => inner.writeRecords(changes),
    readRecord: (kind, id) => inner.readRecord(kind, id),
    readRecords: (kind, ids) => inner.readRecords(kind, ids),
    findRecords: (query) => inner.findRecords(query),
    outbox: (query) => inner.outbox(query),
    outboxChanged: (options) => inner.outboxChanged(options),
    prune: (options) => inner.prune(options),
    scrub: () => inner.scrub(),
    tenant: (id) => wrap(inner.tenant(id), append),
    close: () => inner.close(),
  }
}

function nameOf({ entries }: Append): string {
  const [first] = entries
  return first === undefined ? 'lease' : (JSON.parse(first) as { type: string }).type
}
