import { planRefuseAll } from '../core/plan/calls.ts'
import { callsOf } from '../core/state.ts'
import type { IdSource } from '../ports/ids.ts'
import type { Store } from '../ports/store.ts'
import type { Entry } from '../protocol/entry.ts'
import { ContextInvalid, InputInvalid, ThreadPaused } from '../protocol/errors.ts'
import { parseThreadId } from '../protocol/ids.ts'
import { type JsonValue, jsonProblem } from '../protocol/json.ts'
import { memoryStore } from '../store/memory/store.ts'
import { Activation } from './activation.ts'
import { adopt } from './adopt.ts'
import type { Agent, ToolErrorFormatter } from './agent.ts'
import { Bodies } from './bodies.ts'
import { drive } from './drive.ts'
import type { Driver } from './driver.ts'
import { newHolder } from './holder.ts'
import { type Input, toMessages } from './input.ts'
import { Journal } from './journal.ts'
import { type RunResult, toRunResult } from './result.ts'
import { RunState } from './run-state.ts'
import { uuidSource } from './uuid.ts'
import { words } from './words.ts'

/** How a run is made. */
export interface RunOptions {
  /** The conversation. A new one unless told. */
  threadId?: string
  /** Where it is kept. Without one it lives in the result's state alone. */
  store?: Store
  /** The application's own data: plain JSON, stored with the run. */
  context?: JsonValue
  /** Live objects for tools, never stored. */
  deps?: unknown
  /** How many model calls the run may make, pauses included; `null` is no limit. Default 25. On resume it replaces the stored limit. */
  maxTurns?: number | null
  /** Stops driving: the result is `incomplete` and running again goes on. */
  signal?: AbortSignal
  toolExecution?: {
    /** When free and approved calls start: each when it is cleared (the default), or all when the whole turn is decided. */
    start?: 'cleared' | 'settled'
  }
  /** Words refusals for the model; comes before the agent's own. */
  toolErrorFormatter?: ToolErrorFormatter
  /** What new input does on a thread that waits for people. Default: it is refused with `ThreadPaused`. */
  whilePaused?: 'queue' | 'supersede'
}

const DEFAULT_MAX_TURNS = 25
const KNOWN = new Set([
  'threadId',
  'store',
  'context',
  'deps',
  'maxTurns',
  'signal',
  'toolExecution',
  'toolErrorFormatter',
  'whilePaused',
])

/**
 * Runs an agent on an input until it completes or waits for people, or goes on with a state. Throws only for misuse and for refusals
 * before anything ran; later trouble is a result with status `failed`.
 */
export async function run(agent: Agent, input: Input | RunState, options: RunOptions = {}): Promise<RunResult> {
  checkOptions(options)
  const newId = uuidSource()
  if (input instanceof RunState) return resume(agent, input, options, newId)
  const messages = toMessages(input)
  const { store = memoryStore(), context } = options
  const threadId = parseThreadId(options.threadId ?? newId())
  const journal = await Journal.open(store, threadId)
  const driver = createDriver(agent, journal, options, newId)
  const state = new RunState(agent, journal, newId)
  if (journal.state.run?.status === 'open') {
    await addToOpenRun(driver, messages, options)
  } else {
    const { start = 'cleared' } = options.toolExecution ?? {}
    const opened: Entry = {
      v: 1,
      type: 'run.opened',
      run: newId(),
      agent: { id: agent.id, name: agent.name, ...(agent.version === undefined ? {} : { version: agent.version }) },
      input: messages,
      options: { maxTurns: options.maxTurns === undefined ? DEFAULT_MAX_TURNS : options.maxTurns, start },
      ...(context === undefined ? {} : { context }),
    }
    const written = await driver.activation.write((now) =>
      now.run?.status === 'open' ? undefined : { entries: [opened] },
    )
    if (!written) await addToOpenRun(driver, messages, options)
  }
  return toRunResult(state, await drive(driver))
}

async function resume(agent: Agent, state: RunState, options: RunOptions, newId: IdSource): Promise<RunResult> {
  if (options.context !== undefined)
    throw new InputInvalid('A resumed run keeps the context it was started with; leave context out.')
  if (options.threadId !== undefined && options.threadId !== state.threadId) {
    throw new InputInvalid(`This state belongs to thread "${state.threadId}", not "${options.threadId}".`)
  }
  let journal = await state.settleDecisions()
  if (options.store && options.store !== journal.store) {
    journal = await adopt(journal, { store: options.store, agent, newId })
    state.moveTo(journal)
  }
  await journal.catchUp()
  agent.requireIdentity(journal.state.run?.agent.id ?? '')
  return toRunResult(state, await drive(createDriver(agent, journal, options, newId)))
}

/** New input for a run that has not ended (5.10). */
async function addToOpenRun(
  driver: Driver,
  messages: ReturnType<typeof toMessages>,
  options: RunOptions,
): Promise<void> {
  const { journal, activation, agent } = driver
  const { run, threadId } = journal.state
  agent.requireIdentity(run?.agent.id ?? '')
  const waiting = callsOf(journal.state).flatMap((call) =>
    call.phase.at === 'held' ? [call.phase.request.opened.id] : [],
  )
  if (waiting.length > 0 && options.whilePaused === undefined) throw new ThreadPaused(threadId, waiting)
  await activation.write((state) => {
    if (state.run?.status !== 'open') return undefined
    const added: Entry = { v: 1, type: 'input.added', run: state.run.id, input: messages }
    if (waiting.length === 0 || options.whilePaused === 'queue') return { entries: [added] }
    const by = { kind: 'system', id: 'supersede' } as const
    return { entries: [...planRefuseAll(state, { status: 'superseded', by, text: words.superseded }), added] }
  })
}

function createDriver(agent: Agent, journal: Journal, options: RunOptions, newId: IdSource): Driver {
  const signal = options.signal ?? new AbortController().signal
  const { tenant, threadId } = journal.state
  return {
    journal,
    activation: new Activation(journal, newHolder()),
    bodies: new Bodies({ tenant, threadId, deps: options.deps, signal }),
    agent,
    signal,
    newId,
    maxTurns: options.maxTurns,
    toolErrorFormatter: options.toolErrorFormatter,
    onPart: undefined,
  }
}

function checkOptions(options: RunOptions): void {
  const unknown = Object.keys(options).find((key) => !KNOWN.has(key))
  if (unknown !== undefined) throw new InputInvalid(`run() has no option "${unknown}".`)
  const { maxTurns, context, toolExecution, whilePaused } = options
  if (maxTurns !== undefined && maxTurns !== null && !(Number.isInteger(maxTurns) && maxTurns > 0)) {
    throw new InputInvalid('maxTurns must be a positive whole number, or null for no limit.')
  }
  const problem = context === undefined ? undefined : jsonProblem(context, 'context')
  if (problem) throw new ContextInvalid(problem)
  if (toolExecution?.start !== undefined && toolExecution.start !== 'cleared' && toolExecution.start !== 'settled') {
    throw new InputInvalid(`toolExecution.start must be 'cleared' or 'settled'.`)
  }
  if (whilePaused !== undefined && whilePaused !== 'queue' && whilePaused !== 'supersede') {
    throw new InputInvalid(`whilePaused must be 'queue' or 'supersede'.`)
  }
}
