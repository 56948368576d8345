import type { JsonObject, JsonValue } from '../../index.ts'
import type { Layout } from './long-text.ts'
import { toVisibleAtoms } from './visible.ts'
import { wrapAtoms } from './width.ts'

/** A preview that is a diff, and its other fields. */
export interface DiffPreview {
  readonly text: string
  readonly rest: JsonObject
}

/** A diff by its shape: `{ type: 'diff', diff }` (or `text`, or `patch`), a unified diff, or what `applyPatchTool` shows. */
export function diffOf(preview: JsonValue): DiffPreview | undefined {
  if (typeof preview === 'string') return isDiff(preview) ? { text: preview, rest: {} } : undefined
  if (preview === null || typeof preview !== 'object' || Array.isArray(preview) || preview.type !== 'diff')
    return undefined
  const key = ['diff', 'text', 'patch'].find((each) => typeof preview[each] === 'string')
  if (key === undefined) return undefined
  const { [key]: text, type: _type, ...rest } = preview
  return { text: text as string, rest }
}

function isDiff(text: string): boolean {
  if (!/^[+-]/m.test(text)) return false
  return /^(@@ |@@$|diff --git |\*\*\* (Add|Update) File: )/m.test(text) || /^--- .*\n\+\+\+ /m.test(text)
}

const FOLD_LINES = 60
const HEAD_LINES = 40
const TAIL_LINES = 10

/**
 * A diff as lines, removed ones in red and added ones in green. Every line has a gutter, so that none can pass for a line of ours. A long line
 * is broken here with another gutter, so that its rest cannot pass for a line of the diff.
 */
export function diffLines(text: string, layout: Layout): string[] {
  const lines = text.replace(/\n$/, '').split('\n')
  const folded = !layout.full && lines.length > FOLD_LINES
  const shown = (part: readonly string[]) => part.flatMap((line) => lineAt(line, layout))
  if (!folded) return shown(lines)
  const gap = `⋮ ${lines.length.toLocaleString('en')} lines in all; the middle is folded, --full shows it`
  return [...shown(lines.slice(0, HEAD_LINES)), layout.style.accent(gap), ...shown(lines.slice(-TAIL_LINES))]
}

function lineAt(line: string, { style, width }: Layout): string[] {
  const [first = '', ...more] = wrapAtoms(toVisibleAtoms(line), Math.max(20, width - 2))
  const paint = paintOf(line, style)
  return [`${style.dim('│')} ${paint(first)}`, ...more.map((rest) => `${style.dim('┊')} ${paint(rest)}`)]
}

function paintOf(line: string, style: Layout['style']): (text: string) => string {
  if (/^(\+\+\+ |--- |diff --git |\*\*\* )/.test(line)) return style.bold
  if (line.startsWith('@@')) return style.accent
  if (line.startsWith('+')) return style.good
  return line.startsWith('-') ? style.bad : (text) => text
}
