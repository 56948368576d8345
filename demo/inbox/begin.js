import { HoldpointError } from 'holdpoint'
import { enqueueRun } from 'holdpoint/worker'
import { COLLEAGUES, decideWhenAsked } from './colleagues.js'

/**
 * @typedef {object} Company
 * @property {import('holdpoint').Store} store
 * @property {Map<string, import('holdpoint').Agent>} agents
 * @property {import('./notebook.js').Notebook} notebook
 * @property {import('./deps.js').Deps} deps
 * @property {AbortSignal} signal
 */

/** How long to wait before the next try. */
const RETRY_MS = 1_000

/**
 * Begins a conversation: from here on a worker drives it, in this process or in a later one. It has one run, whose id is the thread's: beginning it
 * again does nothing.
 * @param {Company} company
 * @param {import('./conversations.js').Conversation} conversation
 */
export async function begin(company, { threadId, agent: name, text }) {
  const { store, agents, notebook, signal } = company
  const agent = agents.get(name)
  if (!agent) throw new Error(`there is no agent ${name}`)
  const run = {
    agent,
    threadId,
    runId: threadId,
    input: text,
    toolExecution: { start: /** @type {const} */ ('settled') },
  }
  if (!(await untilDone(() => enqueueRun(store, run), signal))) return
  notebook.write((notes) => {
    notes.active = notes.active.filter((each) => each !== text)
  })
}

/** The colleagues who decide something by themselves, whenever they are asked. @param {Company} company */
export async function employ(company) {
  const employed = Object.entries(COLLEAGUES).map(([threadId, colleague]) =>
    untilDone(() => decideWhenAsked(company, threadId, colleague), company.signal),
  )
  await Promise.all(employed)
}

/**
 * Does something, again and again as long as it is worth trying: a store may be locked or its disk full for a while. Resolves to whether it was done.
 * @param {() => Promise<unknown>} act
 * @param {AbortSignal} signal
 */
export async function untilDone(act, signal) {
  while (!signal.aborted) {
    try {
      await act()
      return true
    } catch (error) {
      if (!passes(error)) throw error
      await pause(RETRY_MS, signal)
    }
  }
  return false
}

/** Whether a failure may pass by itself. @param {unknown} error */
export function passes(error) {
  return HoldpointError.isInstance(error) && error.retryable
}

/** Waits so many milliseconds, or until the signal fires. @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
export function pause(ms, signal) {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
