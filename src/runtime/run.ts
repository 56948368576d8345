import { next } from '../core/next.ts'
import type { Store } from '../ports/store.ts'
import { InputInvalid } from '../protocol/errors.ts'
import { parseThreadId } from '../protocol/ids.ts'
import type { JsonValue } from '../protocol/json.ts'
import { type IdSource, uuidSource } from '../protocol/uuid.ts'
import { memoryStore } from '../store/memory/store.ts'
import { adopt } from './adopt.ts'
import type { Agent, ToolErrorFormatter } from './agent.ts'
import { requireCast } from './cast.ts'
import { createDriver } from './create-driver.ts'
import { drive } from './drive.ts'
import { checkEntryOptions, enterRun } from './enter-run.ts'
import { type Input, toMessages } from './input.ts'
import { Journal } from './journal.ts'
import { checkToolExecution, requireKnown } from './known-options.ts'
import { type RunResult, toRunResult } from './result.ts'
import { RunState } from './run-state.ts'

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
  /** How many model calls the run may make, pauses included; `null` is no limit. Default 25. On resume it replaces the stored limit for that call. */
  maxTurns?: number | null
  /** Stops driving: the result is `incomplete` and running again goes on. */
  signal?: AbortSignal
  toolExecution?: {
    /** When free and approved calls start: each when it is cleared (the default), or all when the whole turn is decided. */
    start?: 'cleared' | 'settled'
    /** Asks the tools' `inputGuardrails` before people are asked, and again right before running. Default: only right before. */
    preApprovalInputGuardrails?: boolean
  }
  /** Words refusals for the model; comes before the agent's own. */
  toolErrorFormatter?: ToolErrorFormatter
  /**
   * How often a person may reject the same call before the run ends (`failed`, with `MaxRejectionsExceeded`) or, with `action: 'escalate'`, the
   * next request about it says so. Default: no limit.
   */
  maxRejections?: number | { limit: number; action: 'end' | 'escalate' }
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
  'signal',
  'toolExecution',
  'toolErrorFormatter',
  'whilePaused',
]

/**
 * Runs an agent on an input until it completes or waits for people, or goes on with a state. Throws only for misuse and for refusals
 * before anything ran; later trouble is a result with status `failed`.
 */
export async function run(agent: Agent, input: Input | RunState, options: RunOptions = {}): Promise<RunResult> {
  checkOptions(options)
  const newId = uuidSource()
  if (input instanceof RunState) return resume(agent, input, options, newId)
  const messages = toMessages(input)
  const { store = memoryStore(), toolExecution } = options
  const journal = await Journal.open(store, parseThreadId(options.threadId ?? newId()))
  const driver = createDriver(agent, journal, { ...options, newId })
  const { start = 'cleared', preApprovalInputGuardrails } = toolExecution ?? {}
  await enterRun(driver, messages, { ...options, start, preApprovalInputGuardrails })
  return toRunResult(new RunState(agent, journal, newId), await drive(driver))
}

async function resume(agent: Agent, state: RunState, options: RunOptions, newId: IdSource): Promise<RunResult> {
  if (options.context !== undefined) {
    throw new InputInvalid('A resumed run keeps the context it was started with; leave context out.')
  }
  if (options.maxRejections !== undefined)
    throw new InputInvalid('A resumed run keeps the maxRejections it was started with.')
  if (options.threadId !== undefined && options.threadId !== state.threadId) {
    throw new InputInvalid(`This state belongs to thread "${state.threadId}", not "${options.threadId}".`)
  }
  let journal = await state.settleDecisions()
  if (journal.state.run) requireCast(agent, journal.state.run)
  if (options.store && options.store !== journal.store) {
    journal = await adopt(journal, { store: options.store, agent, newId })
    state.moveTo(journal)
  }
  if (!hasWork(journal)) await journal.catchUp()
  if (journal.state.run) requireCast(agent, journal.state.run)
  return toRunResult(state, await drive(createDriver(agent, journal, { ...options, newId })))
}

/** Whether there is a step to take on what was read already. If that is out of date, the append is refused and the loop reads again. */
function hasWork(journal: Journal): boolean {
  const { do: step } = next(journal.state, { now: journal.now(), running: new Set() })
  return step === 'start' || step === 'refuse'
}

function checkOptions(options: RunOptions): void {
  requireKnown('run()', options, KNOWN)
  checkEntryOptions(options)
  checkToolExecution(options.toolExecution)
}
