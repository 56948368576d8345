import { diffLines, parsePatch } from 'diff'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json/json.ts'

/** A line of a difference. `gap` stands for lines that did not change. */
export type DiffLine =
  | { sign: ' ' | '+' | '-'; text: string; old?: number; new?: number }
  | { sign: 'gap'; count: number }

/** A part of a preview, by how it is shown. */
export type PreviewPart =
  | { kind: 'bars'; bars: { name: string; part: number; whole: number }[] }
  | { kind: 'diff'; name?: string; lines: DiffLine[] }
  | { kind: 'table'; name?: string; head: string[]; rows: JsonValue[][]; more: number }
  | { kind: 'sql'; text: string }
  | { kind: 'values'; values: { name: string; value: JsonValue }[] }

const MOST_ROWS = 50
/** Unchanged lines that are shown round a change. */
const ROUND = 3

/** Reads a preview: shares as bars, differences line by line, rows as a table, statements as code, everything else as names and values. */
export function readPreview(preview: JsonValue): PreviewPart[] {
  if (typeof preview === 'string') return [readText(undefined, preview)]
  if (Array.isArray(preview)) return [readArray(undefined, preview)]
  if (!isObject(preview)) return [{ kind: 'values', values: [{ name: '', value: preview }] }]
  const change = readChange(undefined, preview)
  if (change) return [change]
  const bars = readBars(preview)
  const values: { name: string; value: JsonValue }[] = []
  const parts: PreviewPart[] = []
  for (const [name, value] of Object.entries(preview)) {
    if (bars.some((bar) => bar.from === name)) continue
    const part = readNamed(name, value)
    if (part) parts.push(part)
    else values.push({ name, value })
  }
  return [
    ...(bars.length > 0 ? [{ kind: 'bars' as const, bars: bars.map(({ from: _, ...bar }) => bar) }] : []),
    ...(values.length > 0 ? [{ kind: 'values' as const, values }] : []),
    ...parts,
  ]
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readNamed(name: string, value: JsonValue): PreviewPart | undefined {
  if (typeof value === 'string') {
    const part = readText(name, value)
    return part.kind === 'values' ? undefined : part
  }
  if (Array.isArray(value)) {
    const part = readArray(name, value)
    return part.kind === 'table' ? part : undefined
  }
  return isObject(value) ? readChange(name, value) : undefined
}

function readText(name: string | undefined, text: string): PreviewPart {
  if (/^(diff --git |--- |@@ )/m.test(text)) {
    const lines = patchLines(text)
    if (lines) return { kind: 'diff', ...(name === undefined ? {} : { name }), lines }
  }
  if (
    /^\s*(select|insert|update|delete|alter|create|drop|truncate|with|grant)\b[\s\S]*\b(from|into|table|set|index|as|on)\b/i.test(
      text,
    )
  )
    return { kind: 'sql', text }
  return { kind: 'values', values: [{ name: name ?? '', value: text }] }
}

function patchLines(text: string): DiffLine[] | undefined {
  try {
    const lines: DiffLine[] = []
    for (const { hunks } of parsePatch(text))
      for (const hunk of hunks) {
        let [old, now] = [hunk.oldStart, hunk.newStart]
        if (lines.length > 0 || old > 1) lines.push({ sign: 'gap', count: 0 })
        for (const line of hunk.lines) {
          const body = line.slice(1)
          if (line.startsWith('+')) lines.push({ sign: '+', text: body, new: now++ })
          else if (line.startsWith('-')) lines.push({ sign: '-', text: body, old: old++ })
          else if (line.startsWith(' ')) lines.push({ sign: ' ', text: body, old: old++, new: now++ })
        }
      }
    return lines.length > 0 ? lines : undefined
  } catch {
    return undefined
  }
}

const PAIRS = [
  ['before', 'after'],
  ['old', 'new'],
  ['from', 'to'],
] as const

/** Two texts of the same thing, and a difference that is given as text. */
function readChange(name: string | undefined, value: JsonObject): PreviewPart | undefined {
  const title = typeof value.file === 'string' ? value.file : typeof value.path === 'string' ? value.path : name
  const named = title === undefined ? {} : { name: title }
  const pair = PAIRS.find(([a, b]) => typeof value[a] === 'string' && typeof value[b] === 'string')
  const known = new Set<string>(['file', 'path', 'diff', ...(pair ?? [])])
  if (Object.keys(value).some((key) => !known.has(key))) return undefined
  if (typeof value.diff === 'string') {
    const lines = patchLines(value.diff)
    return lines && { kind: 'diff', ...named, lines }
  }
  if (!pair) return undefined
  const [a, b] = [value[pair[0]] as string, value[pair[1]] as string]
  if (!`${a}${b}`.includes('\n')) return undefined
  return { kind: 'diff', ...named, lines: lineDiff(a, b) }
}

/** The difference of two texts, line by line, with what did not change folded. */
export function lineDiff(a: string, b: string): DiffLine[] {
  let [old, now] = [1, 1]
  const lines: Exclude<DiffLine, { sign: 'gap' }>[] = []
  for (const { value, added, removed } of diffLines(a, b)) {
    for (const text of value.replace(/\n$/, '').split('\n')) {
      if (added) lines.push({ sign: '+', text, new: now++ })
      else if (removed) lines.push({ sign: '-', text, old: old++ })
      else lines.push({ sign: ' ', text, old: old++, new: now++ })
    }
  }
  return folded(lines)
}

function folded(lines: Exclude<DiffLine, { sign: 'gap' }>[]): DiffLine[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - ROUND), at + ROUND + 1).some(({ sign }) => sign !== ' '),
  )
  const out: DiffLine[] = []
  for (const [at, line] of lines.entries()) {
    const last = out.at(-1)
    if (near[at]) out.push(line)
    else if (last?.sign === 'gap') last.count += 1
    else out.push({ sign: 'gap', count: 1 })
  }
  return out
}

function readArray(name: string | undefined, items: readonly JsonValue[]): PreviewPart {
  const objects = items.filter(isObject)
  if (items.length === 0 || objects.length < items.length)
    return { kind: 'values', values: [{ name: name ?? '', value: [...items] }] }
  const head = [...new Set(objects.flatMap((item) => Object.keys(item)))]
  const rows = objects
    .slice(0, MOST_ROWS)
    .map((item) => head.map((key) => (Object.hasOwn(item, key) ? (item[key] as JsonValue) : '')))
  return { kind: 'table', ...(name === undefined ? {} : { name }), head, rows, more: items.length - rows.length }
}

const PARTS = ['count', 'rows', 'affected', 'matched', 'part', 'deleted', 'changed', 'updated']
const WHOLES = ['of', 'total', 'whole', 'all']

/** Shares of a whole: `{ sessions: { rows: 1284, of: 48210 } }`, or `{ affected: 3, total: 40 }`. */
function readBars(preview: JsonObject): { from: string; name: string; part: number; whole: number }[] {
  return Object.entries(preview).flatMap(([from, value]) => {
    const list = Array.isArray(value) ? value : [value]
    const found = list.flatMap((item) => {
      if (!isObject(item)) return []
      const part = PARTS.map((key) => item[key]).find((each) => typeof each === 'number')
      const whole = WHOLES.map((key) => item[key]).find((each) => typeof each === 'number')
      if (typeof part !== 'number' || typeof whole !== 'number' || whole <= 0 || part > whole) return []
      const name = [item.name, item.table, item.label].find((each) => typeof each === 'string')
      return [{ from, name: typeof name === 'string' ? name : from, part, whole }]
    })
    return found.length === list.length ? found : []
  })
}
