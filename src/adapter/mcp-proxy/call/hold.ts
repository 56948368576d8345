import type { ForeignCall, GateState } from '../../../gate.ts'
import { messageOf } from '../../../protocol/errors/errors.ts'
import type { JsonObject } from '../../../protocol/json/json.ts'
import { type Waiting, waitingText } from './answers.ts'
import type { Caller, CallParts, Step } from './call-parts.ts'
import { decisionIn, elicitedActor, mayElicit, QUESTION, questionOf } from './elicitation.ts'

/** Of equal calls that wait here, any may be decided first: they are looked at in turn. */
const TURN_SECONDS = 1

/** A call that a person is asked about, and the client that waits for it. */
export interface Hold {
  readonly call: ForeignCall
  readonly caller: Caller
  readonly parts: CallParts
  /** Whether no equal call waits here. */
  isAlone(): boolean
  /** When the client is told to call again, by `performance.now()`. */
  readonly endsAt: number
}

/** Waits for a person, and asks the client's user if that is allowed. Resolves to the new state, or to what the client must be told. */
export async function hold(held: Hold, state: Waiting): Promise<Step> {
  const { caller, parts } = held
  const { wait } = parts
  const canAsk = wait.elicitation && held.isAlone() && mayElicit(state, caller.capabilities)
  const { answered } = caller
  if (canAsk && answered && answered.requestId === state.request?.id) await decide(held, state, answered.answer)
  else if (canAsk && caller.canRepeat) return { result: inputRequired(state) }
  const done = new AbortController()
  const stop = caller.progress.every(wait.progressSeconds, () => waitingText(state, wait.inboxUrl))
  if (canAsk && caller.ask) askBeside(held, state, done.signal)
  try {
    return { state: await waitOnce(held) }
  } finally {
    stop()
    done.abort()
  }
}

async function waitOnce({ call, caller, parts, isAlone, endsAt }: Hold): Promise<GateState> {
  const left = Math.max(0.001, (endsAt - performance.now()) / 1000)
  const timeoutSeconds = isAlone() ? left : Math.min(left, TURN_SECONDS)
  const state = await parts.gate.wait(call, { timeoutSeconds, signal: caller.signal })
  // Of equal calls another one than the first may have been released: `execute` finds it.
  return state.status === 'held' && !isAlone() ? { status: 'unknown' } : state
}

/** Asks while the call waits. A decision made elsewhere ends the question. */
function askBeside(held: Hold, state: Waiting, signal: AbortSignal): void {
  const { caller, parts } = held
  const asked = caller.ask?.(questionOf(state.request!), signal)
  asked
    ?.then((answer) => decide(held, state, answer))
    .catch((error: unknown) => {
      if (!signal.aborted) parts.warn('elicitation_failed', `The client could not be asked: ${messageOf(error)}`)
    })
}

async function decide({ parts }: Hold, { request }: Waiting, answer: JsonObject): Promise<void> {
  const decision = decisionIn(answer)
  if (!decision || !request) return
  const by = elicitedActor(parts.room.principal)
  // It may have been decided elsewhere meanwhile. Then that counts, and the wait finds it.
  await parts.gate.decide(request, decision, { by, version: request.version }).catch((error: unknown) => {
    parts.warn('elicitation_late', `An elicited decision was not accepted: ${messageOf(error)}`)
  })
}

/** The question as the result of a modern client's call. The state only names the request: it proves nothing, and the call is found by what it is. */
function inputRequired({ request }: Waiting): JsonObject {
  return {
    resultType: 'input_required',
    inputRequests: { [QUESTION]: { method: 'elicitation/create', params: questionOf(request!) } },
    requestState: request!.id,
  }
}
