import type { HitlRequest } from '../../../index.ts'
import { answerOptions, type Call, type Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { termsOf } from '../../decide/decide-call.ts'
import { outcomeLines } from '../../decide/outcome.ts'
import { safeJson } from '../../render/visible.ts'
import { findByShortId } from '../../seat/find-request.ts'
import type { Seat } from '../../seat/seat.ts'
import { withSeat } from '../../seat/with-seat.ts'

const { as, group, version: seen } = answerOptions

/** Closes a question that cannot be answered. */
export const cancel: Command = {
  name: 'cancel',
  summary: 'close a question or a form that cannot be answered',
  about: 'The agent reads the reason. A call is not cancelled: reject it.',
  usage: 'ID --reason TEXT',
  options: { reason: { value: 'TEXT', help: 'what the agent reads' }, as, group, version: seen },
  remote: true,
  positionals: { min: 1, max: 1 },
  examples: ["cancel 3f9a --reason 'Only the customer knows.'"],
  run: async (call) => {
    const { version } = termsOf(call)
    const reason = call.text('reason') ?? ''
    if (reason.trim() === '') throw new UsageError('cancel needs --reason TEXT, which the agent reads')
    const close = async (seat: Seat): Promise<number> => {
      const request = await findByShortId(seat, call.args[0] ?? '')
      if (request.kind === 'approve')
        throw new UsageError(`${request.id} is about a call: holdpoint reject ID refuses it`)
      say(call, await seat.cancel(request, { reason, ...(version === undefined ? {} : { version }) }), await seat.who())
      return 0
    }
    return withSeat(call, close, { writes: true })
  },
}

function say(call: Call, request: HitlRequest, by: string): void {
  const { context } = call
  if (call.flag('json')) return context.out(safeJson(request))
  context.out(...outcomeLines(context, { word: 'Cancelled', by, request }))
  context.out('The agent reads the reason as soon as its process goes on.')
}
