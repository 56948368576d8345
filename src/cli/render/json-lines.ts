import type { JsonObject, JsonValue } from '../../index.ts'
import { type Layout, quotedBrief, quotedLines } from './long-text.ts'
import { quoted } from './visible.ts'
import { padTo, widthOf } from './width.ts'

const MAX_ITEMS = 20
const MAX_DEPTH = 8
const MAX_LABEL = 24

/** A label, and the lines beside it. */
export type Field = readonly [label: string, lines: readonly string[]]

/** Lays fields out in two columns. */
export function fieldLines(fields: readonly Field[], layout: Layout): string[] {
  const column = Math.min(MAX_LABEL, Math.max(0, ...fields.map(([label]) => widthOf(label))))
  return fields.flatMap((field) => fieldAt(field, column, layout))
}

/** The members of an object, one per line, nested ones indented. */
export function objectLines(value: JsonObject, layout: Layout): string[] {
  return memberLines(Object.entries(value), layout, 0)
}

/** Any JSON value on lines of its own. */
export function valueLines(value: JsonValue, layout: Layout): string[] {
  const members = membersOf(value)
  return members.length > 0 ? memberLines(members, layout, 0) : scalarLines(value, layout)
}

/** An object on one line, for lists. */
export function objectBrief(value: JsonObject): string {
  return Object.entries(value)
    .map(([key, item]) => `${keyText(key)} ${brief(item)}`)
    .join(', ')
}

function brief(value: JsonValue): string {
  if (typeof value === 'string') return quotedBrief(value, 48)
  if (Array.isArray(value)) return `[${counted(value.length, 'item')}]`
  if (value !== null && typeof value === 'object') return `{${counted(Object.keys(value).length, 'field')}}`
  return String(value)
}

function memberLines(members: readonly [string, JsonValue][], layout: Layout, depth: number): string[] {
  const shown = layout.full ? members : members.slice(0, MAX_ITEMS)
  const labels = shown.map(([key]) => keyText(key))
  const column = Math.min(MAX_LABEL, Math.max(0, ...labels.map(widthOf)))
  const inner = { ...layout, width: layout.width - column - 2 }
  const lines = shown.flatMap(([, item], index) => {
    const label = labels[index] ?? ''
    const nested = membersOf(item)
    if (nested.length === 0) return fieldAt([label, scalarLines(item, inner)], column, layout)
    const size = Array.isArray(item) ? counted(item.length, 'item') : counted(nested.length, 'field')
    if (depth >= MAX_DEPTH && !layout.full) {
      return fieldAt([label, [layout.style.accent(`⋮ ${size}, folded; --full shows them`)]], column, layout)
    }
    const children = memberLines(nested, { ...layout, width: layout.width - 2 }, depth + 1)
    return [
      ...fieldAt([label, [layout.style.dim(`(${size})`)]], column, layout),
      ...children.map((line) => `  ${line}`),
    ]
  })
  const folded = members.length - shown.length
  if (folded === 0) return lines
  return [...lines, layout.style.accent(`⋮ ${folded} more of ${members.length} are folded, --full shows them`)]
}

function fieldAt([label, lines]: Field, column: number, layout: Layout): string[] {
  const [first = '', ...more] = lines
  return [
    `${layout.style.dim(padTo(label, column))}  ${first}`,
    ...more.map((line) => `${' '.repeat(column + 2)}${line}`),
  ]
}

function scalarLines(value: JsonValue, layout: Layout): string[] {
  if (typeof value === 'string') return quotedLines(value, layout)
  return [Array.isArray(value) ? '[]' : value !== null && typeof value === 'object' ? '{}' : String(value)]
}

function membersOf(value: JsonValue): [string, JsonValue][] {
  return value !== null && typeof value === 'object' ? Object.entries(value) : []
}

function keyText(key: string): string {
  return /^[\w.-]+$/.test(key) ? key : quoted(key)
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
