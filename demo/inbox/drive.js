import { CheckpointedChannel, ThreadBusy, ThreadPaused } from 'holdpoint'
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
    const after = await versionOf(store, threadId)
    try {
      const result = after === 0 ? await thread.prompt(text, { signal }) : await thread.resume({ signal })
      if (result.status === 'failed') throw result.error
      if (result.status === 'completed' || result.status === 'aborted') return finish(notebook, text)
    } catch (error) {
      // A process that was killed still holds the thread for a while.
      if (!(error instanceof ThreadBusy || error instanceof ThreadPaused)) throw error
    }
    await store.changed(threadId, { after, signal: AbortSignal.any([signal, AbortSignal.timeout(1_000)]) })
  }
}

/** @param {import('./notebook.js').Notebook} notebook @param {string} text */
function finish(notebook, text) {
  notebook.write((notes) => {
    notes.active = notes.active.filter((each) => each !== text)
  })
}
