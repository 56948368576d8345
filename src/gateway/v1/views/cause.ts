import { type Message, textOf } from '../../../protocol/message.ts'
import { brief } from './story.ts'
import type { ThreadEntry } from './thread-entries.ts'

/** What the user said, and when. */
export interface Cause {
  readonly at: number
  readonly text: string
}

/**
 * What the user said last before a place in a thread: the input of the root, or the end of its history. `none`: nothing, since the run began without words.
 * `undefined`: these entries do not say.
 */
export function causeOf(entries: readonly ThreadEntry[], before: number): Cause | 'none' | undefined {
  for (const { seq, at, entry } of entries.toReversed()) {
    if (seq >= before) continue
    if (entry.type === 'input.added' && entry.frame === undefined) {
      const text = lastWords(entry.input)
      if (text !== undefined) return { at, text: brief(text) }
    }
    if (entry.type === 'run.opened') {
      const text = lastWords(entry.input) ?? lastWords(entry.history ?? [])
      return text === undefined ? 'none' : { at, text: brief(text) }
    }
  }
  return undefined
}

function lastWords(messages: readonly Message[]): string | undefined {
  const last = messages.findLast(({ role, content }) => role === 'user' && textOf(content) !== '')
  return last && textOf(last.content)
}
