import type { HitlRequest } from '../../../index.ts'
import { layoutOf } from '../../command-line/card-layout.ts'
import { type Command, fullOption } from '../../command-line/command.ts'
import { commentLines } from '../../render/comments.ts'
import { grantLines } from '../../render/grant.ts'
import { requestCard } from '../../render/request.ts'
import { safeJson } from '../../render/visible.ts'
import { findByShortId } from '../../seat/find-request.ts'
import type { Seat, SeatGrant } from '../../seat/seat.ts'
import { withSeat } from '../../seat/with-seat.ts'

/** Shows one request with everything there is to know for deciding it. */
export const show: Command = {
  name: 'show',
  summary: 'show one request: what would run, and who asks',
  usage: 'ID [--full]',
  options: { ...fullOption },
  remote: true,
  positionals: { min: 1, max: 1 },
  run: (call) =>
    withSeat(call, async (seat) => {
      const { context } = call
      const request = await findByShortId(seat, call.args[0] ?? '')
      if (call.flag('json')) {
        context.out(safeJson(request))
        return 0
      }
      const layout = layoutOf(context, { full: call.flag('full') })
      context.out(...requestCard(request, layout), ...commentLines(await seat.notes.comments(request), layout))
      for (const [title, grant] of await grantsOf(seat, request)) {
        context.out('', `  ${context.style.dim(title)}`, ...grantLines(grant, layout).map((line) => `  ${line}`))
      }
      return 0
    }),
}

/** The standing decision that decided a request, and those that its own decision gave. */
async function grantsOf(seat: Seat, { id, threadId, toolName, decision }: HitlRequest): Promise<[string, SeatGrant][]> {
  if (!decision) return []
  if (decision.by.kind === 'grant') return [['decided by this standing decision', await seat.grant(decision.by.id)]]
  const { grants } = await seat.grants({
    status: 'all',
    threadId,
    ...(toolName === undefined ? {} : { tool: toolName }),
  })
  return grants.flatMap((grant) => (grant.requestId === id ? [['it also gave this standing decision', grant]] : []))
}
