import { answerOptions, type Command } from '../../command-line/command.ts'
import { grantLines } from '../../render/grant.ts'
import { safeJson } from '../../render/visible.ts'
import { findGrantByShortId } from '../../seat/find-grant.ts'
import type { Seat } from '../../seat/seat.ts'
import { withSeat } from '../../seat/with-seat.ts'

/** Takes a standing decision back. */
export const revoke: Command = {
  name: 'revoke',
  summary: 'end a standing decision; people are asked again',
  usage: 'ID [--reason TEXT]',
  options: {
    reason: { value: 'TEXT', help: 'why; kept in the record' },
    as: answerOptions.as,
  },
  remote: true,
  positionals: { min: 1, max: 1 },
  examples: ["revoke 3f9a --reason 'The campaign is over.'"],
  run: (call) => {
    const end = async (seat: Seat): Promise<number> => {
      const { context } = call
      const { id } = await findGrantByShortId(seat, call.args[0] ?? '')
      const revoked = await seat.revoke(id, call.text('reason'))
      if (call.flag('json')) context.out(safeJson(revoked))
      else context.out(...grantLines(revoked, { style: context.style, now: context.now() }))
      return 0
    }
    return withSeat(call, end, { writes: true })
  },
}
