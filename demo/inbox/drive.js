import { CheckpointedChannel, HoldpointError, ThreadPaused } from 'holdpoint'
import { versionOf } from '../threads.js'
import { COLLEAGUES, decideAs } from './colleagues.js'

/**
 * @typedef {object} Company
 * @property {import('holdpoint').Store} store
 * @property {Map<string, import('holdpoint').Agent>} agents
 * @property {import('./notebook.js').Notebook} notebook
 * @property {import('./deps.js').Deps} deps
 * @property {AbortSignal} signal
 */

/** How long to wait before the next try, if nothing happens before. */
const RETRY_MS = 1_000

/**
 * Drives a conversation to its end: begins it, or goes on where an earlier process left it. People decide in the store; the channel waits for that.
 * @param {Company} company
 * @param {import('./conversations.js').Conversation} conversation
 */
export async function drive(company, { threadId, agent: name, text }) {
  const { store, agents, notebook, deps, signal } = company
  const agent = agents.get(name)
  if (!agent) throw new Error(`there is no agent ${name}`)
  const channel = new CheckpointedChannel({ store, threadId })
  const colleague = COLLEAGUES[threadId]
  if (colleague) channel.subscribe((request) => decideAs(company, colleague, request))
  const thread = agent.thread(threadId, { store, channel, deps })
  while (!signal.aborted) {
    const soon = AbortSignal.any([signal, AbortSignal.timeout(RETRY_MS)])
    try {
      const after = await versionOf(store, threadId)
      const result = after === 0 ? await thread.prompt(text, { signal }) : await thread.resume({ signal })
      if (result.status === 'failed') throw result.error
      if (result.status === 'completed' || result.status === 'aborted') return finish(notebook, text)
      await store.changed(threadId, { after, signal: soon })
    } catch (error) {
      if (!passes(error)) throw error
      await aborted(soon)
    }
  }
}

/**
 * Whether it is worth trying again: a process that was killed still holds the thread for a while, and a store may be locked or its disk full for a while.
 * @param {unknown} error
 */
function passes(error) {
  return error instanceof ThreadPaused || (HoldpointError.isInstance(error) && error.retryable)
}

/** @param {AbortSignal} signal @returns {Promise<void>} */
function aborted(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** @param {import('./notebook.js').Notebook} notebook @param {string} text */
function finish(notebook, text) {
  notebook.write((notes) => {
    notes.active = notes.active.filter((each) => each !== text)
  })
}
