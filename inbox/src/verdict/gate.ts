import type { RequestItem } from 'holdpoint/client'
import { valueAt } from '../../../src/core/display/value-at.ts'
import { fieldAt } from '../card/headline.ts'

/** What an approval asks for. `arm`: a click, or two keys. `type`: a word. `hold`: the button or the key is held. */
export type Gate = { kind: 'arm' } | { kind: 'hold' } | { kind: 'type'; word: string }

/** Numbers below this are not worth typing. */
const MANY = 100

/**
 * High risk asks for one more step: if the headline has a large number, its digits are typed, so that they are read; if the call hides text, the name
 * of its tool. Otherwise the button is held.
 */
export function gateOf(request: RequestItem): Gate {
  if (request.kind !== 'approve' || request.risk !== 'high') return { kind: 'arm' }
  const number = largeNumber(request)
  if (number !== undefined) return { kind: 'type', word: number }
  if (request.hidden > 0 && request.toolName !== undefined) return { kind: 'type', word: request.toolName }
  return { kind: 'hold' }
}

function largeNumber(request: RequestItem): string | undefined {
  for (const part of request.display?.title ?? []) {
    if (typeof part === 'string') continue
    const value = valueAt(request.args ?? {}, part.path)
    const count = Array.isArray(value) ? value.length : value
    const { format } = fieldAt(request, part.path)
    if (typeof count === 'number' && Number.isInteger(count) && count >= MANY && format !== 'money' && format !== 'id')
      return String(count)
  }
  return undefined
}

/** Whether what was typed is the word, however a number is grouped. */
export function isTyped(typed: string, word: string): boolean {
  const plain = (text: string) => (/^[\d.,\s’']+$/.test(text) ? text.replace(/\D/g, '') : text.trim().toLowerCase())
  return plain(typed) === plain(word)
}
