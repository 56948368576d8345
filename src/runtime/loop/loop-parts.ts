import { copyContext } from '../../core/open-run.ts'
import type { HostAsks } from '../../core/state.ts'
import type { BoundPolicy } from '../../policy/compose.ts'
import type { CallScope } from '../../ports/call-scope.ts'
import type { Channel } from '../../ports/channel.ts'
import { NEVER } from '../../ports/signals.ts'
import type { IdSource } from '../../protocol/uuid.ts'
import type { BodyEnvironment } from '../body/attempt.ts'
import { Bodies } from '../body/bodies.ts'
import { BodyRecord } from '../body/body-record.ts'
import { BodyWaits } from '../body/body-waits.ts'
import { LoopSignals } from '../body/loop-signals.ts'
import type { WaitParts } from '../body/wait-parts.ts'
import { WaitingBodies } from '../body/waiting-bodies.ts'
import type { AgentDefinition, ToolErrorFormatter } from '../definition/definition.ts'
import { Activation } from '../journal/activation.ts'
import { newHolder } from '../journal/holder.ts'
import type { Journal } from '../journal/journal.ts'
import { KnownGrants } from '../journal/known-grants.ts'
import type { TurnParts } from '../steps/model/ask-model.ts'
import type { CallStarter } from '../steps/start.ts'
import { ChannelPresenter } from './channel-presenter.ts'
import { NestedTurns } from './nested-turns.ts'
import { threadDesk } from './thread-desk.ts'

/** Options of a loop, beside the agent and the journal. */
export interface LoopOptions {
  newId: IdSource
  deps?: unknown
  signal?: AbortSignal | undefined
  /** Overrides the limit that is stored with the run. */
  maxTurns?: number | null | undefined
  /** The run's formatter. It takes precedence over the agent's. */
  toolErrorFormatter?: ToolErrorFormatter | undefined
  /** Without one the loop pauses where people are needed. */
  channel?: Channel | undefined
  /** Where a decision is not in effect yet: `'stay'` waits for its time (default), `'leave'` ends as `paused`. The thread's wake mark has the time. */
  whenWaiting?: 'stay' | 'leave' | undefined
  /** What the host asks for, if the run is driven from outside. `by` identifies who is told to run the call. */
  host?: { asks: Exclude<HostAsks, 'hand-over'> } | { asks: 'hand-over'; by: string } | undefined
  /** After this time, people are asked about a call that was handed over. */
  handedOverMs?: number | undefined
  /** The duration of a lease. */
  leaseMs?: number | undefined
  /** The policies of the process: they judge in addition to the agents' own. */
  policies?: readonly BoundPolicy[] | undefined
  /** Set for live threads, which code that the loop calls can reach. */
  scope?: (CallScope & { readonly holders: Set<string> }) | undefined
  /** Runs the body of a call inside of its span. */
  inCall?: BodyEnvironment['inCall']
  onTurn?: TurnParts['onTurn']
  onPart?: TurnParts['onPart']
}

/** What the loop and its steps work with. Each step declares the members that it needs. */
export interface LoopParts extends TurnParts, CallStarter, WaitParts {
  /** Model turns of nested runs. */
  readonly turns: NestedTurns
  /** Shows open requests on the thread's channel. */
  readonly presenter: ChannelPresenter | undefined
  readonly maxTurns: number | null | undefined
  readonly whenWaiting: 'stay' | 'leave'
  readonly host: HostAsks | undefined
  readonly handedOverMs: number | undefined
}

/** Makes the parts of one loop. */
export function loopParts(agent: AgentDefinition, journal: Journal, options: LoopOptions): LoopParts {
  const { newId, channel, scope, leaseMs, deps, maxTurns, toolErrorFormatter, onTurn, onPart } = options
  const signal = options.signal ?? NEVER
  const { tenant, threadId } = journal.state
  const holder = newHolder()
  scope?.holders.add(holder)
  const activation = new Activation(journal, holder, { signal, ...(leaseMs === undefined ? {} : { leaseMs }) })
  const signals = new LoopSignals()
  const waiting = new WaitingBodies()
  const waits: WaitParts = { journal, activation, channel, scope, waiting, signals, signal, newId }
  const bodies = new Bodies({
    lease: activation,
    tenant,
    threadId,
    deps,
    signal,
    clock: journal.store.clock,
    recordOf: (started) => new BodyRecord(waits, started),
    waitsOf: (record, stopwatch) => new BodyWaits(waits, record, stopwatch),
    inCall: options.inCall,
  })
  // Each by its name: every step reads them, and an object of this size that is put together from others is a slow one.
  return {
    journal,
    activation,
    channel,
    scope,
    waiting,
    signals,
    signal,
    newId,
    agent,
    policies: options.policies,
    bodies,
    turns: new NestedTurns(),
    grants: new KnownGrants(journal.store, (tool) => agent.graph.namesOf(tool)),
    presenter: channel && new ChannelPresenter(channel, threadDesk(journal, agent, newId), () => signals.nudge()),
    factsContext: (frame) => ({
      context: journal.state.run ? copyContext(journal.state.run, frame) : undefined,
      deps,
    }),
    maxTurns,
    whenWaiting: options.whenWaiting ?? 'stay',
    host: options.host?.asks,
    handedOverMs: options.handedOverMs,
    handedOver: options.host?.asks === 'hand-over' ? options.host.by : undefined,
    toolErrorFormatter,
    onTurn,
    onPart,
  }
}
