import { formatField } from '../../core/display/format.ts'
import { hiddenCount } from '../../core/display/hidden.ts'
import { mixedScripts, punycodeReading } from '../../core/display/punycode.ts'
import { displayOf } from '../../core/display/title.ts'
import { valueAt } from '../../core/display/value-at.ts'
import type { HitlRequest, JsonObject, JsonValue } from '../../index.ts'
import type { DisplayField } from '../../protocol/display.ts'
import { type Field, fieldLines, valueLines } from './json-lines.ts'
import { type Layout, quotedLines } from './long-text.ts'
import { visible } from './visible.ts'
import { widthOf } from './width.ts'

/** What a call touches, and its arguments in the order and format that its tool or the rules for guessing say. */
export function callFields(request: HitlRequest, layout: Layout): string[] {
  const { args = {} } = request
  const { fields, environment, affected } = displayOf(request)
  const hidden = hiddenCount(args)
  const touched = [
    ...(environment === undefined ? [] : [`in ${visible(environment)}`]),
    ...(affected === undefined ? [] : [`affects ${visible(affected)}`]),
  ]
  const lines = [
    ...(touched.length > 0 ? [touched.join(', ')] : []),
    ...(hidden > 0
      ? [layout.style.bad(`! ${hidden} hidden character${hidden === 1 ? '' : 's'} in it, shown as ‹…›`)]
      : []),
  ]
  if (fields.length === 0) return [...lines, '(no arguments)']
  const labels = fields.map(labelOf)
  const inner = { ...layout, width: layout.width - Math.min(24, Math.max(...labels.map(widthOf))) - 2 }
  const rows = fields.map((field, index): Field => [labels[index] ?? '', fieldText(field, args, inner)])
  return [...lines, ...fieldLines(rows, layout)]
}

function labelOf({ label, path }: DisplayField): string {
  return visible(label ?? path)
}

function fieldText(field: DisplayField, args: JsonObject, layout: Layout): string[] {
  const value = valueAt(args, field.path)
  if (value === undefined) return [layout.style.dim('(not given)')]
  switch (field.format) {
    case 'secret':
      return [formatField(field, args) ?? '']
    case 'money':
    case 'number':
    case 'flag':
      return [withRaw(formatField(field, args) ?? '', value, layout)]
    // Never shortened: the end of an address or a path may be what matters.
    case 'email':
    case 'path':
    case 'url':
    case 'id':
    case 'enum':
    case 'date':
      return [...scalarOrList(value, { ...layout, full: true }), ...notes(value, layout)]
    case 'text':
    case 'sql':
    case 'code':
    case 'list':
    case 'json':
      return scalarOrList(value, layout)
    default:
      return field.format satisfies never
  }
}

/** The formatted value, and what an edit would change if that looks different. */
function withRaw(text: string, value: JsonValue, { style }: Layout): string {
  const raw = JSON.stringify(value)
  const same = text === raw || text.replaceAll(',', '') === raw || typeof value === 'boolean'
  return same ? visible(text) : `${visible(text)} ${style.dim(`(${visible(raw)})`)}`
}

function scalarOrList(value: JsonValue, layout: Layout): string[] {
  if (typeof value === 'string') return quotedLines(value, layout)
  if (typeof value !== 'object' || value === null) return valueLines(value, layout)
  const size = Array.isArray(value) ? value.length : Object.keys(value).length
  if (size === 0) return valueLines(value, layout)
  const what = Array.isArray(value) ? 'item' : 'field'
  return [layout.style.dim(`(${size} ${what}${size === 1 ? '' : 's'})`), ...valueLines(value, layout)]
}

/** Warnings about names that look like others. */
function notes(value: JsonValue, { style }: Layout): string[] {
  if (typeof value !== 'string') return []
  const reading = punycodeReading(value)
  const mixed = mixedScripts(reading ?? value)
  return [
    ...(reading === undefined ? [] : [style.bad(`! reads ${visible(reading)}`)]),
    ...(mixed.length === 0 ? [] : [style.bad(`! letters of ${mixed.join(' and ')} in one word`)]),
  ]
}
