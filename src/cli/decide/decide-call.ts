import type { Decision, GrantOptions, HitlRequest } from '../../index.ts'
import type { Call } from '../command-line/command.ts'
import { UsageError } from '../command-line/errors.ts'
import { toSeconds } from '../command-line/time-span.ts'
import { laterCalls } from '../render/grant.ts'
import { timeText, whenDue } from '../render/time.ts'
import { safeJson, visible } from '../render/visible.ts'
import { findByShortId } from '../seat/find-request.ts'
import type { Seat, Terms } from '../seat/seat.ts'
import { withSeat } from '../seat/with-seat.ts'
import { consequence, PAST } from './consequence.ts'
import { alwaysOf } from './grant-options.ts'
import { outcomeLines } from './outcome.ts'

/** Decides the request that the command line names, and prints what happens next. */
export async function decideCall(
  call: Call,
  decisionFor: (request: HitlRequest) => Decision | Promise<Decision>,
): Promise<number> {
  const always = alwaysOf(call)
  const terms = { ...termsOf(call), ...(always === undefined ? {} : { always }) }
  const decide = async (seat: Seat): Promise<number> => {
    const request = await findByShortId(seat, call.args[0] ?? '')
    requireCall(request)
    const decided = await seat.decide(request, await decisionFor(request), terms)
    say(call, decided, { before: request.status === 'decided', always, seat })
    return 0
  }
  return withSeat(call, decide, { writes: true })
}

function requireCall({ kind, id }: HitlRequest): void {
  switch (kind) {
    case 'approve':
      return
    case 'confirm':
      throw new UsageError(`${id} is a question: answer it with holdpoint answer ID yes (or no)`)
    case 'ask':
      throw new UsageError(`${id} is a form: fill it in with holdpoint answer ID --set KEY=TEXT`)
    default:
      kind satisfies never
  }
}

/** Says when a decision takes effect that can still be taken back, and how. */
function sayUndo({ context }: Call, { id, decision }: HitlRequest, { option }: Seat): void {
  if (!decision || Date.parse(decision.effectiveAt) <= context.now()) return
  context.out(
    `It takes effect ${whenDue(decision.effectiveAt, context.now())}. Until then you can take it back:`,
    `  npx holdpoint withdraw ${id}${option}`,
  )
}

/** What the options say besides the decision itself. */
export function termsOf(call: Call): Omit<Terms, 'always'> {
  const version = call.text('version')
  if (version !== undefined && !/^[1-9]\d{0,8}$/.test(version))
    throw new UsageError('--version must be an integer, 1 or more')
  const undo = call.text('undo')
  const given = {
    comment: call.text('comment'),
    version: version === undefined ? undefined : Number(version),
    digest: call.text('digest'),
    undoSeconds: undo === undefined ? undefined : toSeconds('undo', undo),
    idempotencyKey: call.text('idempotency-key'),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function say(
  call: Call,
  request: HitlRequest,
  { before, always, seat }: { before: boolean; always: GrantOptions | undefined; seat: Seat },
): void {
  const { context } = call
  if (call.flag('json')) return context.out(safeJson(request))
  const { decision } = request
  if (!decision) return
  const who = visible(decision.by.id)
  if (before) return context.out(`${who} decided the same ${timeText(decision.at, context.now())}: nothing to do.`)
  context.out(...outcomeLines(context, { word: PAST[decision.type], by: decision.by.id, request: decisive(request) }))
  context.out(consequence(decision.type, request))
  sayUndo(call, request, seat)
  if (always) {
    const { toolName = '', agent, host } = request
    const about = { toolName, agent, rejected: REFUSES[decision.type], inConversation: host !== undefined }
    context.out(laterCalls(about, always))
  }
}

const REFUSES: Readonly<Record<Decision['type'], boolean>> = {
  approve: false,
  edit: false,
  reject: true,
  respond: false,
}

/** The request with the call that would run: the edited one if it was edited. */
function decisive(request: HitlRequest): HitlRequest {
  const { decision } = request
  if (!decision) return request
  switch (decision.type) {
    case 'edit':
      return { ...request, toolName: decision.toolName ?? request.toolName ?? '', args: decision.args }
    case 'approve':
    case 'reject':
    case 'respond':
      return request
    default:
      return decision satisfies never
  }
}
