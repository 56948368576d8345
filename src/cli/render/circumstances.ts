import type { Actor, HitlRequest } from '../../index.ts'
import type { RequestDetail } from '../../protocol/api/requests.ts'
import type { OnTimeout } from '../../protocol/request.ts'
import { hostLines } from './host.ts'
import { type Field, objectLines, valueLines } from './json-lines.ts'
import { quotedLines } from './long-text.ts'
import { type CardLayout, isOfBody, movedOf } from './request-facts.ts'
import { dueText, timeText } from './time.ts'
import { visible } from './visible.ts'

/** A request, and who goes on after a decision if that is known. */
export type CardRequest = HitlRequest & Pick<RequestDetail, 'resumable'>

/** Why a request is asked, of whom, until when, and what came of it. */
export function circumstances(request: CardRequest, layout: CardLayout): Field[] {
  const { style, now } = layout
  const inner = { ...layout, width: layout.width - 20 }
  const fields: Field[] = []
  const add = (label: string, ...lines: string[]) => fields.push([label, lines])
  if (request.kind === 'approve' && !isOfBody(request) && request.toolName !== undefined)
    add('tool', visible(request.toolName))
  if (request.risk) add('risk', request.risk === 'high' ? style.bad(request.risk) : request.risk)
  addReason(request, layout, add)
  if (request.problems?.length) add('edit refused', ...request.problems.map((text) => style.bad(visible(text))))
  if (request.preconditions !== undefined) add('depends on', ...valueLines(request.preconditions, inner))
  add('asked by', request.path.length > 1 ? request.path.map(visible).join(' → ') : visible(request.agent))
  if (request.description !== undefined) add('description', ...quotedLines(request.description, inner))
  if (request.assignee !== undefined) add('for', visible(request.assignee))
  addReviewers(request, add)
  if (request.argsInput) add('an edit changes', ...objectLines(request.argsInput, inner))
  if (request.argsSchema) add('edits must fit', ...objectLines(request.argsSchema, inner))
  if (request.host) add('host', ...hostLines(request.host))
  add('thread', visible(request.threadId))
  add('since', timeText(request.createdAt, now))
  const then = request.status === 'open' ? AFTERWARDS[request.onTimeout ?? 'reject'] : ''
  if (request.escalated) {
    add('escalated', 'Nobody answered in time, so it was escalated. It has no deadline any more.')
  } else if (request.expiresAt !== undefined) add('expires', `${dueText(request.expiresAt, now)}${then}`)
  if (request.decisionValidSeconds !== undefined)
    add(
      'approval',
      `counts for ${request.decisionValidSeconds} s; if the call has not started by then, it is asked again`,
    )
  if (request.status === 'open' && request.resumable?.live === false)
    add('goes on', ...noWorkerLines(request.resumable))
  if (request.status === 'open') add('accepts', acceptsText(request))
  else add('status', ...statusLines(request, layout))
  if (request.supersedes !== undefined) add('replaces', visible(request.supersedes))
  if (request.digest !== undefined) add('digest', `${request.digest.slice(0, 12)}…`)
  add('request', `${request.id}  version ${request.version}`)
  return fields
}

function noWorkerLines({ agent, version }: NonNullable<CardRequest['resumable']>): string[] {
  const wanted = version === null ? 'without a version' : `version ${visible(version)}`
  return [
    `Not right away: no live worker has agent ${visible(agent)}, ${wanted}.`,
    'A decision is kept until one starts, or until an operator moves the run (holdpoint retry).',
  ]
}

function addReviewers(request: HitlRequest, add: (label: string, ...lines: string[]) => void): void {
  const { reviewers, reviewerLists, via } = request
  const told = (list: readonly string[]) => list.map(visible).join(', ')
  if (reviewerLists)
    add('reviewers', ...reviewerLists.map(told), 'One person who is in each of these lists must decide.')
  else if (reviewers) add('reviewers', `${told(reviewers)}; nobody else may decide`)
  if (via) add('decided only', `through ${told(via)}`)
}

function addReason(request: HitlRequest, layout: CardLayout, add: (label: string, ...lines: string[]) => void): void {
  const { reason } = request
  if (isOfBody(request)) {
    add(
      'asked by code',
      'The call has started, and the tool (or a hook before it) asks this.',
      'The code that asks decides what an answer means.',
    )
  }
  if (reason === undefined) return
  const moved = movedOf(request)
  const [label, ...lines] = REASONS[reason] ?? ['reason', visible(reason)]
  add(label, ...lines, ...(reason === 'changed' ? [moved.length > 0 ? MOVED : REDEFINED] : []))
  const inner = { ...layout, width: layout.width - 20 }
  for (const { before, now } of moved) {
    add('it was', ...valueLines(before, inner))
    add('it is now', ...valueLines(now, inner))
  }
}

const MOVED = 'What it depends on, or its effect, is different now:'
const REDEFINED = 'The definition of the tool has changed.'

/** A label, and what the reason means for the reviewer. */
const REASONS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  unknown_outcome: [
    'asked again',
    'It was started before, and it is not known whether it took effect.',
    'approve: run it again with the same idempotency key. respond: say what happened. reject: leave it unknown.',
  ],
  changed: ['asked again', 'What was approved is no longer what would run.'],
  grant_gone: ['asked again', 'A standing decision would have let it run, but is used up, expired or revoked by now.'],
  policy_changed: ['asked again', 'A policy became stricter after it was cleared.'],
  decision_expired: ['asked again', 'It was approved, and was not started while the approval counted.'],
  rejected_before: ['reason', 'Exactly this call was rejected before in this run, and the agent repeats it.'],
  final_answer: [
    'reason',
    'approve: end the run with this answer. respond: end it with your own words.',
    'reject: send it back with your reason; the agent answers again.',
  ],
}

const AFTERWARDS: Readonly<Record<OnTimeout, string>> = {
  reject: '; then it is refused',
  escalate: '; then it is escalated and stays open',
  keep: '; it stays open after that',
  allow: '; then it runs',
}

function acceptsText({ kind, allowedDecisions }: HitlRequest): string {
  switch (kind) {
    case 'approve':
      return allowedDecisions.join(', ')
    case 'confirm':
      return 'yes or no (holdpoint answer)'
    case 'ask':
      return 'answers to its questions (holdpoint answer --set)'
  }
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
  const said = 'message' in decision && decision.message !== undefined ? quotedLines(decision.message, inner) : []
  switch (decision.type) {
    case 'approve':
      return [first]
    case 'edit': {
      const { toolName = request.toolName ?? '', args } = decision
      const renamed = toolName === request.toolName ? [] : [`another tool: ${visible(toolName)}`]
      return [first, ...renamed, ...objectLines(args, inner), ...said]
    }
    case 'reject':
    case 'respond':
      return [first, ...said]
    default:
      return decision satisfies never
  }
}

function actorText({ kind, id, via }: Actor): string {
  return `${kind} ${visible(id)}${via === undefined ? '' : ` via ${visible(via)}`}`
}
