import type { AuditLine } from '../../../client.ts'
import type { JsonObject } from '../../../index.ts'
import type { Call, Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { type JournalStep, journalSteps } from '../../render/journal-steps.ts'
import { objectBrief } from '../../render/json-lines.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { wrapWords } from '../../render/width.ts'
import type { SeatRecords } from '../../seat/records.ts'
import { withSeat } from '../../seat/with-seat.ts'

/** Shows the entries of a thread. */
export const journal: Command = {
  name: 'journal',
  summary: 'show the entries of a thread: everything that happened',
  usage: 'THREAD [--after N | --last N]',
  options: {
    after: { value: 'N', help: 'only entries after this one' },
    last: { value: 'N', help: 'only so many entries at the end, up to 1000' },
  },
  remote: true,
  positionals: { min: 1, max: 1 },
  run: (call) => {
    const read = readerOf(call)
    return withSeat(call, async ({ records }) => {
      const { context } = call
      const entries = await read(records, call.args[0] ?? '')
      if (call.flag('json')) context.out(safeJson({ entries }))
      else for (const step of journalSteps(entries)) context.out(...linesOf(call, step))
      return 0
    })
  },
}

/** How the options say to read. */
function readerOf(call: Call): (records: SeatRecords, threadId: string) => Promise<Omit<AuditLine, 'thread'>[]> {
  const [given, wanted] = [call.text('after'), call.text('last')]
  const [after, last] = [Number(given ?? '0'), Number(wanted ?? '1')]
  if (given !== undefined && wanted !== undefined) throw new UsageError('give either --after or --last')
  if (!Number.isSafeInteger(after) || after < 0) throw new UsageError('--after must be an integer, 0 or more')
  if (!(Number.isSafeInteger(last) && last >= 1 && last <= 1000))
    throw new UsageError('--last must be an integer, 1 to 1000')
  if (wanted !== undefined) return (records, threadId) => records.lastEntries(threadId, last)
  return async (records, threadId) => {
    const entries: Omit<AuditLine, 'thread'>[] = []
    for await (const entry of records.journal(threadId, after)) entries.push(entry)
    return entries
  }
}

function linesOf({ context }: Call, { from, to, at, type, facts }: JournalStep): string[] {
  const { style } = context
  const numbers = from === to ? String(from) : `${from}-${to}`
  const text = type === 'erased' ? erasedText({ count: to - from + 1, facts }) : objectBrief(facts)
  return [
    `${numbers.padStart(5)}  ${at}  ${style.bold(visible(type))}`,
    ...wrapWords(text, context.columns() - 7).map((line) => `       ${style.dim(line)}`),
  ]
}

function erasedText({ count, facts }: { count: number; facts: JsonObject }): string {
  if (facts.reason === undefined)
    return `the content of ${count === 1 ? 'this entry' : `these ${count} entries`} is gone`
  return `on record: ${objectBrief(facts)}`
}
