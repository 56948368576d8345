import { join } from 'node:path'
import { openDesk } from 'holdpoint'
import { createAgents } from './agents.js'
import { conversationOf, FIRST, generatedText } from './conversations.js'
import { drive } from './drive.js'
import { effectsAt } from './effects.js'
import { notebookIn } from './notebook.js'

/** While fewer than this many requests are open, new ones come. */
const ENOUGH = 15
/** A new one comes after so many milliseconds. */
const PACE = { least: 20_000, most: 40_000 }

/**
 * What the command line lends the demo.
 * @typedef {object} InboxStage
 * @property {import('holdpoint').Store} store
 * @property {AbortSignal} signal ends it
 * @property {boolean} fixed only the first conversations, no others
 * @property {(error: unknown) => void} onError is told why a conversation failed; the others go on
 */

/**
 * The demo's company. It keeps its notes and its log of effects in a folder.
 * @param {string} folder
 */
export function createCompany(folder) {
  const notebook = notebookIn(folder)
  const agents = createAgents(notebook)
  const deps = { effects: effectsAt(join(folder, 'effects.log')) }
  return {
    /** For previews of edits. */
    agents: [...agents.values()],
    /** @param {InboxStage} stage */
    run: (stage) => work({ agents, notebook, deps, ...stage }),
  }
}

/**
 * Runs the company until the signal fires: agents that want things, and people who decide about them in the inbox. It takes up what an earlier
 * process left, wherever that was killed.
 * @param {import('./drive.js').Company & InboxStage} company
 */
async function work(company) {
  const { store, notebook, signal, fixed, onError } = company
  const desk = openDesk({ store })
  /** @type {Set<Promise<void>>} */
  const running = new Set()

  /** @param {string} text */
  const begin = (text) => {
    const driven = drive(company, conversationOf(text))
      .catch(onError)
      .finally(() => running.delete(driven))
    running.add(driven)
  }

  const addOne = async () => {
    const { requests } = await desk.list({ status: 'open', limit: ENOUGH })
    if (requests.length >= ENOUGH) return
    const text = generatedText(notebook.read().next)
    notebook.write((notes) => {
      notes.active.push(text)
      notes.next += 1
    })
    begin(text)
  }

  if (!notebook.read().begun) {
    notebook.write((notes) => {
      notes.begun = true
      notes.active = [...FIRST]
      notes.next = 3
    })
  }
  // One after the other, so that the first is first in every list.
  for (const text of notebook.read().active) {
    if (signal.aborted) break
    begin(text)
    await pause(20, signal)
  }
  while (!signal.aborted) {
    await pause(fixed ? 3_600_000 : PACE.least + Math.random() * (PACE.most - PACE.least), signal)
    if (signal.aborted || fixed) continue
    // A store that is locked, or a full disk, costs one turn.
    await addOne().catch(onError)
  }
  await Promise.all(running)
}

/** Waits so many milliseconds, or until the signal fires. @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
function pause(ms, signal) {
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
