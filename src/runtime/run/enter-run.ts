import { planRefuseAll } from '../../core/plan/calls.ts'
import { callsOf, openRequests } from '../../core/queries.ts'
import type { Run, ThreadState } from '../../core/state.ts'
import type { Entry, EntryOf } from '../../protocol/entries/entry.ts'
import { ContextInvalid, InputInvalid, ThreadPaused } from '../../protocol/errors/errors.ts'
import { cloneJson, type JsonValue, jsonEqual, jsonProblem } from '../../protocol/json/json.ts'
import type { InputMessage, Message } from '../../protocol/message.ts'
import type { ContextInput } from '../../protocol/run-context.ts'
import type { SpanLink } from '../../protocol/trace-context.ts'
import type { IdSource } from '../../protocol/uuid.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { modelMessages } from '../definition/model-messages.ts'
import type { Activation } from '../journal/activation.ts'
import type { Journal } from '../journal/journal.ts'
import type { SessionStart } from '../session/run-session.ts'

/** What new input brings with it. */
export interface EntryOptions {
  context?: ContextInput
  maxTurns?: number | null
  start: 'cleared' | 'settled'
  preApprovalInputGuardrails?: boolean | undefined
  maxFunctionToolConcurrency?: number | null | undefined
  whilePaused?: 'queue' | 'supersede'
  maxRejections?: number | { limit: number; action: 'end' | 'escalate' }
  trace?: SpanLink | undefined
  /** An earlier conversation, for a thread that has none. */
  history?: readonly Message[]
  /** The session that it is part of. */
  inSession?: SessionStart | undefined
}

const DEFAULT_MAX_TURNS = 25

/** An agent as a journal names it. */
export interface NamedAgent {
  readonly id: string
  readonly name: string
  readonly version?: string | undefined
}

/** What entering a run needs. */
interface RunEntrance {
  readonly activation: Activation
  readonly agent: AgentDefinition
  readonly newId: IdSource
}

/**
 * Brings input into a thread: it opens a run, or joins the one that has not ended (5.10). Which of the two is decided in the append itself, since
 * another process may end the run meanwhile. Takes the lease; throws before anything is stored.
 */
export async function enterRun(
  { activation, agent, newId }: RunEntrance,
  input: InputMessage[],
  options: EntryOptions,
): Promise<void> {
  const opened = openedRun({ id: newId(), agent, input }, options)
  await activation.write((state) => {
    if (options.history?.length && state.messages.length > 0)
      throw new InputInvalid('This thread has its own history: pass the new input alone.')
    if (state.run?.status !== 'open') return { entries: [opened] }
    agent.requireIdentity(state.run.agent.id)
    return { entries: planJoin({ state, run: state.run }, input, options) }
  })
}

/** The entry that opens a run. */
export function openedRun(
  { id, agent, input }: { id: string; agent: NamedAgent; input: InputMessage[] },
  options: EntryOptions,
): EntryOf<'run.opened'> {
  const { maxFunctionToolConcurrency: most } = options
  return {
    v: 1,
    type: 'run.opened',
    run: id,
    agent: { id: agent.id, name: agent.name, ...(agent.version === undefined ? {} : { version: agent.version }) },
    input,
    options: {
      maxTurns: options.maxTurns === undefined ? DEFAULT_MAX_TURNS : options.maxTurns,
      start: options.start,
      ...rejectionLimit(options.maxRejections),
      ...(options.preApprovalInputGuardrails ? { preApprovalInputGuardrails: true } : {}),
      ...(most === undefined || most === null ? {} : { maxFunctionToolConcurrency: most }),
    },
    ...(options.context === undefined ? {} : { context: cloneJson(options.context as JsonValue) }),
    ...(options.history?.length ? { history: [...options.history] } : {}),
    ...options.inSession,
    ...(options.trace === undefined ? {} : { trace: options.trace }),
  }
}

/** Adds input to a run that waits for people. Needs no lease, even if another process drives. `false` if the run waits for nothing. */
export async function joinWaiting(journal: Journal, input: InputMessage[], options: EntryOptions): Promise<boolean> {
  const written = await journal.write((state) => {
    const waits = openRequests(state).some(({ opened }) => opened.run !== undefined)
    if (state.run?.status !== 'open' || !waits) return undefined
    return { entries: planJoin({ state, run: state.run }, input, options) }
  })
  return written !== undefined
}

/** The entries by which input joins a run that has not ended. Throws `ThreadPaused` if it waits for people and `whilePaused` does not say what to do. */
export function planJoin(
  { state, run }: { state: ThreadState; run: Run },
  input: InputMessage[],
  options: EntryOptions,
): Entry[] {
  const waiting = openRequests(state).flatMap(({ opened }) => (opened.run === undefined ? [] : [opened.id]))
  if (options.context !== undefined && !jsonEqual(options.context as JsonValue, run.context)) {
    throw new InputInvalid('This thread has a run that is not over, which keeps its context; leave context out.')
  }
  if (waiting.length > 0 && options.whilePaused === undefined) throw new ThreadPaused(state.threadId, waiting)
  const added: Entry = { v: 1, type: 'input.added', run: run.id, input }
  const gate = run.frames.get(run.id)?.gate
  const isGated = gate !== undefined && !gate.answer
  if (options.whilePaused !== 'supersede' || (callsOf(state).length === 0 && !isGated)) return [added]
  const why = { status: 'superseded', by: { kind: 'system', id: 'supersede' } } as const
  return [
    ...planRefuseAll(state, { ...why, text: modelMessages.superseded, unknownText: modelMessages.unknownOutcome }),
    ...(isGated ? [{ v: 1, type: 'gate.passed', run: run.id } as const] : []),
    added,
  ]
}

function rejectionLimit(limit: EntryOptions['maxRejections']): {
  maxRejections?: { limit: number; action: 'end' | 'escalate' }
} {
  if (limit === undefined) return {}
  return { maxRejections: typeof limit === 'number' ? { limit, action: 'end' } : limit }
}

/** Checks what `run` and `prompt` share. */
export function checkEntryOptions(options: Partial<EntryOptions>): void {
  const { maxTurns, context, whilePaused } = options
  if (maxTurns !== undefined && maxTurns !== null && !(Number.isInteger(maxTurns) && maxTurns > 0)) {
    throw new InputInvalid('maxTurns must be a positive integer, or null for no limit.')
  }
  const { limit, action } = rejectionLimit(options.maxRejections).maxRejections ?? { limit: 1, action: 'end' }
  if (!(Number.isInteger(limit) && limit > 0) || (action !== 'end' && action !== 'escalate')) {
    throw new InputInvalid(`maxRejections must be a positive integer, or { limit, action: 'end' | 'escalate' }.`)
  }
  const problem = context === undefined ? undefined : jsonProblem(context, 'context')
  if (problem) throw new ContextInvalid(problem)
  if (whilePaused !== undefined && whilePaused !== 'queue' && whilePaused !== 'supersede') {
    throw new InputInvalid(`whilePaused must be 'queue' or 'supersede'.`)
  }
}
