import type { AuditLine } from '../../../client.ts'
import type { JsonObject } from '../../../index.ts'
import type { Call, Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { type JournalStep, journalSteps } from '../../render/journal-steps.ts'
import { objectBrief } from '../../render/json-lines.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { wrapWords } from '../../render/width.ts'
import { withSeat } from '../../seat/with-seat.ts'

/** Shows the entries of a thread. */
export const journal: Command = {
  name: 'journal',
  summary: 'show the entries of a thread: everything that happened',
  usage: 'THREAD [--after N]',
  options: { after: { value: 'N', help: 'only entries after this one' } },
  remote: true,
  positionals: { min: 1, max: 1 },
  run: (call) => {
    const after = Number(call.text('after') ?? '0')
    if (!Number.isSafeInteger(after) || after < 0) throw new UsageError('--after must be an integer, 0 or more')
    return withSeat(call, async ({ records }) => {
      const { context } = call
      const entries: Omit<AuditLine, 'thread'>[] = []
      for await (const entry of records.journal(call.args[0] ?? '', after)) entries.push(entry)
      if (call.flag('json')) context.out(safeJson({ entries }))
      else for (const step of journalSteps(entries)) context.out(...linesOf(call, step))
      return 0
    })
  },
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
