import { HIDDEN } from '../../core/display/hidden.ts'

export { quoted, toQuotedAtoms, toVisibleAtoms, visible } from '../../core/display/visible.ts'

/** JSON that is safe to print: still the same JSON, with everything hidden written as an escape. */
export function safeJson(value: unknown): string {
  return escaped(JSON.stringify(value, null, 2))
}

/** The same on one line. */
export function safeJsonLine(value: unknown): string {
  return escaped(JSON.stringify(value))
}

function escaped(text: string): string {
  return text.replace(new RegExp(HIDDEN, 'gu'), (character) => {
    if (character === '\n') return character
    return [...character.split('')].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  })
}
