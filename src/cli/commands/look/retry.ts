import { answerOptions, type Call, type Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { safeJson, visible } from '../../render/visible.ts'
import type { SeatRecords } from '../../seat/records.ts'
import { withSeat } from '../../seat/with-seat.ts'

/** Lets workers try a thread again. */
export const retry: Command = {
  name: 'retry',
  summary: 'let workers try a stuck thread again',
  usage: 'THREAD [--to VERSION | --to-none] [--reason TEXT]',
  options: {
    to: { value: 'VERSION', help: 'go on with this version of its agent; calls are judged again' },
    'to-none': { help: 'go on with the agent that has no version' },
    reason: { value: 'TEXT', help: 'why it moves to another version; kept in the record' },
    as: answerOptions.as,
  },
  remote: true,
  positionals: { min: 1, max: 1 },
  examples: ['retry order-47', "retry order-47 --to 2.1 --reason 'Version 2.0 is gone.'"],
  run: (call) => {
    const move = moveOf(call)
    const [threadId = ''] = call.args
    const act = async (records: SeatRecords): Promise<number> => {
      const isDone = move ? await records.move(threadId, move) : await records.retry(threadId)
      if (call.flag('json')) call.context.out(safeJson({ id: threadId, retried: isDone }))
      else call.context.out(...(isDone && !move ? await tried(threadId, records) : [said(threadId, move, isDone)]))
      return 0
    }
    return withSeat(call, ({ records }) => act(records), { writes: move !== undefined })
  },
}

interface Move {
  readonly to: string | null
  readonly reason: string
}

function moveOf(call: Call): Move | undefined {
  const [to, reason] = [call.text('to'), call.text('reason')]
  if (to !== undefined && call.flag('to-none')) throw new UsageError('retry takes --to or --to-none, not both')
  if (to === undefined && !call.flag('to-none')) {
    if (reason !== undefined) throw new UsageError('--reason goes with --to or --to-none')
    return undefined
  }
  if (reason === undefined || reason.trim() === '') throw new UsageError('moving a run needs --reason')
  return { to: to ?? null, reason }
}

/** How many stuck threads are looked through. */
const MOST_STUCK = 200

/** What a person is told of a thread that is tried again: nobody does so while no worker has its version. */
async function tried(threadId: string, records: SeatRecords): Promise<string[]> {
  const { threads } = await records.stuck(MOST_STUCK)
  const stuck = threads.find(({ id }) => id === threadId)?.stuck
  const thread = visible(threadId)
  if (stuck?.reason !== 'no_worker') return [`Workers try ${thread} again.`]
  const version = stuck.version === null ? 'without a version' : `version ${visible(stuck.version)}`
  return [
    `No live worker has agent ${visible(stuck.agent ?? 'unknown')}, ${version}: ${thread} waits for one.`,
    `Start one, or move the run: holdpoint retry ${thread} --to VERSION --reason TEXT`,
  ]
}

function said(threadId: string, move: Move | undefined, isDone: boolean): string {
  const thread = visible(threadId)
  if (!move) return `${thread} has nothing to do: it waits for people, or is over.`
  const version = move.to === null ? 'the agent without a version' : `version ${visible(move.to)}`
  return isDone ? `${thread} goes on with ${version}.` : `${thread} is on ${version} already.`
}
