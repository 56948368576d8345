import { type RetentionOptions, toRetention } from '../erasure/retention.ts'
import type { BoundPolicy } from '../policy/compose.ts'
import type { Policy } from '../policy/policy.ts'
import type { Clock } from '../ports/clock.ts'
import { tellListener } from '../ports/listeners.ts'
import type { Queue } from '../ports/queue.ts'
import type { Store } from '../ports/store.ts'
import { requireStore } from '../protocol/checks/check-options.ts'
import { requireOptions } from '../protocol/checks/known-options.ts'
import { AgentInvalid, InputInvalid } from '../protocol/errors/errors.ts'
import { bindPolicies } from '../runtime/agent/bind-policies.ts'
import { AgentDefinition } from '../runtime/definition/definition.ts'
import type { WorkerEvent, WorkerListener } from './events.ts'
import { routeOf, tellRoute } from './shared/routes.ts'

/** Options of a worker. */
export interface WorkerOptions {
  /** The agents that it can drive. Several versions of one agent may stand side by side: a run goes on with the version that it began on. */
  agents: readonly AgentDefinition<never>[]
  /** Where the threads of all tenants are kept. */
  store: Store
  /** What wakes it. */
  queue: Queue
  /** Live objects for tools, never stored. */
  deps?: unknown
  /** How many threads it drives at once. Default 16. */
  concurrency?: number
  /** How many threads of one tenant it drives at once. Default: as many as `concurrency`; tenants take turns in any case. */
  perTenant?: number
  /** How many threads may wait here for a free slot. Default 64 times `concurrency`. */
  backlog?: number
  /** The duration of a thread's lease. If this process dies, others take its threads over after that. Default 30,000. */
  leaseMs?: number
  /** How often a failed drive is tried again before the thread is stuck. Default 8. */
  retries?: number
  /** Judge all calls in addition to the agents' own policies, also those of runs that began on an older version. */
  policies?: readonly Policy[]
  /** How often it looks for threads that nobody was woken for, and for previews. Default 1000. */
  sweepMs?: number
  /** Says what edits would do, for gateways that do not have the agents. Default `true`. */
  previews?: boolean
  /** Erases threads that are over and too old. One of all workers does it. Default: they are kept. */
  retention?: RetentionOptions
  /** Is told what it does. Default: a process warning for each failure. */
  onEvent?: WorkerListener
  /** The clock of its timers. Default: the store's, else the machine's. */
  clock?: Clock
  /** Numbers from 0 up to 1, for delays. Default `Math.random`. */
  random?: () => number
}

/** The options with all defaults filled in. */
export interface WorkerSettings {
  readonly store: Store
  readonly queue: Queue
  readonly agents: ReadonlyMap<string, AgentDefinition>
  readonly policies: readonly BoundPolicy[]
  readonly deps: unknown
  readonly concurrency: number
  readonly perTenant: number | undefined
  readonly backlog: number
  readonly leaseMs: number | undefined
  readonly retries: number
  readonly sweepMs: number
  readonly previews: boolean
  readonly retentionMs: number | undefined
  readonly clock: Clock | undefined
  readonly random: () => number
  readonly onEvent: WorkerListener
}

const WHAT = 'createWorker()'
const KNOWN = [
  ...['agents', 'store', 'queue', 'deps', 'concurrency', 'perTenant', 'backlog', 'leaseMs', 'retries'],
  ...['policies', 'sweepMs', 'previews', 'retention', 'onEvent', 'clock', 'random'],
]
const MOST_MS = 0x7fffffff
/** Leases last no longer than five minutes: see the store. */
const LONGEST_LEASE_MS = 300_000

/** Checks the options and fills in defaults. */
export function toWorkerSettings(options: WorkerOptions, warn: (event: WorkerEvent) => void): WorkerSettings {
  requireOptions(WHAT, options, KNOWN)
  requireStore(WHAT, options.store)
  const { store, queue, deps, perTenant, leaseMs, concurrency = 16, retries = 8, sweepMs = 1000 } = options
  const { backlog = concurrency * 64, onEvent = warn, clock = store.clock, random = Math.random } = options
  const { previews = true } = options
  if (typeof queue?.ring !== 'function' || typeof queue.consume !== 'function')
    throw new InputInvalid(`${WHAT} needs a queue, such as inProcessQueue() returns.`)
  requireCount('concurrency', concurrency, { least: 1, most: 10_000 })
  requireCount('perTenant', perTenant ?? 1, { least: 1, most: 10_000 })
  requireCount('backlog', backlog, { least: 1, most: 1_000_000 })
  requireCount('leaseMs', leaseMs ?? 1, { least: 1, most: LONGEST_LEASE_MS })
  requireCount('retries', retries, { least: 0, most: 1000 })
  requireCount('sweepMs', sweepMs, { least: 1, most: MOST_MS })
  for (const [name, given] of Object.entries({ onEvent, random }))
    if (typeof given !== 'function') throw new InputInvalid(`${name} of ${WHAT} must be a function.`)
  if (typeof previews !== 'boolean') throw new InputInvalid(`previews of ${WHAT} must be true or false.`)
  const agents = toAgents(options.agents)
  const policies = bindAll(agents, options.policies ?? [])
  const counts = { concurrency, perTenant, backlog, leaseMs, retries, sweepMs }
  return {
    store,
    queue,
    agents,
    policies,
    deps,
    ...counts,
    previews,
    retentionMs: toRetention(options.retention),
    clock,
    random,
    onEvent: (event) => tellListener(onEvent, event),
  }
}

function requireCount(name: string, value: number, { least, most }: { least: number; most: number }): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  throw new InputInvalid(`${name} of ${WHAT} must be an integer from ${least} to ${most}, not ${value}.`)
}

function toAgents(given: readonly unknown[]): ReadonlyMap<string, AgentDefinition> {
  if (!Array.isArray(given) || given.length === 0) throw new InputInvalid(`${WHAT} needs agents: an array of them.`)
  const agents = new Map<string, AgentDefinition>()
  for (const agent of given) {
    if (!(agent instanceof AgentDefinition))
      throw new InputInvalid(`${WHAT} was given an agent of another installed copy of holdpoint, or no agent.`)
    const route = routeOf(agent.id, agent.version)
    if (agents.has(route))
      throw new AgentInvalid(
        `${WHAT} was given ${tellRoute(agent.id, agent.version)} twice: give each its own version.`,
      )
    agent.complete()
    agents.set(route, agent)
  }
  return agents
}

/** Binds policies to the tools of all agents together: a policy may name a tool that only one of them has. */
function bindAll(agents: ReadonlyMap<string, AgentDefinition>, policies: readonly Policy[]): readonly BoundPolicy[] {
  if (!Array.isArray(policies)) throw new InputInvalid(`policies of ${WHAT} must be an array of policies.`)
  const all = new Set([...agents.values()].flatMap(({ graph }) => graph.agents))
  return bindPolicies([...all], policies)
}
