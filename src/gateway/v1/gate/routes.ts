import { toGateAnswer } from '../../../gate/gate-answer.ts'
import type { ForeignCall, Gate } from '../../../gate/types.ts'
import { gateAnswer, gateAsk, gateEnd, gateWait } from '../../../protocol/api/gate.ts'
import { TOO_MANY } from '../../hil/poll.ts'
import { refuse } from '../../refusal.ts'
import { type AnyRoute, type ApiCall, apiRoute } from '../api-route.ts'
import { ok } from '../refusals.ts'

const forAgents = true as const

/** Judges a call of an agent, and opens a request if a person must decide. */
const judgeRoute = apiRoute({
  method: 'POST',
  path: '/v1/gate/judge',
  summary: 'Judges the call of an agent; asking again reads what was recorded',
  body: gateAsk,
  answer: gateAnswer,
  forAgents,
  async handle(call) {
    const { gate, foreign } = gateOf(call)
    const [state] = await gate.judge([foreign])
    return state ? ok(toGateAnswer(state)) : refuse(500, 'The call was not judged.')
  },
})

/** Waits for the decision about a call. */
const waitRoute = apiRoute({
  method: 'POST',
  path: '/v1/gate/wait',
  summary: 'Waits until the call of an agent is decided, or the time is over',
  body: gateWait,
  answer: gateAnswer,
  forAgents,
  async handle(call) {
    const { gate, foreign } = gateOf(call)
    const { parts, caller, http, body } = call
    const slot = parts.waitSlots.enter(caller)
    if (!slot) return TOO_MANY
    const { signal: gone } = http.request
    try {
      if (gone.aborted) slot.cancel()
      else gone.addEventListener('abort', slot.cancel, { once: true })
      return ok(toGateAnswer(await gate.wait(foreign, { timeoutSeconds: body.timeoutSeconds, signal: slot.signal })))
    } catch (error) {
      if (!slot.signal.aborted) throw error
      return ok(toGateAnswer(await gate.state(foreign)))
    } finally {
      gone.removeEventListener('abort', slot.cancel)
      slot.end()
    }
  },
})

/** Hands a released call over to the agent that runs it. */
const spendRoute = apiRoute({
  method: 'POST',
  path: '/v1/gate/spend',
  summary: 'Spends the release of a call that the agent runs itself; released is answered once',
  body: gateAsk,
  answer: gateAnswer,
  forAgents,
  async handle(call) {
    const { gate, foreign } = gateOf(call)
    return ok(toGateAnswer(await gate.spend(foreign)))
  },
})

/** Records how a call ended. It is the agent's word. */
const finishedRoute = apiRoute({
  method: 'POST',
  path: '/v1/gate/finished',
  summary: 'Records how a call ended that was handed over',
  body: gateEnd,
  answer: null,
  forAgents,
  refusals: [409],
  async handle(call) {
    const { gate, foreign } = gateOf(call)
    await gate.finished(foreign, call.body.end)
    return ok(undefined)
  },
})

/** The routes of a gateway with a gate. Only credentials with the role `agent` may call them, and those decide nothing. */
export const gateRoutes: readonly AnyRoute[] = [judgeRoute, waitRoute, spendRoute, finishedRoute]

/** The gate of the caller's tenant and host. The call is made on behalf of the caller, whatever it says. */
function gateOf({ parts, caller, body }: ApiCall<unknown, { source: string; call: ForeignCall }>): {
  gate: Gate
  foreign: ForeignCall
} {
  return { gate: parts.gate(caller.tenant, body.source), foreign: { ...body.call, principal: caller.sub } }
}
