import { openDesk } from '../../index.ts'
import { answerOptions, type Command } from '../command-line/command.ts'
import { actorOf } from '../decide/actor.ts'
import { grantLines } from '../render/grant.ts'
import { safeJson } from '../render/visible.ts'
import { findGrantByShortId } from '../store/find-grant.ts'
import { withStore } from '../store/open-store.ts'

/** Takes a standing decision back. */
export const revoke: Command = {
  name: 'revoke',
  summary: 'end a standing decision; people are asked again',
  usage: 'ID [--reason TEXT]',
  options: {
    reason: { value: 'TEXT', help: 'why; kept in the record' },
    as: answerOptions.as,
  },
  positionals: { min: 1, max: 1 },
  examples: ["revoke 3f9a --reason 'The campaign is over.'"],
  run: (call) => {
    const by = actorOf(call)
    return withStore(call, async (store) => {
      const { context } = call
      const desk = openDesk({ store })
      const reason = call.text('reason')
      const { id } = await findGrantByShortId(desk, call.args[0] ?? '')
      const revoked = await desk.revoke(id, { by, ...(reason === undefined ? {} : { reason }) })
      if (call.flag('json')) context.out(safeJson(revoked))
      else context.out(...grantLines(revoked, { style: context.style, now: context.now() }))
      return 0
    })
  },
}
