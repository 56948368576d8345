import { answerOptions, type Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { safeJson } from '../../render/visible.ts'
import { findByShortId } from '../../seat/find-request.ts'
import type { Seat } from '../../seat/seat.ts'
import { withSeat } from '../../seat/with-seat.ts'

/** Adds a comment to a request. */
export const comment: Command = {
  name: 'comment',
  summary: 'leave a comment that people read, and the agent does not',
  usage: 'ID TEXT',
  options: { as: answerOptions.as, group: answerOptions.group },
  remote: true,
  positionals: { min: 2, max: 2 },
  examples: ["comment 3f9a 'I asked the customer.'"],
  run: (call) => {
    const [id = '', text = ''] = call.args
    if (text.trim() === '') throw new UsageError('comment needs a TEXT')
    const add = async (seat: Seat): Promise<number> => {
      const request = await findByShortId(seat, id)
      const added = await seat.notes.comment(request, text)
      call.context.out(call.flag('json') ? safeJson(added) : `Commented on ${request.id}.`)
      return 0
    }
    return withSeat(call, add, { writes: true })
  },
}
