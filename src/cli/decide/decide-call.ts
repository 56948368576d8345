import { type Answer, type Decision, type GrantOptions, type HitlRequest, openDesk } from '../../index.ts'
import type { Call } from '../command-line/command.ts'
import { UsageError } from '../command-line/errors.ts'
import { toSeconds } from '../command-line/time-span.ts'
import { laterCalls } from '../render/grant.ts'
import { callLine } from '../render/request.ts'
import { timeText } from '../render/time.ts'
import { safeJson, visible } from '../render/visible.ts'
import { findByShortId } from '../store/find-request.ts'
import { withStore } from '../store/open-store.ts'
import { storePlace } from '../store/store-place.ts'
import { actorOf } from './actor.ts'
import { alwaysOf } from './grant-options.ts'

/** Decides the request that the call's first word names, and says what comes of it. */
export async function decideCall(
  call: Call,
  decisionFor: (request: HitlRequest) => Decision | Promise<Decision>,
): Promise<number> {
  const by = actorOf(call)
  const always = alwaysOf(call)
  return withStore(call, async (store) => {
    const desk = openDesk({ store })
    const request = await findByShortId(desk, call.args[0] ?? '')
    requireCall(request)
    const [decided] = await desk.decide({
      // A copy of an open request binds the answer to what was read. Of a settled one the desk says who was faster, or that it was us.
      request,
      decision: await decisionFor(request),
      by,
      ...bindingOf(call),
      ...(always === undefined ? {} : { always }),
    })
    if (decided) say(call, decided, { before: request.status === 'decided', always })
    return 0
  })
}

function requireCall({ kind, id }: HitlRequest): void {
  switch (kind) {
    case 'approve':
      return
    case 'confirm':
      throw new UsageError(`${id} is a question: answer it with holdpoint answer ID yes, or no`)
    case 'ask':
      throw new UsageError(`${id} is a form: fill it in with holdpoint answer ID --set KEY=TEXT`)
    default:
      kind satisfies never
  }
}

/** With `--undo`: says when the decision takes effect, and how to take it back before. */
function sayUndo(call: Call, { id }: HitlRequest): void {
  const undo = call.text('undo')
  if (undo === undefined) return
  const command = `npx holdpoint withdraw ${id}${storePlace(call).option}`
  call.context.out(`It takes effect in ${undo}. Until then you can take it back:  ${command}`)
}

/** What the command line says beside a decision. */
export function bindingOf(
  call: Call,
): Pick<Answer, 'comment' | 'version' | 'digest' | 'undoSeconds' | 'idempotencyKey'> {
  const version = call.text('version')
  if (version !== undefined && !/^[1-9]\d{0,8}$/.test(version))
    throw new UsageError('--version is a whole number, 1 or more')
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
  { before, always }: { before: boolean; always: GrantOptions | undefined },
): void {
  const { context } = call
  if (call.flag('json')) return context.out(safeJson(request))
  const { decision } = request
  if (!decision) return
  const who = visible(decision.by.id)
  if (before) return context.out(`${who} decided the same ${timeText(decision.at, context.now())}: nothing to do.`)
  context.out(`${context.style.good(PAST[decision.type])} by ${who}: ${callLine(decisive(request))}`)
  context.out(consequence(decision.type))
  sayUndo(call, request)
  if (always) {
    const { toolName = '', agent } = request
    context.out(laterCalls({ toolName, agent, rejected: REFUSES[decision.type] }, always))
  }
}

const PAST: Readonly<Record<Decision['type'], string>> = {
  approve: 'Approved',
  edit: 'Approved with changes',
  reject: 'Rejected',
  respond: 'Answered',
}

const REFUSES: Readonly<Record<Decision['type'], boolean>> = {
  approve: false,
  edit: false,
  reject: true,
  respond: false,
}

/** What would run: the edited call if it was edited. */
function decisive(request: HitlRequest): Pick<HitlRequest, 'toolName' | 'args'> {
  const { decision } = request
  if (!decision) return request
  switch (decision.type) {
    case 'edit':
      return { toolName: decision.toolName ?? request.toolName ?? '', args: decision.args }
    case 'approve':
    case 'reject':
    case 'respond':
      return request
    default:
      return decision satisfies never
  }
}

function consequence(type: Decision['type']): string {
  switch (type) {
    case 'approve':
      return 'It runs once, exactly like this, as soon as the process that drives it goes on.'
    case 'edit':
      return 'It runs once, exactly like this, if the tool itself accepts it too; otherwise the request opens again and says why.'
    case 'reject':
      return 'It does not run. The agent is told.'
    case 'respond':
      return 'It does not run. The agent reads your words as its result.'
    default:
      return type satisfies never
  }
}
