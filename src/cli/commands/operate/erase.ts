import { type Erased, type EraseOptions, erase as eraseThreads, type Store } from '../../../index.ts'
import { parseAge } from '../../../protocol/checks/durations.ts'
import type { Call, Command } from '../../command-line/command.ts'
import { CliError, UsageError } from '../../command-line/errors.ts'
import { withPostgres } from '../../doctor/postgres.ts'
import { readEraser } from '../../doctor/postgres-rights.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { withStore } from '../../store/open-store.ts'
import { storePlace } from '../../store/store-place.ts'

/** Erases the content of threads. */
export const erase: Command = {
  name: 'erase',
  summary: 'erase the content of a thread, a tenant, or old threads',
  about: `Arguments, results, messages, requests, grants, notes, dead letters and deliveries are gone for good; hash chains still verify, and who erased what
and why is on record (audit export --thread ~erasures). Threads that somebody drives are left as they are, and so are threads that are not over, unless
--abort. If it is interrupted, run it again. Exits with 1 if threads were left.`,
  usage: '--thread ID | --tenant ID | --older-than AGE  --reason TEXT [--abort] [--dry-run]',
  options: {
    thread: {
      value: 'ID',
      help: "this thread, or all calls of this conversation of a gate's host; of --tenant if given",
    },
    'older-than': { value: 'AGE', help: 'threads that were last written so long ago, such as 90d, 12h or 2w' },
    tenant: { value: 'ID', help: 'all threads of this tenant; with --thread or --older-than: those of this tenant' },
    abort: { help: 'abort runs that are not over, and close their requests' },
    'dry-run': { help: 'erase nothing, and print what would be erased' },
    by: { value: 'NAME', help: 'who erases; kept in the record (default: HOLDPOINT_USER, else your login name)' },
    reason: { value: 'TEXT', help: 'why; kept in the record (default with --older-than: the age)' },
  },
  positionals: { min: 0, max: 0 },
  examples: [
    "erase --thread order-47 --reason 'Ann asked for it' --dry-run",
    "erase --tenant acme --reason 'the contract ended' --abort",
    'erase --older-than 90d',
  ],
  run: async (call) => {
    const options = optionsOf(call)
    if (!options.dryRun) await requireRight(call)
    return withStore(call, (store) => run(call, store, options))
  },
}

/** Before anything is written: a role that may not erase could still abort the runs, and fail then. */
async function requireRight(call: Call): Promise<void> {
  const { at } = storePlace(call)
  if (at.kind === 'file') return
  const asked = withPostgres(at.url, (client) => readEraser(client, at.schema ?? 'holdpoint'))
  // What keeps it from being asked is told by the store, in its own words.
  const eraser = await asked.catch(() => undefined)
  if (eraser?.mayErase === false)
    throw new CliError(
      'may_not_erase',
      `The role ${eraser.who} may not erase threads. Nothing was written. Erase as the owner of the tables, or as a role that holdpoint migrate --print-role NAME --erase makes.`,
    )
}

async function run(call: Call, store: Store, options: EraseOptions): Promise<number> {
  const done = await eraseThreads(store, options)
  if (call.flag('json')) call.context.out(safeJson(toJson(done, options)))
  else print(call, done, options)
  return done.refused.length === 0 ? 0 : 1
}

function optionsOf(call: Call): EraseOptions {
  const what = whatOf(call)
  const by = call.text('by') ?? call.context.settings.user
  if (by === undefined || by.trim() === '') throw new UsageError('say who erases: --by NAME or HOLDPOINT_USER')
  const age = call.text('older-than')
  const reason = call.text('reason') ?? (age === undefined ? undefined : `older than ${age}`)
  if (reason === undefined || reason.trim() === '') throw new UsageError('say why: --reason TEXT')
  return {
    ...what,
    by: { kind: 'person', id: by, via: 'cli' },
    reason,
    abort: call.flag('abort'),
    dryRun: call.flag('dry-run'),
  }
}

type What = { threadId: string } | { tenantId: string; olderThanMs?: number } | { olderThanMs: number }

function whatOf(call: Call): What {
  const [threadId, tenantId, age] = [call.text('thread'), call.text('tenant'), call.text('older-than')]
  if (threadId !== undefined && age !== undefined)
    throw new UsageError('erase takes --thread or --older-than, not both')
  const olderThanMs = age === undefined ? undefined : parseAge(age)
  if (age !== undefined && olderThanMs === undefined)
    throw new UsageError(`--older-than must be an age such as 90d, 12h or 2w, not ${JSON.stringify(age)}`)
  // The store is bound to the tenant.
  if (threadId !== undefined) return { threadId }
  if (tenantId !== undefined) return { tenantId, ...(olderThanMs === undefined ? {} : { olderThanMs }) }
  if (olderThanMs !== undefined) return { olderThanMs }
  throw new UsageError('say what to erase: --thread ID, --tenant ID or --older-than AGE')
}

function toJson({ erased, refused }: Erased, { dryRun }: EraseOptions): object {
  const left = refused.map(({ error, ...thread }) => ({ ...thread, code: error.code, problem: error.message }))
  return { dryRun: dryRun === true, erased, refused: left }
}

function print({ context }: Call, { erased, refused }: Erased, { dryRun, threadId }: EraseOptions): void {
  const { style } = context
  const name = (thread: { tenantId: string; threadId: string }) =>
    `${visible(thread.threadId)}${thread.tenantId === 'default' ? '' : ` (tenant ${visible(thread.tenantId)})`}`
  const word = dryRun ? 'would erase' : 'erased'
  for (const thread of erased) {
    const { entries, requests } = thread
    const size = `${entries} ${entries === 1 ? 'entry' : 'entries'}, ${requests} ${requests === 1 ? 'request' : 'requests'}`
    context.out(`${style.good(word)}  ${name(thread)}  ${size}`)
  }
  for (const { error, ...thread } of refused)
    context.out(`${style.bad('left')}  ${name(thread)}  ${visible(error.message)}`)
  if (erased.length + refused.length > 0) return
  context.out(threadId === undefined ? 'There is nothing to erase.' : `${visible(threadId)} was erased before.`)
}
