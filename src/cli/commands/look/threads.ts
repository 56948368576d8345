import type { ApiThreadPage } from '../../../client.ts'
import type { Command } from '../../command-line/command.ts'
import { toCount } from '../../command-line/count.ts'
import { relative } from '../../render/time.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { padTo, widthOf } from '../../render/width.ts'
import { withSeat } from '../../seat/with-seat.ts'

const PAGE = 200

/** Lists threads. */
export const threads: Command = {
  name: 'threads',
  summary: 'list the threads that have requests',
  usage: '[--limit N]',
  options: { limit: { value: 'N', help: 'at most this many (default: 50)' } },
  remote: true,
  positionals: { min: 0, max: 0 },
  run: (call) => {
    const limit = toCount('limit', call.text('limit') ?? '50')
    return withSeat(call, async ({ records }) => {
      const { context } = call
      const found: ApiThreadPage['threads'] = []
      let cursor: string | undefined
      do {
        const page = await records.threads({
          limit: Math.min(PAGE, limit - found.length),
          ...(cursor === undefined ? {} : { cursor }),
        })
        found.push(...page.threads)
        cursor = page.next
      } while (cursor !== undefined && found.length < limit)
      if (call.flag('json')) context.out(safeJson({ threads: found, more: cursor !== undefined }))
      else if (found.length === 0) context.out('No thread has a request.')
      else {
        const width = Math.min(40, Math.max(...found.map(({ id }) => widthOf(visible(id)))))
        for (const { id, open, lastAt } of found) {
          const waits = open === 0 ? 'nothing open' : `${open} open`
          context.out(
            `${padTo(visible(id), width)}  ${waits.padEnd(12)}  ${context.style.dim(relative(lastAt, context.now()))}`,
          )
        }
        if (cursor !== undefined) context.out('', `There are more: --limit ${limit * 2} shows twice as many.`)
      }
      return 0
    })
  },
}
