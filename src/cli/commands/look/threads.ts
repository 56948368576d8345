import type { ApiThreadPage } from '../../../client.ts'
import type { Call, Command } from '../../command-line/command.ts'
import { toCount } from '../../command-line/count.ts'
import { relative } from '../../render/time.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { padTo, widthOf } from '../../render/width.ts'
import type { SeatRecords } from '../../seat/records.ts'
import { withSeat } from '../../seat/with-seat.ts'

const PAGE = 200

/** Lists threads. */
export const threads: Command = {
  name: 'threads',
  summary: 'list the threads that have requests, or those that are stuck',
  usage: '[--stuck] [--limit N]',
  options: {
    stuck: { help: 'threads that have something to do and are not driven' },
    limit: { value: 'N', help: 'at most this many (default: 50)' },
  },
  remote: true,
  positionals: { min: 0, max: 0 },
  run: (call) => {
    const limit = toCount('limit', call.text('limit') ?? '50')
    return withSeat(call, async ({ records }) => {
      const { threads: found, more } = call.flag('stuck')
        ? { ...(await records.stuck(Math.min(PAGE, limit))), more: false }
        : await newest(records, limit)
      if (call.flag('json')) call.context.out(safeJson({ threads: found, more }))
      else if (found.length === 0)
        call.context.out(call.flag('stuck') ? 'No thread is stuck.' : 'No thread has a request.')
      else print(call, found)
      if (more && !call.flag('json')) call.context.out('', `There are more: --limit ${limit * 2} shows twice as many.`)
      return 0
    })
  },
}

type Threads = ApiThreadPage['threads']

async function newest(records: SeatRecords, limit: number): Promise<{ threads: Threads; more: boolean }> {
  const threads: Threads = []
  let cursor: string | undefined
  do {
    const page = await records.threads({
      limit: Math.min(PAGE, limit - threads.length),
      ...(cursor === undefined ? {} : { cursor }),
    })
    threads.push(...page.threads)
    cursor = page.next
  } while (cursor !== undefined && threads.length < limit)
  return { threads, more: cursor !== undefined }
}

function print({ context }: Call, threads: Threads): void {
  const { style, now } = context
  const width = Math.min(40, Math.max(...threads.map(({ id }) => widthOf(visible(id)))))
  for (const { id, open, lastAt, stuck } of threads) {
    const waits = open === 0 ? 'nothing open' : `${open} open`
    const state = stuck ? REASONS[stuck.reason].padEnd(9) : waits.padEnd(12)
    context.out(`${padTo(visible(id), width)}  ${state}  ${style.dim(relative(lastAt, now()))}`)
    if (stuck) for (const line of [...why(stuck), ...ways(stuck)]) context.out(style.dim(`    ${visible(line)}`))
  }
}

const REASONS = { dead: 'failed', no_worker: 'no worker', overdue: 'overdue' } as const

type Stuck = NonNullable<Threads[number]['stuck']>

/** Where `retry --to` could move it. */
function ways({ liveVersions }: Stuck): string[] {
  if (liveVersions.length === 0) return []
  const names = liveVersions.map((version) => (version === null ? 'no version (--to-none)' : `version ${version}`))
  return [`live workers have ${names.join(', ')}`]
}

function why({ reason, agent, version, tries, error }: Stuck): string[] {
  const what = `agent ${agent ?? 'unknown'}${version === null ? '' : `, version ${version}`}`
  switch (reason) {
    case 'dead':
      return [`${what}, ${tries === 1 ? '1 try' : `${tries} tries`}: ${error?.message ?? 'unknown'}`]
    case 'no_worker':
      return [`no live worker has ${what}`]
    case 'overdue':
      return [`nobody has taken it up: ${what}`]
    default:
      return reason satisfies never
  }
}
