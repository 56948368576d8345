import { next } from '../../core/next.ts'
import type { Run } from '../../core/state.ts'
import type { Session } from '../../ports/session.ts'
import type { Store } from '../../ports/store.ts'
import {
  checkToolExecution,
  requireSignal,
  requireStore,
  type ToolExecution,
  toolExecutionOf,
} from '../../protocol/checks/check-options.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { Tracing } from '../../protocol/entries/state-text.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { parseThreadId } from '../../protocol/ids.ts'
import type { ContextInput, ContextOf } from '../../protocol/run-context.ts'
import { type IdSource, uuidSource } from '../../protocol/uuid.ts'
import { memoryStore } from '../../store/memory/store.ts'
import { AgentDefinition, type ToolErrorFormatter } from '../definition/definition.ts'
import { DriveTrace } from '../events/drive-trace.ts'
import { requireAgents } from '../frames/frame-agents.ts'
import { Journal } from '../journal/journal.ts'
import { Loop } from '../loop/loop.ts'
import { adopt } from '../restore/adopt.ts'
import { checkResumed, readSession, writeSession } from '../session/run-session.ts'
import { checkLimit, checkSession } from '../session/session-items.ts'
import { checkEntryOptions, enterRun } from './enter-run.ts'
import { type Conversation, type Input, toConversation } from './input.ts'
import { type RunResult, toRunResult } from './result.ts'
import { RunState } from './run-state.ts'
import { type Entered, streamRun, type Watch } from './stream-run.ts'
import type { StreamedRunResult } from './streamed-result.ts'

/** How a run is made. */
export interface RunOptions<TContext = ContextInput> {
  /** The conversation. A new one unless told. */
  threadId?: string
  /** Where it is kept. Without one it lives in the result's state alone. */
  store?: Store
  /** The application's own data: plain JSON, stored with the run. */
  context?: TContext
  /** Live objects for tools, never stored. */
  deps?: unknown
  /** How many model calls the run may make, pauses included; `null` is no limit. Default 25. On resume it replaces the stored limit for that call. */
  maxTurns?: number | null
  /** Stops driving: the result is `incomplete` and running again goes on. */
  signal?: AbortSignal
  /** When and how many calls run. A resumed run keeps its own. */
  toolExecution?: ToolExecution
  /** Words refusals for the model; comes before the agent's own. */
  toolErrorFormatter?: ToolErrorFormatter
  /**
   * How often a person may reject the same call before the run ends (`failed`, with `MaxRejectionsExceeded`) or, with `action: 'escalate'`, the
   * next request about it says so. Default: no limit.
   */
  maxRejections?: number | { limit: number; action: 'end' | 'escalate' }
  /** Remembers the conversation between runs: its items come before the input, and what the run says is added. Pass it again to resume. */
  session?: Session
  /** How many of the session's newest items the model reads. Default: all. */
  sessionLimit?: number
  /**
   * A credential for the application's own tracing, as `state.tracing`. Never stored, and in a state text only with `includeTracingApiKey`. holdpoint's
   * own spans go to OpenTelemetry, which is set up elsewhere.
   */
  tracing?: Tracing
  /** What new input does on a thread that waits for people. Default: it is refused with `ThreadPaused`. */
  whilePaused?: 'queue' | 'supersede'
}

const KNOWN = [
  'threadId',
  'store',
  'context',
  'deps',
  'maxTurns',
  'maxRejections',
  'session',
  'sessionLimit',
  'signal',
  'stream',
  'toolExecution',
  'toolErrorFormatter',
  'tracing',
  'whilePaused',
]

/**
 * Runs an agent on an input until it completes or waits for people, or goes on with a state. Throws only for misuse and for refusals
 * before anything ran; later trouble is a result with status `failed`. With `stream: true` it is fulfilled as soon as the run has been entered,
 * with what can be read while it is driven.
 */
export function run<TContext, TOutput>(
  agent: AgentDefinition<TContext, TOutput>,
  input: Input | Conversation | RunState,
  options: RunOptions<ContextOf<TContext>> & { stream: true },
): Promise<StreamedRunResult<TOutput>>
export function run<TContext, TOutput>(
  agent: AgentDefinition<TContext, TOutput>,
  input: Input | Conversation | RunState,
  options?: RunOptions<ContextOf<TContext>> & { stream?: false },
): Promise<RunResult<TOutput>>
export function run<TContext, TOutput>(
  agent: AgentDefinition<TContext, TOutput>,
  input: Input | Conversation | RunState,
  options: RunOptions<ContextOf<TContext>> & { stream?: boolean },
): Promise<RunResult<TOutput> | StreamedRunResult<TOutput>>
export async function run(
  agent: AgentDefinition,
  input: Input | Conversation | RunState,
  options: RunOptions & { stream?: boolean } = {},
): Promise<RunResult<unknown> | StreamedRunResult<unknown>> {
  requireAgent(agent)
  checkOptions(options)
  const newId = uuidSource()
  const begin = (watch: Watch) => {
    const call = { agent, options, newId, watch }
    return input instanceof RunState ? resume(call, input) : enter(call, toConversation(input))
  }
  if (options.stream) return streamRun(begin, options.signal)
  const entered = await begin({ signal: options.signal })
  return entered.settle(await entered.drive())
}

/** A call of `run`. */
interface RunCall {
  readonly agent: AgentDefinition
  readonly options: RunOptions
  readonly newId: IdSource
  readonly watch: Watch
}

