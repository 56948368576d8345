import type { HitlRequest } from '../../../index.ts'
import { answerOptions, type Call, type Command } from '../../command-line/command.ts'
import { CliError } from '../../command-line/errors.ts'
import { afterWithdrawal, outcomeLines } from '../../decide/outcome.ts'
import { safeJson } from '../../render/visible.ts'
import { findByShortId } from '../../seat/find-request.ts'
import type { Seat } from '../../seat/seat.ts'
import { withSeat } from '../../seat/with-seat.ts'

/** Takes a decision back. */
export const withdraw: Command = {
  name: 'withdraw',
  summary: 'take your decision back before it takes effect',
  about:
    'The request opens again, or expires if its deadline has passed. Only the person who decided can withdraw a decision, and only until its call starts.',
  usage: 'ID [--as NAME]',
  options: { as: answerOptions.as },
  remote: true,
  positionals: { min: 1, max: 1 },
  examples: ['approve 3f9a --undo 30s', 'withdraw 3f9a'],
  run: async (call) => {
    const takeBack = async (seat: Seat): Promise<number> => {
      const decided = await findByShortId(seat, call.args[0] ?? '', 'decided')
      requireDecision(decided)
      say(call, await seat.withdraw(decided), await seat.who())
      return 0
    }
    return withSeat(call, takeBack, { writes: true })
  },
}

/** The desk refuses these too; here the message can say what the request is instead. */
function requireDecision({ id, status, answer }: HitlRequest): void {
  if (answer)
    throw new CliError('nothing_to_withdraw', `Request ${id} is a question, and an answer takes effect at once.`)
  if (status !== 'decided')
    throw new CliError('nothing_to_withdraw', `Request ${id} is ${status}: there is no decision to take back.`)
}

function say(call: Call, request: HitlRequest, author: string): void {
  const { context } = call
  if (call.flag('json')) return context.out(safeJson(request))
  context.out(...outcomeLines(context, { word: 'Withdrawn', by: author, request }))
  context.out(afterWithdrawal(request))
}
