import type { Entry } from '../protocol/entries/entry.ts'
import { type JsonValue, wellFormed } from '../protocol/json/json.ts'
import { uncovered } from './display/leaves.ts'
import { titleOf } from './display/title.ts'

/** An entry that opens a request. */
type Opened = Extract<Entry, { type: 'request.opened' }>

/** The longest text that a search looks at. */
const LONGEST_TEXT = 2000

/** Names of arguments whose values are never searched. */
const SECRET = /pass(word|wd|phrase)|secret|token|api.?key|private.?key|credential|authorization|cookie|cvv|cvc/i

/** What a search looks at: tool, agent, thread, description, headline, and the arguments except those that are secret by name or by their tool's word. */
export function searchText(opened: Opened, threadId: string): string {
  const { toolName = '', agent, description = '', args = {}, display } = opened
  const words = [toolName, agent, threadId, description, titleOf(opened)]
  const secrets = display?.fields.flatMap(({ path, format }) => (format === 'secret' ? [path] : [])) ?? []
  let length = 0
  for (const { path, value } of uncovered(args, secrets)) {
    if (SECRET.test(path)) continue
    for (const text of valuesOf(value)) {
      if (length > LONGEST_TEXT) break
      words.push(text)
      length += text.length
    }
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