async function enter(
  { agent, options, newId, watch }: RunCall,
  given: ReturnType<typeof toConversation>,
): Promise<Entered> {
  const { store = memoryStore(), toolExecution, session } = options
  if (session && options.store && options.threadId !== undefined) {
    throw new InputInvalid('The journal of a thread in a store is its history: leave session out, or threadId.')
  }
  if (!session && options.sessionLimit !== undefined) throw new InputInvalid('sessionLimit needs a session.')
  if (session && given.history.length > 0)
    throw new InputInvalid('The session has the earlier conversation: pass the new input alone.')
  const inSession = session && (await readSession(session, options.sessionLimit))
  const journal = new Journal(store, parseThreadId(options.threadId ?? newId()))
  await (options.store ? journal : journal.alone()).loadToDrive()
  watch.onJournal?.(journal)
  const trace = DriveTrace.begin(journal)
  const loop = new Loop(agent, journal, { ...options, ...watch, newId, inCall: trace?.inCall })
  await enterRun(loop.parts, given.input, {
    ...options,
    history: given.history,
    ...toolExecutionOf(toolExecution),
    inSession,
    trace: trace?.link,
  })
  return entered(RunState.of(agent, journal, newId), { loop, trace }, { ...options, isNew: true })
}

function entered(
  state: RunState,
  { loop, trace }: { loop: Loop; trace: DriveTrace | undefined },
  { tracing, session, isNew = false }: RunOptions & { isNew?: boolean },
): Entered {
  if (tracing) state.trace(tracing)
  return {
    state,
    loop,
    drive: () => (trace ? trace.over(() => loop.drive(), loop.parts.signal) : loop.drive()),
    settle: async (ending) =>
      toRunResult(state, session ? await writeSession(loop.parts.journal, { session, ending, isNew }) : ending),
  }
}

async function resume({ agent, options, newId, watch }: RunCall, state: RunState): Promise<Entered> {
  if (options.context !== undefined) {
    throw new InputInvalid('A resumed run keeps the context it was started with; leave context out.')
  }
  if (options.maxRejections !== undefined)
    throw new InputInvalid('A resumed run keeps the maxRejections it was started with.')
  if (options.threadId !== undefined && options.threadId !== state.threadId) {
    throw new InputInvalid(`This state belongs to thread "${state.threadId}", not "${options.threadId}".`)
  }
  if (options.sessionLimit !== undefined) throw new InputInvalid('A resumed run has read its session already.')
  let journal = await state.settleDecisions()
  const moves = options.store !== undefined && options.store !== journal.store
  await (moves ? state.loadMessages() : state.loadToDrive())
  if (journal.state.run) requireAgents(agent, journal.state.run)
  if (options.store && moves) {
    journal = await adopt(journal, { store: options.store, agent, newId, unsigned: state.unsigned })
    state.moveTo(journal)
  }
  if (!hasWork(journal)) await journal.catchUp()
  if (journal.state.run) requireAgents(agent, journal.state.run)
  checkKept(options.toolExecution, journal.state.run?.options)
  await checkResumed(journal, options.session)
  watch.onJournal?.(journal)
  const trace = DriveTrace.begin(journal)
  const loop = new Loop(agent, journal, { ...options, ...watch, newId, inCall: trace?.inCall })
  return entered(state, { loop, trace }, options)
}

/** How calls are run is part of a run: another word on resuming would have no effect. */
function checkKept(given: ToolExecution = {}, own: Run['options'] | undefined): void {
  if (!own) return
  const kept: Required<ToolExecution> = {
    start: own.start,
    preApprovalInputGuardrails: own.preApprovalInputGuardrails ?? false,
    maxFunctionToolConcurrency: own.maxFunctionToolConcurrency ?? null,
  }
  const isOther = (Object.keys(kept) as (keyof ToolExecution)[]).some(
    (key) => given[key] !== undefined && given[key] !== kept[key],
  )
  if (isOther) throw new InputInvalid('A resumed run keeps the toolExecution it was started with; leave it out.')
}

/** Whether there is a step to take on what was read already. If that is out of date, the append is refused and the loop reads again. */
function hasWork(journal: Journal): boolean {
  const { do: step } = next(journal.state, { now: journal.now(), running: new Set() })
  return step === 'start' || step === 'refuse'
}

function requireAgent(agent: unknown): asserts agent is AgentDefinition {
  if (agent instanceof AgentDefinition) return
  const isForeign = typeof (agent as Partial<AgentDefinition> | null)?.findTool === 'function'
  throw new InputInvalid(
    isForeign
      ? 'run() was given an agent of another installed copy of holdpoint: run it with that copy, or through new Runner({ agents }).'
      : 'run() needs an agent: run(agent, input).',
  )
}

function checkOptions(options: RunOptions & { stream?: boolean }): void {
  requireKnown('run()', options, KNOWN)
  if (options.store !== undefined) requireStore('run()', options.store)
  requireSignal('run()', options.signal)
  checkEntryOptions(options)
  checkToolExecution(options.toolExecution)
  if (options.stream !== undefined && typeof options.stream !== 'boolean') {
    throw new InputInvalid('stream must be true or false.')
  }
  if (options.session !== undefined) checkSession(options.session)
  if (options.sessionLimit !== undefined) checkLimit(options.sessionLimit)
  if (options.tracing !== undefined && typeof options.tracing?.apiKey !== 'string') {
    throw new InputInvalid('tracing must be { apiKey }, a string.')
  }
}
