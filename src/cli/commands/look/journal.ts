import type { AuditLine } from '../../../client.ts'
import type { JsonObject } from '../../../index.ts'
import type { Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
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
      else
        for (const { seq, at, entry } of entries) {
          const { type = '', v: _version, ...rest } = entry as JsonObject
          context.out(`${String(seq).padStart(5)}  ${at}  ${context.style.bold(visible(String(type)))}`)
          context.out(
            ...wrapWords(objectBrief(rest), context.columns() - 7).map((line) => `       ${context.style.dim(line)}`),
          )
        }
      return 0
    })
  },
}
