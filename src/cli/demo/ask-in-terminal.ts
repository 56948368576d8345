import { type Channel, type Decision, type HitlRequest, HitlStaleAnswer } from '../../index.ts'
import { answerEdit } from './answer-edit.ts'
import type { Ask, Asked, Demo } from './demo.ts'
import { type LineReader, lineReader } from './line-reader.ts'
import { sayDecided, sayQuestion } from './say.ts'
import { untilChanged } from './watch.ts'

/** One question at the keyboard. */
export interface Question {
  readonly demo: Demo
  readonly request: HitlRequest
  /** Hands the answer to the channel, which refuses what does not fit. */
  decide(decision: Decision): Promise<void>
  /** Asks for a line. Anything but a line (Ctrl-C, the end of input, a decision from elsewhere) ends the question by `Ended`. */
  line(prompt: string): Promise<string>
}

/** The question was ended in the middle of an answer. */
class Ended extends Error {
  readonly how: 'closed' | 'interrupted' | 'aborted'

  constructor(how: Ended['how']) {
    super(how)
    this.how = how
  }
}

/**
 * Shows the question and takes the answer from the keyboard. A letter counts only with Enter, so that nothing is approved by a slip. The
 * store is watched meanwhile: if somebody decides from elsewhere, the prompt gives way.
 */
export const askInTerminal: Ask = async (demo, channel, request) => {
  const { store, stop } = demo
  const over = new AbortController()
  const moved = new AbortController()
  const elsewhere = untilChanged(store, request, AbortSignal.any([stop.signal, over.signal])).finally(() =>
    moved.abort(),
  )
  // Awaited below when it matters; until then a failure must not end the process.
  elsewhere.catch(() => undefined)
  sayQuestion(demo, request)
  const reader = lineReader(demo.context)
  try {
    return await answer({ demo, request, decide: decideOn(demo, channel, request), line: lineOf(reader, moved.signal) })
  } catch (error) {
    if (error instanceof Ended && error.how === 'closed') return { kind: 'left', code: 0 }
    if (error instanceof Ended && error.how === 'interrupted') return { kind: 'left', code: 130 }
    if (!(error instanceof Ended || error instanceof HitlStaleAnswer)) throw error
    const changed = await elsewhere
    if (!changed) return { kind: 'left', code: stop.code }
    sayDecided(demo, changed)
    return { kind: 'go-on' }
  } finally {
    over.abort()
    reader.close()
  }
}

function decideOn({ by }: Demo, channel: Channel, { id }: HitlRequest): Question['decide'] {
  return (decision) => channel.answer(id, decision, { by })
}

function lineOf(reader: LineReader, signal: AbortSignal): Question['line'] {
  return async (prompt) => {
    const line = await reader.ask(prompt, signal)
    if (line.kind !== 'line') throw new Ended(line.kind)
    return line.text.trim()
  }
}

/** What can be typed, by the first letter or the whole word. `false`: nothing was decided, ask again. */
const CHOICES: Readonly<Record<string, (question: Question) => Promise<boolean>>> = {
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

async function answer(question: Question): Promise<Asked> {
  const { request, demo } = question
  const { out } = demo.context
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
    if (choice === undefined && typed !== '') out(`Type ${[...keys.keys(), 'q'].join(', ')} and press Enter.`)
  }
}
