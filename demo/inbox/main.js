import { join } from 'node:path'
import { openDesk } from 'holdpoint'
import { createWorker, inProcessQueue } from 'holdpoint/worker'
import { createAgents } from './agents.js'
import { begin, employ, passes, pause, untilDone } from './begin.js'
import { conversationOf, FIRST, generatedText } from './conversations.js'
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
 * @param {import('./begin.js').Company & InboxStage} company
 */
async function work(company) {
  const { store, notebook, signal, onError } = company
  const worker = createWorker({
    agents: [...company.agents.values()],
    store,
    queue: inProcessQueue(),
    deps: company.deps,
    // If this process is killed, the next one goes on after that.
    leaseMs: 5_000,
    onEvent(event) {
      const isTrouble = event.type === 'dead' || (event.type === 'error' && !passes(event.error))
      if (isTrouble) onError(event.error)
    },
  })
  const employed = employ(company).catch(onError)
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
    await begin(company, conversationOf(text)).catch(onError)
  }
  await untilDone(() => worker.start(), signal)
  await addMore(company)
  await Promise.all([worker.stop(), employed])
}

/** Lets new conversations begin while few requests are open. @param {import('./begin.js').Company & InboxStage} company */
async function addMore(company) {
  const { store, notebook, signal, fixed, onError } = company
  const desk = openDesk({ store })
  const addOne = async () => {
    const { requests } = await desk.list({ status: 'open', limit: ENOUGH })
    if (requests.length >= ENOUGH) return
    const text = generatedText(notebook.read().next)
    notebook.write((notes) => {
      notes.active.push(text)
      notes.next += 1
    })
    await begin(company, conversationOf(text))
  }
  while (!signal.aborted) {
    await pause(fixed ? 3_600_000 : PACE.least + Math.random() * (PACE.most - PACE.least), signal)
    if (signal.aborted || fixed) continue
    // A store that is locked, or a full disk, costs one turn.
    await addOne().catch(onError)
  }
}
