import type { Run, ThreadState } from '../../core/state.ts'
import type { CallScope } from '../../ports/call-scope.ts'
import type { Channel } from '../../ports/channel.ts'
import { JournalInvalid } from '../../protocol/errors.ts'
import type { EventPlace, LivePart } from '../../protocol/event.ts'
import { cloneJson, type JsonValue } from '../../protocol/json.ts'
import type { RunContext } from '../../protocol/run-context.ts'
import type { IdSource } from '../../protocol/uuid.ts'
import type { Bodies } from '../body/bodies.ts'
import type { Waiters } from '../body/waiting-bodies.ts'
import type { FactsContext } from '../definition/approval.ts'
import type { AgentDefinition, ToolErrorFormatter } from '../definition/definition.ts'
import type { Activation } from '../journal/activation.ts'
import type { Journal } from '../journal/journal.ts'
import type { Grants } from '../journal/known-grants.ts'
import type { Reception } from './channel-presenter.ts'
import type { Control } from './loop-signals.ts'
import type { Turns } from './turns.ts'

/** Everything that one activation works with. Each step of the loop is a function of this. */
export interface Driver {
  readonly journal: Journal
  readonly activation: Activation
  readonly bodies: Bodies
  /** Model turns of nested runs. */
  readonly turns: Turns
  readonly grants: Grants
  /** Bodies here that wait for an answer in the journal. */
  readonly waiters: Waiters
  readonly control: Control
  /** Shows open requests on the thread's channel. Without it the loop pauses where people are needed. */
  readonly reception: Reception | undefined
  readonly channel: Channel | undefined
  /** Who waits for the code that this activation calls: set for live threads, which such code can reach. */
  readonly scope: CallScope | undefined
  readonly agent: AgentDefinition
  readonly signal: AbortSignal
  readonly newId: IdSource
  /** Live objects for tools. */
  readonly deps: unknown
  /** What `preview` and `preconditions` get. */
  factsContext(): FactsContext
  /** Overrides the limit that was stored with the run. */
  readonly maxTurns: number | null | undefined
  /** The run's own; the agent's comes after it. */
  readonly toolErrorFormatter: ToolErrorFormatter | undefined
  /** A model turn begins: the one thing that happens before it is written down. */
  readonly onTurn: ((turn: number, place: EventPlace) => void) | undefined
  /** A part of a model's answer came; `whole` if the model does not answer in parts. */
  readonly onPart: ((heard: HeardPart) => void) | undefined
}

/** A part of an answer, and whose it is. */
export interface HeardPart extends EventPlace {
  turn: number
  part: LivePart
  whole: boolean
}

/** The run that is being driven. */
export function openRun(state: ThreadState): Run {
  if (state.run?.status !== 'open')
    throw new JournalInvalid({ threadId: state.threadId, seq: state.version, problem: 'there is no open run' })
  return state.run
}

/** The application's data as its code may have it: a copy, so that nothing can change what is stored. */
export function copyContext({ context }: Run): JsonValue | undefined {
  return context === undefined ? undefined : cloneJson(context)
}

/** What rules and formatters are told of the run. */
export function runContextOf(run: Run): RunContext {
  const known = { context: copyContext(run), usage: { ...run.usage } }
  return run.toolInput === undefined ? known : { ...known, toolInput: cloneJson(run.toolInput) }
}

/**
 * The text that the model reads for a refusal: the run's formatter, then the agent's, then the default. A formatter that throws or returns no
 * text has no say: a refusal must not fail.
 */
export async function formatRefusal(
  driver: Driver,
  agent: AgentDefinition,
  failure: Parameters<ToolErrorFormatter>[0],
): Promise<string> {
  for (const format of [driver.toolErrorFormatter, agent.toolErrorFormatter]) {
    try {
      const text = await format?.({ ...failure })
      if (typeof text === 'string' && text.trim() !== '') return text
    } catch {
      // The next one may do better.
    }
  }
  return failure.defaultMessage
}
