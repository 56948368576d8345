import { CheckpointedChannel, RunState, ThreadBusy, ThreadPaused } from 'holdpoint'
import { supportAgent } from './agent.js'
import { askAsShown } from './ask.js'
import { CUSTOMER_SAYS } from './orders.js'
import { refundLog } from './refund-log.js'
import { sayEnd, sayEvent, sayGoodbye, sayHello, sayMessages, sayWelcomeBack } from './say.js'
import { demoThread, lastDemo, versionOf } from './threads.js'

/**
 * @typedef {import('./stage.js').Stage} Stage
 * @typedef {import('holdpoint').Thread} Thread
 * @typedef {import('holdpoint').ThreadResult} ThreadResult
 */

/**
 * Runs the demo from where it stands to its end, or until the person leaves: a live thread whose channel shows each question. Resolves to
 * the exit code.
 * @param {Stage} stage
 * @returns {Promise<number>}
 */
export async function runDemo(stage) {
  const { store, stop, refundsFile } = stage
  const refunds = refundLog(refundsFile)
  const { threadId, isNew } = await choose(stage)
  const channel = new CheckpointedChannel({ store, threadId })
  const thread = supportAgent.thread(threadId, { store, channel, deps: { refunds } })
  thread.subscribe((event) => sayEvent(stage, event))
  const asking = askAsShown(stage, { thread, channel })
  const result = await drive(stage, { thread, isNew })
  const left = await asking.end()
  if (left) return leave(stage, 'question', left.code)
  switch (result?.status) {
    case 'failed':
      throw result.error
    case 'completed':
    case 'aborted':
      sayEnd(stage, refunds.linesOf(threadId))
      return 0
    case 'suspended':
    case 'incomplete':
    case undefined:
      return leave(stage, result?.requests.length ? 'question' : 'work', stop.code)
    default:
      return /** @type {never} */ (result)
  }
}

/** @param {Stage} stage @param {'question' | 'work'} at @param {number} code */
function leave(stage, at, code) {
  sayGoodbye(stage, at)
  return code
}

/** Comes back to the last thread if it is not over, else starts a new one. @param {Stage} stage */
async function choose(stage) {
  const { store } = stage
  const last = await lastDemo(store)
  if (last > 0) {
    const threadId = demoThread(last)
    const state = await RunState.load(supportAgent, { threadId, store, messages: true })
    if (state.status === 'open') {
      sayWelcomeBack(stage, threadId)
      sayMessages(stage, state.messages)
      return { threadId, isNew: false }
    }
  }
  const threadId = demoThread(last + 1)
  sayHello(stage, threadId)
  return { threadId, isNew: true }
}

/**
 * Drives the thread. While another process drives it, its progress is waited for. `undefined`: told to stop meanwhile.
 * @param {Stage} stage
 * @param {{ thread: Thread, isNew: boolean }} from
 * @returns {Promise<ThreadResult | undefined>}
 */
async function drive({ store, stop: { signal } }, { thread, isNew }) {
  let fresh = isNew
  while (!signal.aborted) {
    const after = await versionOf(store, thread.id)
    try {
      return fresh ? await thread.prompt(CUSTOMER_SAYS, { signal }) : await thread.resume({ signal })
    } catch (error) {
      // Somebody started the same demo at the same moment: join in.
      if (!(error instanceof ThreadBusy || error instanceof ThreadPaused)) throw error
      fresh = false
      if (error instanceof ThreadPaused) continue
      await store.changed(thread.id, { after, signal: AbortSignal.any([signal, AbortSignal.timeout(1_000)]) })
    }
  }
  return undefined
}
