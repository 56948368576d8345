// The approval step of a DBOS workflow, and the delivery of decisions to it.
import { DBOS } from '@dbos-inc/dbos-sdk'
import type { JsonObject, JsonValue } from 'holdpoint'
import { type ForeignCall, type Gate, type GateContext, HoldpointNotReleased, OutcomeUnknown } from 'holdpoint/gate'

/** How the call ended. A refusal is data, so that the workflow can go on. */
export type Approved<T> = { ran: true; result: T } | { ran: false; message: string }

/** What the process that delivers decisions needs to know. */
type Bookmark = { workflow: string; topic: string }

/** A workflow that nobody wakes looks by itself after this time. */
const LOOK_SECONDS = 3600

/**
 * Runs a call in the current workflow once people have released it. Each step may be repeated by DBOS: `judge` then reads what was recorded, and
 * `execute` returns the stored result. So the call runs once, wherever the process is killed.
 */
export async function approved<T extends JsonValue>(
  gate: Gate,
  call: Omit<ForeignCall, 'threadId'> & { callId: string },
  run: (args: JsonObject, context: GateContext) => Promise<T>,
): Promise<Approved<T>> {
  const workflow = DBOS.workflowID
  if (workflow === undefined) throw new Error('approved() is for workflows.')
  // Each call has its own topic, so that calls that wait side by side do not take each other's messages.
  const wake: Bookmark = { workflow, topic: `holdpoint/${call.callId}` }
  const own: ForeignCall = { ...call, threadId: `${workflow}/${call.callId}` }
  for (;;) {
    const { status, message } = await DBOS.runStep(() => look(gate, own, wake), { name: 'judge' })
    if (status === 'refused') return { ran: false, message }
    if (status === 'held' || status === 'unknown') {
      // The message only wakes the workflow. What was decided is read from the gate.
      await DBOS.recv(wake.topic, { timeoutSeconds: LOOK_SECONDS })
      continue
    }
    const end = await DBOS.runStep(() => execute(gate, own, run), { name: call.toolName })
    if (end) return { ran: true, result: end.result }
  }
}

/** Judges the call, or reads its state. Tells only what the workflow needs: DBOS stores what a step returns. */
async function look(gate: Gate, call: ForeignCall, wake: Bookmark): Promise<{ status: string; message: string }> {
  await gate.bookmark(call.threadId, wake)
  const [judged] = await gate.judge([call])
  // Nobody will be told of these: a decision that may still be withdrawn, and a call that runs in another process.
  const isDecided = judged?.status === 'held' && judged.request.status === 'decided'
  const isElsewhere = judged?.status === 'unknown' && !judged.request
  const state = isDecided || isElsewhere ? await gate.wait(call) : judged
  return { status: state?.status ?? 'refused', message: state?.status === 'refused' ? state.message : '' }
}

/** `undefined`: it did not run, or nobody knows whether it did. Then people are asked, and the workflow waits again. */
async function execute<T extends JsonValue>(
  gate: Gate,
  call: ForeignCall,
  run: (args: JsonObject, context: GateContext) => Promise<T>,
): Promise<{ result: T } | undefined> {
  try {
    return { result: await gate.execute(call, run) }
  } catch (error) {
    if (error instanceof HoldpointNotReleased || error instanceof OutcomeUnknown) return undefined
    throw error
  }
}

/** Sends a message to a workflow: `DBOS.send`, or `send` of a `DBOSClient`. */
export type Send = (workflow: string, message: string, topic: string, idempotencyKey: string) => Promise<void>

/**
 * Wakes workflows when their requests are settled, at least once each, also those that were settled while no process listened. The idempotency key makes
 * of several deliveries one message.
 */
export function deliverDecisions(gate: Gate, send: Send): AsyncDisposable {
  return gate.onSettled(async ({ id, version }, bookmark) => {
    const { workflow, topic } = bookmark as Bookmark
    await send(workflow, id, topic, `${id}/${version}`)
  })
}
