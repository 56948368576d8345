import type { Command } from '../../command-line/command.ts'
import { grantLines } from '../../render/grant.ts'
import { safeJson } from '../../render/visible.ts'
import type { SeatGrant } from '../../seat/seat.ts'
import { withSeat } from '../../seat/with-seat.ts'

/** Lists standing decisions, newest first. */
export const grants: Command = {
  name: 'grants',
  summary: 'list the standing decisions that are in force',
  usage: '[--all] [--tool NAME] [--thread ID]',
  options: {
    all: { help: 'also those that are used up, expired or revoked' },
    tool: { value: 'NAME', help: 'only for this tool' },
    thread: { value: 'ID', help: 'only those given in this thread' },
  },
  remote: true,
  positionals: { min: 0, max: 0 },
  run: (call) =>
    withSeat(call, async (seat) => {
      const { context } = call
      const tool = call.text('tool')
      const threadId = call.text('thread')
      const found: SeatGrant[] = []
      let cursor: string | undefined
      do {
        const page = await seat.grants({
          status: call.flag('all') ? 'all' : 'active',
          ...(tool === undefined ? {} : { tool }),
          ...(threadId === undefined ? {} : { threadId }),
          ...(cursor === undefined ? {} : { cursor }),
        })
        found.push(...page.grants)
        cursor = page.next
      } while (cursor !== undefined)
      if (call.flag('json')) context.out(safeJson({ grants: found }))
      else if (found.length === 0) context.out('There are no standing decisions.')
      else {
        context.out(...found.flatMap((grant) => grantLines(grant, { style: context.style, now: context.now() })))
        if (found.some(({ status }) => status === 'active'))
          context.out('', context.style.dim(`take back with  npx holdpoint revoke ID${seat.option}`))
      }
      return 0
    }),
}
