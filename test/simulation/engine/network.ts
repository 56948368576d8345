import type { Append, AppendOutcome, Store } from '../../../src/ports/store.ts'
import { StoreFailed } from '../../../src/protocol/errors/errors.ts'
import type { Operation, OperationFault } from './faults.ts'
import type { Machine } from './machine.ts'
import type { Scheduler } from './scheduler.ts'

/** What lies between a process and everything outside of it. */
export interface Network {
  readonly scheduler: Scheduler
  /** How long a message takes. */
  latency(): number
  /** The fault that strikes now, if the next operation of this sort in this process has one. */
  strike(machine: Machine, of: Operation): OperationFault | undefined
  /** Ends a process. It is started again after a while. */
  crash(machine: Machine, restartMs: number): void
}

/** How long a process waits for an acknowledgement that was lost. */
const TIMEOUT_MS = 1000

/** Does something outside of a process: the request travels, is carried out, and is acknowledged. Each of the three may go wrong. */
export function perform<T>(
  network: Network,
  { machine, of }: { machine: Machine; of: Operation },
  work: () => T | Promise<T>,
): Promise<T> {
  const fault = machine.isAlive ? network.strike(machine, of) : undefined
  if (fault) network.scheduler.tell(machine.name, `fault: ${fault.kind} ${fault.when} ${of} ${fault.nth}`)
  if (fault?.kind === 'crash' && fault.when === 'before') network.crash(machine, fault.ms)
  if (fault?.kind === 'freeze' && fault.when === 'before') machine.frozenUntil = network.scheduler.now + fault.ms
  return travel(network, { machine, fault }, work)
}

/** The same with a given fault, or with none. */
export function travel<T>(
  network: Network,
  { machine, fault }: { machine: Machine; fault?: OperationFault | undefined },
  work: () => T | Promise<T>,
): Promise<T> {
  const { scheduler } = network
  return new Promise((resolve, reject) => {
    if (!machine.isAlive) return
    const fail = () => reject(new StoreFailed('The operation failed', new Error('the connection was lost')))
    if (fault?.kind === 'failed') return void scheduler.park(machine, network.latency(), fail)
    const isLateOut = fault?.kind === 'late' && fault.when === 'before'
    const arrive = async (): Promise<void> => {
      const settle = await carryOut(work, { resolve, reject })
      if (fault?.kind === 'lost') return void scheduler.park(machine, TIMEOUT_MS, fail)
      if (fault?.kind === 'crash') return network.crash(machine, fault.ms)
      if (fault?.kind === 'freeze' && fault.when === 'after') machine.frozenUntil = scheduler.now + fault.ms
      const isLateBack = fault?.kind === 'late' && fault.when === 'after'
      scheduler.park(machine, isLateBack ? fault.ms : network.latency(), settle)
    }
    scheduler.park(undefined, isLateOut ? fault.ms : network.latency(), () => void arrive())
  })
}

async function carryOut<T>(
  work: () => T | Promise<T>,
  { resolve, reject }: { resolve(value: T): void; reject(error: unknown): void },
): Promise<() => void> {
  try {
    const value = await work()
    return () => resolve(value)
  } catch (error) {
    return () => reject(error)
  }
}

/** A store as a process sees it, over the network. */
export function remoteStore(network: Network, machine: Machine, store: Store): Store {
  const { scheduler } = network
  const ask =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      perform(network, { machine, of: 'reads' }, () => call(...args))
  const wait = (waiting: Promise<void>): Promise<void> =>
    new Promise((resolve, reject) => {
      const back = (settle: () => void) => void scheduler.park(machine, network.latency(), settle)
      machine
        .enter(() => waiting)
        .then(
          () => back(resolve),
          (error) => back(() => reject(error)),
        )
    })
  return {
    tenantId: store.tenantId,
    ...(store.limits ? { limits: store.limits } : {}),
    append: (append) =>
      perform(network, { machine, of: 'work' }, async () => {
        const outcome = await store.append(append)
        scheduler.tell(machine.name, `${nameOf(store.tenantId, append.threadId)}: ${tellAppend(append, outcome)}`)
        return outcome
      }),
    renewLease: (threadId, lease) => perform(network, { machine, of: 'work' }, () => store.renewLease(threadId, lease)),
    writeRecords: (changes) => perform(network, { machine, of: 'records' }, () => store.writeRecords(changes)),
    read: ask((threadId, options) => store.read(threadId, options)),
    readBack: ask((threadId, query) => store.readBack(threadId, query)),
    readChain: ask((threadId, range) => store.readChain(threadId, range)),
    readHead: ask((threadId) => store.readHead(threadId)),
    getRequest: ask((id) => store.getRequest(id)),
    findRequests: ask((query) => store.findRequests(query)),
    countRequests: ask((query, options) => store.countRequests(query, options)),
    threadsOf: ask((query) => store.threadsOf(query)),
    due: ask((query) => store.due(query)),
    ready: ask((query) => store.ready(query)),
    queue: ask(() => store.queue()),
    threads: ask((query) => store.threads(query)),
    findGrants: ask((query) => store.findGrants(query)),
    readRecord: ask((kind, id) => store.readRecord(kind, id)),
    readRecords: ask((kind, ids) => store.readRecords(kind, ids)),
    findRecords: ask((query) => store.findRecords(query)),
    outbox: ask((query) => store.outbox(query)),
    prune: ask((options) => store.prune(options)),
    scrub: ask(() => store.scrub()),
    changed: (threadId, options) => wait(store.changed(threadId, options)),
    outboxChanged: (options) => wait(store.outboxChanged(options)),
    tenant: (id) => remoteStore(network, machine, store.tenant(id)),
    close: async () => undefined,
  }
}

const TYPE = /"type":"([a-z_.]+)"/

/** Names a thread in a story. */
export function nameOf(tenantId: string, threadId: string): string {
  return tenantId === 'default' ? threadId : `${tenantId}/${threadId}`
}

function tellAppend({ entries, lease, wake }: Append, outcome: AppendOutcome): string {
  const all = entries.map((body) => TYPE.exec(body)?.[1] ?? '?')
  const types = all[0] === 'erased' ? `erased, ${all.length} times` : all.join(', ')
  const mark = wake ? ` wake ${wake.op === 'by' ? `by ${wake.inMs}` : wake.at === null ? 'never' : 'set'}` : ''
  const result = outcome.ok ? `version ${outcome.version}` : `refused: ${outcome.conflict.kind}`
  return `[${types}]${lease ? ` lease ${lease.op}` : ''}${mark} -> ${result}`
}
