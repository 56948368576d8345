import type { Actor, HitlRequest } from '../../index.ts'
import { type Field, fieldLines, objectBrief, objectLines, valueLines } from './json-lines.ts'
import { type Layout, quotedLines } from './long-text.ts'
import { timeText } from './time.ts'
import { visible } from './visible.ts'

/** What a request is laid out with. */
export interface CardLayout extends Layout {
  readonly now: number
}

/** A request as facts: first what would run, then who asks, where, since when, and what can be answered. */
export function requestCard(request: HitlRequest, layout: CardLayout): string[] {
  const inner = { ...layout, width: layout.width - 4 }
  const lines = [layout.style.bold(headline(request)), ...effect(request, inner).map((line) => `  ${line}`), '']
  return [...lines, ...fieldLines(circumstances(request, layout), layout).map((line) => `  ${line}`)]
}

/** A request in one line. */
export function requestLine(request: HitlRequest): string {
  if (request.kind === 'approve') return callLine(request)
  return `${request.kind}  ${visible(request.prompt ?? request.questions?.[0]?.prompt ?? '')}`
}

/** The call of a request in one line. */
export function callLine({ toolName = '', args = {} }: Pick<HitlRequest, 'toolName' | 'args'>): string {
  return `${visible(toolName)}  ${objectBrief(args)}`.trimEnd()
}

function headline(request: HitlRequest): string {
  switch (request.kind) {
    case 'approve':
      return visible(request.toolName ?? '')
    case 'confirm':
      return 'confirm (yes or no)'
    case 'ask':
      return 'a form to fill in'
  }
}

function effect(request: HitlRequest, layout: Layout): string[] {
  const { args, preview, prompt, details, questions } = request
  const lines: string[] = []
  if (request.kind === 'approve')
    lines.push(...(args && Object.keys(args).length > 0 ? objectLines(args, layout) : ['(no arguments)']))
  if (preview !== undefined) lines.push('', layout.style.dim('preview'), ...valueLines(preview, layout))
  if (prompt !== undefined) lines.push(...quotedLines(prompt, layout))
  if (details !== undefined) lines.push(...objectLines(details, layout))
  for (const { key, prompt: text, options = [] } of questions ?? []) {
    lines.push(...fieldLines([[visible(key), quotedLines(text, layout)]], layout))
    lines.push(...options.map((option) => `  ${visible(option.value)}  ${visible(option.label)}`))
  }
  return lines
}

function circumstances(request: HitlRequest, layout: CardLayout): Field[] {
  const { style, now } = layout
  const fields: Field[] = []
  const add = (label: string, ...lines: string[]) => fields.push([label, lines])
  if (request.risk) add('risk', request.risk === 'high' ? style.bad(request.risk) : request.risk)
  if (request.reason !== undefined) add('asked again', ...(REASONS[request.reason] ?? [visible(request.reason)]))
  if (request.problems?.length) add('edit refused', ...request.problems.map((text) => style.bad(visible(text))))
  add('asked by', request.path.length > 1 ? request.path.map(visible).join(' → ') : visible(request.agent))
  if (request.description !== undefined)
    add('description', ...quotedLines(request.description, { ...layout, width: layout.width - 20 }))
  if (request.assignee !== undefined) add('for', visible(request.assignee))
  add('thread', visible(request.threadId))
  add('since', timeText(request.createdAt, now))
  if (request.expiresAt !== undefined) add('expires', timeText(request.expiresAt, now))
  if (request.status === 'open') add('accepts', acceptsText(request))
  else add('status', ...statusLines(request, layout))
  if (request.digest !== undefined) add('digest', `${request.digest.slice(0, 12)}…`)
  add('request', `${request.id}  version ${request.version}`)
  return fields
}

function acceptsText({ kind, allowedDecisions }: HitlRequest): string {
  switch (kind) {
    case 'approve':
      return allowedDecisions.join(', ')
    case 'confirm':
      return 'yes or no, where it was asked'
    case 'ask':
      return 'answers to its questions, where it was asked'
  }
}

const REASONS: Readonly<Record<string, readonly string[]>> = {
  unknown_outcome: [
    'It was started before, and nobody knows whether it took effect.',
    'approve runs it again under the same idempotency key; respond says what happened; reject leaves it unknown.',
  ],
  changed: ['What was approved is no longer what would run.'],
}

function statusLines(request: HitlRequest, layout: CardLayout): string[] {
  const { decision, answer, closedReason } = request
  const inner = { ...layout, width: layout.width - 20 }
  if (answer)
    return [
      `answered by ${actorText(answer.by)}, ${timeText(answer.at, layout.now)}`,
      ...valueLines(answer.value, inner),
    ]
  if (!decision) return [request.status, ...(closedReason === undefined ? [] : quotedLines(closedReason, inner))]
  const first = `${decision.type} by ${actorText(decision.by)}, ${timeText(decision.at, layout.now)}`
  switch (decision.type) {
    case 'approve':
      return [first]
    case 'edit':
      return [first, ...objectLines(decision.args, inner)]
    case 'reject':
    case 'respond':
      return [first, ...(decision.message === undefined ? [] : quotedLines(decision.message, inner))]
  }
}

function actorText({ kind, id, via }: Actor): string {
  return `${kind} ${visible(id)}${via === undefined ? '' : ` via ${visible(via)}`}`
}
