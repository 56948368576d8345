import { answerOptions, type Call, type Command, fullOption } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { InboxSession } from '../../inbox/session.ts'
import { watchInbox } from '../../inbox/watch.ts'
import type { Seat } from '../../seat/seat.ts'
import { withSeat } from '../../seat/with-seat.ts'
import { requests } from './requests.ts'
import { show } from './show.ts'

/** A person's inbox in the terminal. */
export const inbox: Command = {
  name: 'inbox',
  summary: 'your inbox: read and decide as requests come in',
  about:
    'In a terminal: a list with numbers, live; a number opens a request, and letters decide it after a confirmation. Elsewhere it prints the list. watch prints a line for each event.',
  usage: '[list | show ID | watch]',
  options: { ...fullOption, as: answerOptions.as, group: answerOptions.group },
  remote: true,
  positionals: { min: 0, max: 2 },
  examples: ['inbox', 'inbox watch --json', 'inbox --url https://approvals.example.com'],
  run: (call) => {
    const [what, ...rest] = call.args
    if (rest.length > 0 && what !== 'show') throw new UsageError(`inbox ${what} does not take '${rest[0]}'`)
    switch (what) {
      case undefined:
        return call.context.interactive && !call.flag('json')
          ? withSeat(call, (seat) => sit(call, seat), { writes: true })
          : requests.run(call)
      case 'list':
        return requests.run(call)
      case 'show':
        if (rest.length === 0) throw new UsageError('inbox show needs ID')
        return show.run({ ...call, args: rest })
      case 'watch':
        return withSeat(call, (seat) => watchInbox(call, seat))
      default:
        throw new UsageError(`inbox takes list, show ID or watch, not '${what}'`)
    }
  },
}

function sit(call: Call, seat: Seat): Promise<number> {
  return new InboxSession(call.context, seat).run(seat.place)
}
