import { NEVER } from '../ports/signals.ts'
import { requireSignal } from '../protocol/checks/check-options.ts'
import { requireKnown } from '../protocol/checks/known-options.ts'
import { CallFailed, HoldpointNotReleased, InputInvalid, OutcomeUnknown } from '../protocol/errors/errors.ts'
import { type JsonObject, type JsonValue, jsonProblem } from '../protocol/json/json.ts'
import { modelMessages } from '../runtime/definition/model-messages.ts'
import type { ToolContext } from '../runtime/definition/tool/tool-context.ts'
import { idleBehind } from '../runtime/loop/idle.ts'
import { callState, NEVER_JUDGED } from './call-state.ts'
import type { CallThread } from './call-thread.ts'
import { type Calls, isReleased } from './calls.ts'
import type { ForeignCall, Gate, GateContext, GateExecuteOptions, GateState } from './types.ts'

/** A call of `execute`. */
interface Execution<T extends JsonValue> extends GateExecuteOptions {
  run: (args: JsonObject, context: GateContext) => Promise<T>
}

/** How the host's function ended, if it was called here. */
type Ran<T> = { ok: true; value: T } | { ok: false; error: unknown }

/**
 * Runs a released call, once, and returns what it returned; also if it ran before, or runs elsewhere. See {@link Gate.execute}.
 *
 * X1  The function is called only after the append that spends the release, by the process whose append it was.
 * X2  Its end is recorded before the host gets it. If that fails, `execute` rejects, and the outcome counts as unknown.
 */
export async function execute<T extends JsonValue>(calls: Calls, call: ForeignCall, given: Execution<T>): Promise<T> {
  const { run, signal = NEVER, ...others } = given
  requireKnown('execute()', others, [])
  requireSignal('execute()', given.signal)
  if (typeof run !== 'function') throw new InputInvalid('execute() needs the function that runs the tool.')
  return calls.take(call, isReleased, async (found) => {
    if (!found) throw notReleased(call, NEVER_JUDGED)
    const { thread } = found
    const ran = await runOnce(thread, run, signal)
    const state = await callState(thread)
    if (!signal.aborted) await thread.deliverOrWarn()
    if (ran && (state.status === 'finished' || !ran.ok)) return outcome(ran)
    return replay(call, state) as T
  })
}

/** Starts the call if it may start. If another process has it, waits for its end. Resolves to how the function ended, if it was called here. */
async function runOnce<T extends JsonValue>(
  thread: CallThread,
  run: Execution<T>['run'],
  signal: AbortSignal,
): Promise<Ran<T> | undefined> {
  let ran: Ran<T> | undefined
  const body = async (args: JsonObject, ctx: ToolContext): Promise<T> => {
    ran = await run(args, contextOf(ctx)).then(
      (value) => checked(value),
      (error: unknown) => ({ ok: false, error }) as const,
    )
    if (ran.ok) return ran.value
    throw ran.error
  }
  for (;;) {
    signal.throwIfAborted()
    await thread.journal.catchUp()
    const moved = await thread.move({ asks: 'execute', body })
    if (ran || moved === 'moved') return ran
    await idleBehind({ journal: thread.journal, signal })
  }
}

function contextOf({ idempotencyKey, approvedBy, signal }: ToolContext): GateContext {
  return { idempotencyKey, signal, ...(approvedBy ? { approvedBy } : {}) }
}

/** What is not JSON cannot be given back when the call is repeated. */
function checked<T extends JsonValue>(value: T | undefined): Ran<T> {
  const problem = value === undefined ? undefined : jsonProblem(value, 'result')
  if (problem === undefined) return { ok: true, value: (value ?? null) as T }
  return { ok: false, error: new InputInvalid(modelMessages.unstorable(problem)) }
}

function outcome<T>(ran: Ran<T>): T {
  if (ran.ok) return ran.value
  throw ran.error
}

/** What a host gets that did not run the call itself. */
function replay(call: ForeignCall, state: GateState): JsonValue {
  switch (state.status) {
    case 'finished':
      if (state.isError) throw new CallFailed(call.toolName, String(state.result))
      return state.result
    case 'unknown':
      throw new OutcomeUnknown(modelMessages.unknownOutcome(call.toolName))
    case 'free':
    case 'released':
    case 'held':
    case 'refused':
      throw notReleased(call, state)
    default:
      return state satisfies never
  }
}

/** The error for a call that may not run. */
export function notReleased({ toolName }: ForeignCall, state: GateState): HoldpointNotReleased {
  if (state.status === 'refused') return new HoldpointNotReleased(toolName, state)
  if (state.status === 'held') {
    const { id } = state.request
    const message = `Not run: a person has to decide about this call of ${toolName} first (request ${id}).`
    return new HoldpointNotReleased(toolName, { status: 'held', requestId: id, message })
  }
  const message = `Not run: this call of ${toolName} is ${state.status}, and was not handed over.`
  return new HoldpointNotReleased(toolName, { status: state.status, message })
}
