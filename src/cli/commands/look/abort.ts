import { answerOptions, type Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { withSeat } from '../../seat/with-seat.ts'

/** Ends the run of a thread for good. */
export const abort: Command = {
  name: 'abort',
  summary: 'end the run of a thread for good, such as one that is stuck',
  about:
    'It needs no code of the agent. Open requests are closed, and calls that have not started never run. A thread that a process drives is left: try again.',
  usage: 'THREAD --reason TEXT',
  options: {
    reason: { value: 'TEXT', help: 'why; kept in the record' },
    as: answerOptions.as,
  },
  remote: true,
  positionals: { min: 1, max: 1 },
  examples: ["abort order-47 --reason 'Nobody needs it any more.'"],
  run: (call) => {
    const [threadId = ''] = call.args
    const reason = call.text('reason')
    if (reason === undefined || reason.trim() === '') throw new UsageError('abort needs --reason')
    return withSeat(
      call,
      async ({ records }) => {
        const aborted = await records.abort(threadId, reason)
        const thread = visible(threadId)
        const said = aborted ? `The run of ${thread} is over.` : `${thread} has nothing to end: its run is over.`
        call.context.out(call.flag('json') ? safeJson({ id: threadId, aborted }) : said)
        return 0
      },
      { writes: true },
    )
  },
}
