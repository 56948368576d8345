import type { CallScope } from '../../ports/call-scope.ts'
import type { Channel } from '../../ports/channel.ts'
import { NEVER } from '../../ports/signals.ts'
import type { EventPlace } from '../../protocol/event.ts'
import type { IdSource } from '../../protocol/uuid.ts'
import { Bodies } from '../body/bodies.ts'
import { BodyWaits } from '../body/body-waits.ts'
import { Waiters } from '../body/waiting-bodies.ts'
import type { AgentDefinition, ToolErrorFormatter } from '../definition/definition.ts'
import { Activation } from '../journal/activation.ts'
import { newHolder } from '../journal/holder.ts'
import type { Journal } from '../journal/journal.ts'
import { Grants } from '../journal/known-grants.ts'
import { Reception } from './channel-presenter.ts'
import { copyContext, type Driver, type HeardPart } from './driver.ts'
import { Control } from './loop-signals.ts'
import { journalDesk } from './thread-desk.ts'
import { Turns } from './turns.ts'

/** What an activation is told beside the agent and the journal. */
export interface DriverOptions {
  newId: IdSource
  deps?: unknown
  signal?: AbortSignal | undefined
  maxTurns?: number | null | undefined
  toolErrorFormatter?: ToolErrorFormatter | undefined
  channel?: Channel | undefined
  /** How long a lease lasts, for tests that cannot wait. */
  leaseMs?: number | undefined
  scope?: (CallScope & { readonly holders: Set<string> }) | undefined
  onTurn?: ((turn: number, place: EventPlace) => void) | undefined
  onPart?: ((heard: HeardPart) => void) | undefined
}

/** Puts together what one activation works with. */
export function createDriver(agent: AgentDefinition, journal: Journal, options: DriverOptions): Driver {
  agent.complete()
  const { newId, channel } = options
  const signal = options.signal ?? NEVER
  const { tenant, threadId } = journal.state
  const { leaseMs } = options
  const holder = newHolder()
  options.scope?.holders.add(holder)
  const activation = new Activation(journal, holder, { signal, ...(leaseMs === undefined ? {} : { leaseMs }) })
  const bodies = new Bodies({
    lease: activation,
    tenant,
    threadId,
    deps: options.deps,
    signal,
    clock: journal.store.clock,
    waitsOf: (started, stopwatch) => new BodyWaits(driver, started, stopwatch),
  })
  const control = new Control()
  const driver: Driver = {
    journal,
    activation,
    bodies,
    turns: new Turns(),
    grants: new Grants(journal.store, (tool) => agent.graph.namesOf(tool)),
    waiters: new Waiters(),
    control,
    reception: channel && new Reception(channel, journalDesk(journal, agent, newId), () => control.nudge()),
    channel,
    scope: options.scope,
    agent,
    signal,
    newId,
    deps: options.deps,
    factsContext: () => ({
      context: journal.state.run ? copyContext(journal.state.run) : undefined,
      deps: options.deps,
    }),
    maxTurns: options.maxTurns,
    toolErrorFormatter: options.toolErrorFormatter,
    onTurn: options.onTurn,
    onPart: options.onPart,
  }
  return driver
}
