import type { RequestDetail, RequestItem } from 'holdpoint/client'
import { valueAt } from '../../../src/core/display/value-at.ts'
import type { GrantOptions, GrantScope } from '../../../src/protocol/grant.ts'
import type { enVerdict } from '../i18n/en-verdict.ts'
import type { Format } from '../i18n/format.ts'

/** A standing decision that a person may add to an approval. */
export interface GrantDraft {
  on: boolean
  scope: GrantScope
  uses: number
  days: number
  /** Arguments that must be the same. */
  same: readonly string[]
}

const NARROW = ['id', 'email', 'path', 'url', 'enum']

/** Top-level arguments that a grant can be limited to. */
export const sameable = (request: RequestItem): string[] =>
  Object.entries(request.args ?? {})
    .filter(([, value]) => typeof value !== 'object' || value === null)
    .map(([name]) => name)
    .filter((name) => request.display?.fields.find(({ path }) => path === name)?.format !== 'secret')

/** Off, and narrow if it is switched on: the smallest scope, five times, seven days, the same recipients and ids. */
export function newGrant({ request, offers }: RequestDetail): GrantDraft {
  const formats = new Map(request.display?.fields.map(({ path, format }) => [path, format]))
  const same = sameable(request).filter((name) => NARROW.includes(formats.get(name) ?? ''))
  return { on: false, scope: offers[0]?.scope ?? 'run', uses: 5, days: 7, same }
}

/** The amount that a grant may cover in all: what this call takes, if it takes money by a top-level argument. */
function capOf({ request }: RequestDetail): { field: string; max: number } | undefined {
  const field = request.display?.fields.find(({ format }) => format === 'money')
  const value = field && request.args ? request.args[field.path] : undefined
  return field && typeof value === 'number' && value > 0 ? { field: field.path, max: value } : undefined
}

/** What is sent for a grant. */
export function toGrant(detail: RequestDetail, { scope, uses, days, same }: GrantDraft): GrantOptions {
  const args = Object.fromEntries(same.map((name) => [name, detail.request.args?.[name] ?? null]))
  const cap = capOf(detail)
  return {
    scope,
    uses,
    expiresInSeconds: days * 86_400,
    ...(same.length > 0 ? { args } : {}),
    ...(cap ? { cap } : {}),
  }
}

interface Wording {
  words: (typeof enVerdict)['offer']
  format: Format
}

/** How far a scope goes for a request. */
export function scopeWords(request: RequestItem, scope: GrantScope, words: Wording['words']): string {
  return scope === 'thread' && request.host ? words.conversation : words[scope]
}

/** Exactly how far a grant goes, in one sentence. */
export function grantSentence(
  detail: RequestDetail,
  { scope, uses, days, same }: GrantDraft,
  { words, format }: Wording,
): string {
  const { request } = detail
  const cap = capOf(detail)
  const field = request.display?.fields.find(({ path }) => path === cap?.field)
  const currency =
    typeof field?.currency === 'object' ? valueAt(request.args ?? {}, field.currency.path) : field?.currency
  const limit =
    cap &&
    (typeof currency === 'string'
      ? format.money(cap.max, { currency, unit: field?.unit ?? 'major' })
      : format.number(cap.max))
  return [
    scopeWords(request, scope, words),
    ...(same.length > 0
      ? [words.withSame(same.map((name) => `${name} ${JSON.stringify(request.args?.[name])}`).join(', '))]
      : []),
    ...(limit === undefined ? [] : [words.upTo(limit)]),
    words.limits(uses, format.span(days * 86_400)),
  ].join(words.comma)
}
