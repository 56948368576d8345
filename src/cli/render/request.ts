import { displayOf, titleOf } from '../../core/display/title.ts'
import type { HitlRequest, JsonObject, JsonValue } from '../../index.ts'
import { callFields } from './call-fields.ts'
import { type CardRequest, circumstances } from './circumstances.ts'
import { diffLines, diffOf } from './diff.ts'
import { fieldLines, objectBrief, objectLines, valueLines } from './json-lines.ts'
import { type Layout, quotedBrief, quotedLines } from './long-text.ts'
import { type CardLayout, isGate, isOfBody, movedOf } from './request-facts.ts'
import { visible } from './visible.ts'

/** A request with all its facts: what would run, then who asks, where, since when, and what can be answered. */
export function requestCard(request: CardRequest, layout: CardLayout): string[] {
  const inner = { ...layout, width: layout.width - 4 }
  const setIn = (line: string) => (line === '' ? '' : `  ${line}`)
  const lines = [layout.style.bold(headline(request)), ...effect(request, inner).map(setIn), '']
  return [...lines, ...fieldLines(circumstances(request, layout), layout).map((line) => `  ${line}`)]
}

/** A request in one line. */
export function requestLine(request: HitlRequest): string {
  if (isGate(request)) return `answer  ${typeof request.preview === 'string' ? quotedBrief(request.preview, 48) : ''}`
  if (request.kind === 'approve') return callLine(request)
  return `${request.kind}  ${visible(request.prompt ?? request.questions?.[0]?.prompt ?? '')}`
}

/** The call of a request in one line: the headline of its tool, else its name and arguments. */
export function callLine(request: Pick<HitlRequest, 'toolName' | 'args' | 'display'>): string {
  const { toolName = '', args = {}, display } = request
  const shown = { kind: 'approve' as const, ...request }
  if (display && !display.guessed) return titleOf(shown)
  const secrets = displayOf(shown).fields.flatMap(({ path, format }) => (format === 'secret' ? [path] : []))
  const brief = Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, secrets.includes(key) ? '••••••••' : value]),
  )
  return `${visible(toolName)}  ${objectBrief(brief)}`.trimEnd()
}

function headline(request: HitlRequest): string {
  switch (request.kind) {
    case 'approve':
      if (isGate(request)) return 'the answer that would end the run'
      return isOfBody(request) ? `${visible(request.toolName ?? '')}, which has started, asks` : titleOf(request)
    case 'confirm':
      return 'confirm (yes or no)'
    case 'ask':
      return 'a form to fill in'
  }
}

function effect(request: HitlRequest, layout: Layout): string[] {
  const { args, preview, prompt, questions } = request
  const lines: string[] = []
  if (request.kind === 'approve' && !isGate(request))
    lines.push(...(isOfBody(request) ? bodyArgs(args, layout) : callFields(request, layout)))
  if (preview !== undefined && isGate(request)) lines.push(...valueLines(preview, layout))
  else if (preview !== undefined) lines.push('', layout.style.dim('preview'), ...previewLines(preview, layout))
  if (prompt !== undefined) lines.push(...quotedLines(prompt, layout))
  const details = detailsOf(request)
  if (details !== undefined && Object.keys(details).length > 0) {
    if (lines.length > 0) lines.push('', layout.style.dim('details'))
    lines.push(...objectLines(details, layout))
  }
  for (const { key, prompt: text, options = [], required, multiSelect } of questions ?? []) {
    lines.push(...fieldLines([[visible(key), quotedLines(text, layout)]], layout))
    const notes = [...(required === false ? ['optional'] : []), ...(multiSelect ? ['several may be chosen'] : [])]
    if (notes.length > 0) lines.push(layout.style.dim(`  (${notes.join(', ')})`))
    lines.push(...options.map((option) => `  ${visible(option.value)}  ${visible(option.label)}`))
  }
  return lines
}

function bodyArgs(args: JsonObject = {}, layout: Layout): string[] {
  return Object.keys(args).length > 0 ? objectLines(args, layout) : ['(no arguments)']
}

function previewLines(preview: JsonValue, layout: Layout): string[] {
  const diff = diffOf(preview)
  if (!diff) return valueLines(preview, layout)
  return [...objectLines(diff.rest, layout), ...diffLines(diff.text, layout)]
}

/** The details without the facts that changed, which are shown as `it was` and `it is now`. */
function detailsOf(request: HitlRequest): JsonObject | undefined {
  const { details } = request
  if (!details || movedOf(request).length === 0) return details
  const { preconditions: _preconditions, preview: _preview, ...rest } = details
  return rest
}
