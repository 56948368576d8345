import type { Entry } from '../protocol/entries/entry.ts'
import { type JsonValue, wellFormed } from '../protocol/json/json.ts'

/** An entry that opens a request. */
type Opened = Extract<Entry, { type: 'request.opened' }>

/** The longest text that a search looks at. */
const LONGEST_TEXT = 2000

/** Names of arguments whose values are never searched. */
const SECRET = /pass(word|wd|phrase)|secret|token|api.?key|private.?key|credential|authorization|cookie|cvv|cvc/i

/** What a search looks at: tool, agent, thread, description, and the arguments except those that are secret by name. */
export function searchText({ toolName = '', agent, description = '', args = {} }: Opened, threadId: string): string {
  const words = [toolName, agent, threadId, description]
  let length = 0
  for (const value of valuesOf(args)) {
    if (length > LONGEST_TEXT) break
    words.push(value)
    length += value.length
  }
  return wellFormed(words.join(' ').toLowerCase().slice(0, LONGEST_TEXT)).replaceAll('\u0000', ' ')
}

function* valuesOf(value: JsonValue): Generator<string> {
  if (typeof value === 'string') yield value.slice(0, LONGEST_TEXT)
  else if (typeof value === 'number') yield String(value)
  else if (Array.isArray(value)) for (const item of value) yield* valuesOf(item)
  else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) if (!SECRET.test(key)) yield* valuesOf(item)
  }
}
