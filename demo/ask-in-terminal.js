import { HitlStaleAnswer } from 'holdpoint'
import { answerEdit } from './answer-edit.js'
import { lineReader } from './line-reader.js'
import { sayDecided, sayQuestion } from './say.js'
import { untilChanged } from './watch.js'

/**
 * A question at the keyboard.
 * @typedef {object} Question
 * @property {import('./stage.js').Stage} stage
 * @property {import('holdpoint').HitlRequest} request
 * @property {(decision: import('holdpoint').Decision) => Promise<void>} decide answers the channel, which refuses what does not fit
 * @property {(prompt: string) => Promise<string>} line asks for a line; throws `Ended` on Ctrl-C, at the end of input, or if somebody decides elsewhere
 */

/** The question ended before the person finished an answer. */
class Ended extends Error {
  /** @param {'closed' | 'interrupted' | 'aborted'} how */
  constructor(how) {
    super(how)
    this.how = how
  }
}

/**
 * Shows the question and takes the answer from the keyboard. A letter counts only with Enter, so nothing is approved by a slip. The
 * store is watched meanwhile: if somebody decides elsewhere, the prompt goes away.
 * @type {import('./ask.js').Ask}
 */
export const askInTerminal = async (stage, { channel, request }) => {
  const { store, stop, by } = stage
  const over = new AbortController()
  const moved = new AbortController()
  const elsewhere = untilChanged(store, request, AbortSignal.any([stop.signal, over.signal])).finally(() =>
    moved.abort(),
  )
  // It is awaited below if it matters. Until then a failure must not end the process.
  elsewhere.catch(() => undefined)
  sayQuestion(stage, request)
  const reader = lineReader(stage.terminal)
  try {
    return await answer({
      stage,
      request,
      decide: (decision) => channel.answer(request.id, decision, { by }),
      line: lineOf(reader, moved.signal),
    })
  } catch (error) {
    if (error instanceof Ended && error.how === 'closed') return { kind: 'left', code: 0 }
    if (error instanceof Ended && error.how === 'interrupted') return { kind: 'left', code: 130 }
    if (!(error instanceof Ended || error instanceof HitlStaleAnswer)) throw error
    const changed = await elsewhere
    if (!changed) return { kind: 'left', code: stop.code }
    sayDecided(stage, changed)
    return { kind: 'go-on' }
  } finally {
    over.abort()
    reader.close()
  }
}

/** @param {import('./line-reader.js').LineReader} reader @param {AbortSignal} signal @returns {Question['line']} */
function lineOf(reader, signal) {
  return async (prompt) => {
    const line = await reader.ask(prompt, signal)
    if (line.kind !== 'line') throw new Ended(line.kind)
    return line.text.trim()
  }
}

/**
 * The choices, typed as a letter or as the whole word. `false`: nothing was decided, ask again.
 * @type {Readonly<Record<string, (question: Question) => Promise<boolean>>>}
 */
const CHOICES = {
  approve: async ({ decide }) => {
    await decide({ type: 'approve' })
    return true
  },
  edit: answerEdit,
  reject: async ({ decide, line }) => {
    const message = await line('Why not? The agent reads it (Enter for no reason): ')
    await decide({ type: 'reject', ...(message === '' ? {} : { message }) })
    return true
  },
  respond: async ({ decide, line }) => {
    const message = await line('What happened? The agent reads it as the result: ')
    if (message === '') return false
    await decide({ type: 'respond', message })
    return true
  },
}

/** @param {Question} question @returns {Promise<import('./stage.js').Asked>} */
async function answer(question) {
  const { request, stage } = question
  const offered = ['approve', 'edit', 'reject', ...(request.reason === 'unknown_outcome' ? ['respond'] : [])].filter(
    (each) => request.allowedDecisions.some((allowed) => allowed === each),
  )
  const keys = new Map(offered.map((choice) => [choice === 'respond' ? 's' : choice.slice(0, 1), choice]))
  const labels = offered.map((choice) =>
    choice === 'respond' ? 're[s]pond' : `[${choice.slice(0, 1)}]${choice.slice(1)}`,
  )
  const prompt = `${labels.join('  ')}  [q]uit (the question stays) > `
  for (;;) {
    const typed = (await question.line(prompt)).toLowerCase()
    if (typed === 'q' || typed === 'quit') return { kind: 'left', code: 0 }
    const choice = keys.get(typed) ?? offered.find((each) => each === typed)
    if (choice !== undefined && (await CHOICES[choice]?.(question))) return { kind: 'go-on' }
    if (choice === undefined && typed !== '')
      stage.terminal.out(`Type ${[...keys.keys(), 'q'].join(', ')} and press Enter.`)
  }
}
