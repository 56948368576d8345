import type { Call, Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { safeJsonLine } from '../../render/visible.ts'
import { withSeat } from '../../seat/with-seat.ts'

/** Prints all entries as JSON Lines. */
export const auditExport: Command = {
  name: 'audit export',
  summary: 'print all entries as JSON Lines, thread by thread',
  about: 'Each line has thread, seq, at, hash and entry.',
  usage: '[--thread ID] [--from TIME] [--to TIME]',
  options: {
    thread: { value: 'ID', help: 'only this thread (default: all threads)' },
    from: { value: 'TIME', help: 'only entries from this time on, such as 2026-01-31 or 2026-01-31T09:00:00Z' },
    to: { value: 'TIME', help: 'only entries before this time' },
  },
  remote: true,
  positionals: { min: 0, max: 0 },
  examples: ['audit export --from 2026-01-01 > january.jsonl'],
  run: (call) => {
    const thread = call.text('thread')
    const query = { ...(thread === undefined ? {} : { thread }), ...timeOf(call, 'from'), ...timeOf(call, 'to') }
    return withSeat(call, async ({ records }) => {
      for await (const line of records.exported(query)) call.context.out(safeJsonLine(line))
      return 0
    })
  },
}

function timeOf(call: Call, name: 'from' | 'to'): { from?: string; to?: string } {
  const text = call.text(name)
  if (text === undefined) return {}
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new UsageError(`--${name} must be a time such as 2026-01-31T09:00:00Z, not '${text}'`)
  return { [name]: new Date(time).toISOString() }
}
