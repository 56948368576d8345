import {
  CallFailed,
  type ForeignCall,
  type Gate,
  type GateState,
  HoldpointNotReleased,
  OutcomeUnknown,
  pendingRequest,
} from '../../../gate.ts'
import type { JsonObject } from '../../../protocol/json/json.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { heldAnswer, refusal, type Waiting } from './answers.ts'
import type { Caller, CallParts, Step } from './call-parts.ts'
import { foreignCall, identityOf, type ResolvedCall } from './foreign-call.ts'
import { type Hold, hold } from './hold.ts'

/**
 * Judges a call, waits for a person if it is held, and forwards it once.
 *
 * C1  A call is forwarded only inside of `gate.execute`: the release is spent before the server gets it.
 * C2  A client that is gone forwards nothing. Its request stays open, and an equal call of the same principal finds it.
 * C3  Equal calls that wait here at the same time are meant: each has a request of its own.
 */
export async function callTool(
  parts: CallParts,
  resolved: ResolvedCall & { upstream: Upstream },
  caller: Caller,
): Promise<JsonObject> {
  const { gate, room, wait } = parts
  const { listed, pin } = resolved
  const call = foreignCall(resolved)
  const key = identityOf(call)
  const { before, leave } = room.join(key, caller.signal)
  try {
    const states = await gate.judge(Array.from({ length: before + 1 }, () => call))
    let state = states.at(-1)!
    const isAlone = (): boolean => room.waiting(key) <= 1
    const held: Hold = { call, caller, parts, isAlone, endsAt: performance.now() + wait.holdSeconds * 1000 }
    for (;;) {
      caller.signal.throwIfAborted()
      if (state.status === 'free' && pin.is !== 'pinned') return refusal(notPinned(call))
      const step = isWaiting(state)
        ? await hold(held, state)
        : await forward(parts, state, { ...resolved, call, caller })
      if ('result' in step) return step.result
      state = step.state
      if (isWaiting(state) && performance.now() >= held.endsAt) return heldAnswer(state, listed, wait.inboxUrl)
    }
  } finally {
    leave()
  }
}

/** A call, and the client that waits for it. */
interface Forwarded extends ResolvedCall {
  readonly call: ForeignCall
  readonly upstream: Upstream
  readonly caller: Caller
}

/** A call that may start, or has ended. */
async function forward(parts: CallParts, state: GateState, { call, caller, ...resolved }: Forwarded): Promise<Step> {
  const { gate } = parts
  const { upstream, listed } = resolved
  const { signal, progress, meta } = caller
  if (state.status === 'refused') return { result: refusal(state.message, state.isError) }
  if (state.status === 'finished') return { result: ended(state.result, state.isError) }
  try {
    const executed = gate.execute(
      call,
      async (args, context) => {
        const { idempotencyKey } = context
        const sent = { args, idempotencyKey, meta, onprogress: progress.pass }
        const result = await withOwnSignal(context.signal, (own) => upstream.call(listed, { ...sent, signal: own }))
        return JSON.parse(JSON.stringify(result)) as JsonObject
      },
      { signal },
    )
    return { result: ended(await parts.forwarding(executed), false) }
  } catch (error) {
    return afterFailure(gate, call, error)
  }
}

/** The SDK never removes its listener, and the gate's signal outlives the call. */
async function withOwnSignal<T>(signal: AbortSignal, work: (own: AbortSignal) => Promise<T>): Promise<T> {
  const own = new AbortController()
  const abort = (): void => own.abort(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await work(own.signal)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** A failure that is known. Any other is thrown, and the client gets it as an error. */
async function afterFailure(gate: Gate, call: ForeignCall, error: unknown): Promise<Step> {
  if (error instanceof CallFailed) return { result: refusal(error.message) }
  if (error instanceof HoldpointNotReleased)
    return error.status === 'held' ? { state: await gate.state(call) } : { result: refusal(error.message) }
  // Whoever looks first acts on the unknown outcome: a person is asked, or it is released again.
  if (error instanceof OutcomeUnknown) return { state: await gate.wait(call, { timeoutSeconds: 0.001 }) }
  throw error
}

/** What was recorded: a result as the server sent it, or a text. */
function ended(result: unknown, isError: boolean): JsonObject {
  const isResult = typeof result === 'object' && result !== null && 'content' in result
  return isResult ? (result as JsonObject) : refusal(String(result), isError)
}

function isWaiting(state: GateState): state is Waiting {
  return pendingRequest(state) !== undefined
}

function notPinned({ toolName }: ForeignCall): string {
  return `Not run: the definition of ${toolName} is not the pinned one, and no policy of the gate asks about that. Add pinnedDefinitions() to its policies.`
}
