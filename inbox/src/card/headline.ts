import type { RequestItem } from 'holdpoint/client'
import { formatField } from '../../../src/core/display/format.ts'
import { valueAt } from '../../../src/core/display/value-at.ts'
import { visible } from '../../../src/core/display/visible.ts'
import type { DisplayField } from '../../../src/protocol/display.ts'
import type { JsonObject } from '../../../src/protocol/json/json.ts'
import type { IconName } from '../shell/icon.tsx'

/** A piece of a headline: the tool's own words, or an argument. */
export interface HeadlinePart {
  text: string
  /** The argument that it shows. */
  field?: DisplayField
}

/** How values are written in a headline. */
export interface HeadlineOptions {
  locale: string
  /** Arguments to show instead of the request's own. */
  args?: JsonObject
}

const LONGEST = 80

/** The headline of a request in pieces. Never the model's words, except for its questions. */
export function headlineOf(
  request: RequestItem,
  { locale, args = request.args ?? {} }: HeadlineOptions,
): HeadlinePart[] {
  const { display } = request
  if (!display || request.kind !== 'approve') return [{ text: request.prompt ?? request.title }]
  return display.title.map((part) => {
    if (typeof part === 'string') return { text: part }
    const field = fieldAt(request, part.path)
    return { text: brief(formatField(field, args, { locale }) ?? '…'), field }
  })
}

/** The field that a tool declared for a path. */
export function fieldAt({ display }: RequestItem, path: string): DisplayField {
  return display?.fields.find((field) => field.path === path) ?? { path, format: 'text' }
}

const brief = (text: string) => ([...text].length > LONGEST ? `${[...text].slice(0, LONGEST).join('')}…` : text)

/** A headline as one line of plain text, for names, titles and messages. */
export const plainHeadline = (parts: readonly HeadlinePart[]): string => visible(parts.map(({ text }) => text).join(''))

/** Words that join an argument to what is before it. They never end a label. */
const JOINING = /\s+(?:to|from|with|in|into|on|at|for|of|by|as|and|via|using|→|->)\s*$/i

/**
 * What an approve button says: the headline up to an argument that is only joined on. `Refund {amount} to {to}` is "Refund €120.00", and `Deploy
 * {service} {version} to production` is all of it. The whole headline stands above it.
 */
export function actionLabel(parts: readonly HeadlinePart[]): string {
  const joined = parts.findIndex(
    (part, at) =>
      part.field !== undefined &&
      JOINING.test(parts[at - 1]?.text ?? '') &&
      parts.slice(0, at).some(({ field }) => field),
  )
  if (joined === -1) return plainHeadline(parts).trim()
  return plainHeadline(parts.slice(0, joined)).replace(JOINING, '').trim()
}

/** A picture for the kind of call, read from the formats of its fields. */
export function iconOf(request: RequestItem): IconName {
  if (request.kind === 'ask') return 'ask'
  if (request.kind === 'confirm') return 'check'
  const formats = request.display?.fields.map(({ format }) => format) ?? []
  if (/deploy|release|rollout/i.test(request.toolName ?? '')) return 'rocket'
  if (formats.includes('sql')) return 'database'
  if (formats.includes('money')) return 'coin'
  if (formats.includes('path')) return 'file'
  if (formats.includes('email') || /mail/i.test(request.toolName ?? '')) return 'mail'
  return formats.includes('code') ? 'code' : 'tool'
}

/** The value of the first money field as a number in its own unit, for sums of a selection. */
export function amountOf(
  request: RequestItem,
): { currency: string; unit: 'minor' | 'major'; value: number } | undefined {
  const field = request.display?.fields.find(({ format }) => format === 'money')
  if (!field || !request.args) return undefined
  const value = valueAt(request.args, field.path)
  const currency = typeof field.currency === 'object' ? valueAt(request.args, field.currency.path) : field.currency
  if (typeof value !== 'number' || typeof currency !== 'string') return undefined
  return { currency, unit: field.unit ?? 'major', value }
}
