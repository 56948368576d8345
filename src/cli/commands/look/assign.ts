import { answerOptions, type Call, type Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { toSeconds } from '../../command-line/time-span.ts'
import { whenDue } from '../../render/time.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { findByShortId } from '../../seat/find-request.ts'
import type { Assigning } from '../../seat/notes.ts'
import type { Seat } from '../../seat/seat.ts'
import { withSeat } from '../../seat/with-seat.ts'

const own = { as: answerOptions.as, group: answerOptions.group }

/** Assigns a request. */
export const assign: Command = {
  name: 'assign',
  summary: 'say who takes care of a request; it decides nothing',
  usage: 'ID (NAME | --nobody) [--for TIME]',
  options: {
    nobody: { help: 'take the assignment back' },
    for: { value: 'TIME', help: 'for this long, such as 30m (default: without an end)' },
    ...own,
  },
  remote: true,
  positionals: { min: 1, max: 2 },
  examples: ['assign 3f9a ann', 'assign 3f9a --nobody'],
  run: (call) => {
    const [, name] = call.args
    if ((name === undefined) !== call.flag('nobody')) throw new UsageError('assign needs a NAME, or --nobody')
    return give(call, async () => ({ assignee: name ?? null }))
  },
}

/** Takes a request for oneself. */
export const claim: Command = {
  name: 'claim',
  summary: 'take a request for a while, so that others see it',
  usage: 'ID [--for TIME]',
  options: { for: { value: 'TIME', help: 'for this long (default: 10m)' }, ...own },
  remote: true,
  positionals: { min: 1, max: 1 },
  run: (call) => give(call, async (seat) => ({ assignee: await seat.who(), claim: true, seconds: 600 })),
}

function give(call: Call, to: (seat: Seat) => Promise<Assigning>): Promise<number> {
  const span = call.text('for')
  const seconds = span === undefined ? {} : { seconds: Math.ceil(toSeconds('for', span)) }
  const take = async (seat: Seat): Promise<number> => {
    const request = await findByShortId(seat, call.args[0] ?? '')
    const assigned = await seat.notes.assign(request, { ...(await to(seat)), ...seconds })
    if (call.flag('json')) call.context.out(safeJson({ id: request.id, assigned }))
    else call.context.out(said(call, request.id, assigned))
    return 0
  }
  return withSeat(call, take, { writes: true })
}

function said({ context }: Call, id: string, assigned: { id: string; until?: string } | null): string {
  if (!assigned) return `Nobody has ${id} now.`
  const until = assigned.until === undefined ? '' : `, which ends ${whenDue(assigned.until, context.now())}`
  return `${visible(assigned.id)} has ${id} now${until}.`
}
