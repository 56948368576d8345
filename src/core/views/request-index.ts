import type { Entry } from '../../protocol/entries/entry.ts'
import { type JsonValue, wellFormed } from '../../protocol/json/json.ts'
import { uncovered } from '../display/leaves.ts'
import { titleOf } from '../display/title.ts'

/** An entry that opens a request. */
type Opened = Extract<Entry, { type: 'request.opened' }>

/** The longest text that a search looks at. */
const LONGEST_TEXT = 2000

/** Names of arguments whose values are never searched. */
const SECRET = /pass(word|wd|phrase)|secret|token|api.?key|private.?key|credential|authorization|cookie|cvv|cvc/i

/** What a search looks at: tool, agent, thread, description, headline, and the arguments except those that are secret by name or by their tool's word. */
export function searchText(opened: Opened, threadId: string): string {
  const { toolName = '', agent, description = '', args = {}, display } = opened
  const hidden = display?.fields.flatMap(({ path, format }) => (format === 'secret' ? [path] : [])) ?? []
  const shown = uncovered(args, hidden)
  const isShown = new Set(shown.map(({ path }) => path))
  const secrets = uncovered(args, []).flatMap(
    ({ path, value }) => valuesOf(value, !isShown.has(path) || SECRET.test(path)).secret,
  )
  const values = shown.flatMap(({ path, value }) => valuesOf(value, SECRET.test(path)).open)
  // Descriptions may quote arguments.
  const told = [...new Set([description, titleOf(opened)])].map((text) => without(text, secrets))
  const words = [toolName, agent, threadId, ...told, ...values].join(' ').toLowerCase()
  return wellFormed(words.slice(0, LONGEST_TEXT)).replaceAll('\u0000', ' ')
}

function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret === '' ? left : left.replaceAll(secret, ' ')), text)
}

/** The strings and numbers in a value: those that are shown, and those that are secret by name. */
function valuesOf(value: JsonValue, secret: boolean): { open: string[]; secret: string[] } {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value).slice(0, LONGEST_TEXT)
    return secret ? { open: [], secret: [text] } : { open: [text], secret: [] }
  }
  if (value === null || typeof value !== 'object') return { open: [], secret: [] }
  const parts = Object.entries(value).map(([key, item]) => valuesOf(item as JsonValue, secret || SECRET.test(key)))
  return { open: parts.flatMap((part) => part.open), secret: parts.flatMap((part) => part.secret) }
}
