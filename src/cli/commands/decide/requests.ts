import type { Actor, HitlRequest, JsonValue } from '../../../index.ts'
import type { RequestStatus } from '../../../ports.ts'
import { requestStatuses } from '../../../protocol/request.ts'
import type { Call, Command } from '../../command-line/command.ts'
import type { Context } from '../../command-line/context.ts'
import { toCount } from '../../command-line/count.ts'
import { UsageError } from '../../command-line/errors.ts'
import { placeText } from '../../render/host.ts'
import { requestLine } from '../../render/request.ts'
import { MAY_HAVE_RUN, mayHaveRun } from '../../render/request-facts.ts'
import { relative, whenDue } from '../../render/time.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { hanging } from '../../render/width.ts'
import type { Seat, SeatRequest } from '../../seat/seat.ts'
import { withSeat } from '../../seat/with-seat.ts'

const PAGE = 200

/** Lists requests, newest first. */
export const requests: Command = {
  name: 'requests',
  summary: 'list the requests that wait for a decision',
  usage: '[--status STATUS] [--thread ID] [--tool NAME] [--limit N]',
  options: {
    status: { value: 'STATUS', help: `${requestStatuses.join(', ')} or all (default: open)` },
    thread: { value: 'ID', help: "only requests of this thread, or of this conversation of a gate's host" },
    tool: { value: 'NAME', help: 'only requests about this tool' },
    limit: { value: 'N', help: 'at most this many (default: 50)' },
  },
  remote: true,
  positionals: { min: 0, max: 0 },
  examples: ['requests --tool refund', 'requests --status all --json'],
  run: async (call) => {
    const query = queryOf(call)
    return withSeat(call, async (seat) => {
      const found = await list(seat, query)
      if (call.flag('json')) call.context.out(safeJson(found))
      else print(call, found, { status: query.status, option: seat.option })
      return 0
    })
  },
}

interface Query {
  status: RequestStatus | undefined
  threadId: string | undefined
  tool: string | undefined
  limit: number
}

interface Found {
  requests: SeatRequest[]
  /** Whether the limit left some out. */
  more: boolean
}

function queryOf(call: Call): Query {
  const status = call.text('status') ?? 'open'
  const known = requestStatuses.find((each) => each === status)
  if (known === undefined && status !== 'all') {
    throw new UsageError(`--status must be one of ${requestStatuses.join(', ')} or all, not '${status}'`)
  }
  const limit = toCount('limit', call.text('limit') ?? '50')
  return { status: known, threadId: call.text('thread'), tool: call.text('tool'), limit }
}

async function list(seat: Seat, { status, threadId, tool, limit }: Query): Promise<Found> {
  const requests: SeatRequest[] = []
  let cursor: string | undefined
  do {
    const page = await seat.list({
      limit: Math.min(PAGE, limit - requests.length),
      ...(status === undefined ? {} : { status }),
      ...(threadId === undefined ? {} : { threadId }),
      ...(tool === undefined ? {} : { tool }),
      ...(cursor === undefined ? {} : { cursor }),
    })
    requests.push(...page.requests)
    cursor = page.next
  } while (cursor !== undefined && requests.length < limit)
  return { requests, more: cursor !== undefined }
}

function print(
  call: Call,
  { requests: found, more }: Found,
  { status, option }: { status: RequestStatus | undefined; option: string },
): void {
  const { context } = call
  if (found.length === 0) {
    return context.out(status === 'open' ? 'Nothing waits for a decision.' : 'There are no such requests.')
  }
  context.out(...found.flatMap((request, index) => [...(index > 0 ? [''] : []), ...lines(context, request)]))
  if (more) context.out('', `There are more: --limit ${found.length * 2} shows twice as many.`)
  const open = found.filter((request) => request.status === 'open')
  if (open.length === 0) return
  const how = open.every(isDecidedElsewhere) ? 'look with  npx holdpoint show ID' : DECIDE
  context.out('', context.style.dim(`${how}${option}`))
}

const DECIDE = 'decide with  npx holdpoint show | approve | edit | reject | answer ID'

/** Whether a decision through this door would be refused. A gateway says so itself. */
function isDecidedElsewhere({ via, mayDecide = via?.includes('cli') }: SeatRequest): boolean {
  return via !== undefined && !mayDecide
}

/** The id with what is urgent, then what would run, then who asks. */
function lines(context: Context, request: SeatRequest): string[] {
  const { style } = context
  const urgent = [
    ...(request.risk ? [`risk ${request.risk === 'high' ? style.bad('high') : request.risk}`] : []),
    ...(request.status === 'open' && mayHaveRun(request) ? [style.bad(MAY_HAVE_RUN)] : []),
    standing(context, request),
  ]
  const asked = `asked by ${visible(request.agent)} in ${placeText(request)} ${relative(request.createdAt, context.now())}`
  return [
    `${style.accent(request.id)}  ${urgent.join(', ')}`,
    ...hanging(requestLine(request), context.columns()).map((line) => style.bold(line)),
    ...hanging(asked, context.columns()).map((line) => style.dim(line)),
    ...(request.status === 'open' && isDecidedElsewhere(request) ? [style.dim(doorsText(request))] : []),
  ]
}

function doorsText({ via = [] }: HitlRequest): string {
  const where = via.includes('inbox') ? ': sign in at the page of a gateway, such as npx holdpoint serve' : ''
  return `decided only through ${via.map(visible).join(', ')}${where}`
}

function standing(context: Context, request: HitlRequest): string {
  const { decision, answer, expiresAt, status } = request
  const settled = (how: string, { by, at }: { by: Actor; at: string }) =>
    `${how} by ${visible(by.id)} ${relative(at, context.now())}`
  if (status === 'open') return expiresAt === undefined ? 'open' : `expires ${whenDue(expiresAt, context.now())}`
  if (decision) return settled(decision.type, decision)
  return answer ? settled(answeredHow(answer.value), answer) : status
}

/** A yes or no fits here; `show` prints the fields of a form. */
function answeredHow(value: JsonValue): string {
  if (typeof value !== 'boolean') return 'answered'
  return value ? 'answered yes' : 'answered no'
}
