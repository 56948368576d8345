import type { Context } from '../command-line/context.ts'
import { requestLine } from '../render/request.ts'
import { MAY_HAVE_RUN, mayHaveRun } from '../render/request-facts.ts'
import { relative, whenDue } from '../render/time.ts'
import { visible } from '../render/visible.ts'
import { wrapWords } from '../render/width.ts'
import type { SeatRequest } from '../seat/seat.ts'
import type { News, Numbered } from './queue.ts'

/** A request of the list: its number and what it is about, then who asks and how urgent it is. */
export function rowLines({ number, request }: Numbered, context: Context): string[] {
  const { style } = context
  const label = String(number).padStart(4)
  const [first = '', ...more] = wrapWords(requestLine(request), context.columns() - 6)
  const gap = ' '.repeat(6)
  return [
    `${style.accent(label)}  ${style.bold(first)}`,
    ...more.map((line) => `${gap}${style.bold(line)}`),
    ...wrapWords(factsOf(request, context), context.columns() - 6).map((line) => `${gap}${style.dim(line)}`),
  ]
}

function factsOf(request: SeatRequest, context: Context): string {
  const now = context.now()
  const { risk, assigned, comments = 0, mayDecide = true } = request
  return [
    ...(risk === 'high' ? [context.style.bad('high risk')] : risk ? [`${risk} risk`] : []),
    ...(mayHaveRun(request) ? [context.style.bad(MAY_HAVE_RUN)] : []),
    `${visible(request.agent)} in ${visible(request.threadId)}`,
    `asked ${relative(request.createdAt, now)}`,
    ...(request.expiresAt === undefined ? [] : [`expires ${whenDue(request.expiresAt, now)}`]),
    ...(assigned ? [`taken by ${visible(assigned.id)}`] : []),
    ...(comments > 0 ? [comments === 1 ? '1 comment' : `${comments} comments`] : []),
    ...(mayDecide ? [] : ['you may only read it']),
  ].join(' · ')
}

/** What became of a request, in one line. */
export function fateOf(request: SeatRequest): string {
  const { decision, answer, status } = request
  if (decision) return `${DECIDED[decision.type]} by ${visible(decision.by.id)}`
  if (answer) return `answered by ${visible(answer.by.id)}`
  return status
}

const DECIDED = { approve: 'approved', edit: 'approved with changes', reject: 'rejected', respond: 'answered' } as const

/** News in one line. */
export function newsLine({ kind, item }: News, context: Context): string {
  const { style } = context
  const what = `${item.number}  ${requestLine(item.request)}`
  switch (kind) {
    case 'new':
      return `${style.good('new')}      ${what}`
    case 'changed':
      return `${style.accent('changed')}  ${what}`
    case 'gone':
      return style.dim(`done     ${what}: ${fateOf(item.request)}`)
    default:
      return kind satisfies never
  }
}
