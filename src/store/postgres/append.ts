import { sleep } from '../../ports/clock.ts'
import type { CrashPoint } from '../../ports/crash-points.ts'
import type { Append, AppendOutcome, RequestChange } from '../../ports/store.ts'
import { bodyHash } from '../../protocol/chain.ts'
import { StoreFailed } from '../../protocol/errors.ts'
import type { Salts } from '../sql/salts.ts'
import { backOffMs, untilReached } from './back-off.ts'
import type { Connections } from './connection.ts'
import { isUnreachable, kindOf, toStoreError } from './failure.ts'
import { grantValues } from './grants.ts'
import { prefixOf } from './place.ts'
import { settleAppend } from './settle.ts'
import type { StoreTime } from './time.ts'

/** What an append is made with. */
export interface AppendContext {
  readonly connections: Connections
  readonly tenant: string
  readonly time: StoreTime
  readonly salts: Salts
  /** How long a database that cannot be reached is waited for. */
  readonly timeoutMs: number
  readonly crashPoint: CrashPoint | undefined
}

/** How one try ended, when it did not end with an outcome. */
type Trouble =
  /** Nothing of it is stored. */
  | { kind: 'not-stored'; error: unknown }
  /** It was sent, and no answer came. */
  | { kind: 'unknown'; error: unknown; id: Uint8Array }

/**
 * Appends, with one round trip.
 *
 * A1  What was sent and not answered is never sent again before it is certain that it is not stored and never will be.
 * A2  A try that failed for want of a connection, or for the sake of others, is made again until time is up.
 */
export async function makeAppend(context: AppendContext, append: Append): Promise<AppendOutcome> {
  const { connections, timeoutMs } = context
  const place = connections.place.name
  let deadline: number | undefined
  for (let tries = 0; ; tries++) {
    const trouble = await tryAppend(context, append)
    if ('outcome' in trouble) return trouble.outcome
    if (trouble.kind === 'unknown') {
      const outcome = await settle(context, append, trouble)
      if (outcome) return outcome
    } else if (!isUnreachable(trouble.error) && kindOf(trouble.error) !== 'again') {
      throw toStoreError(trouble.error, place)
    }
    deadline ??= performance.now() + timeoutMs
    if (performance.now() >= deadline) throw toStoreError(trouble.error, place)
    await sleep(backOffMs(tries))
  }
}

async function tryAppend(context: AppendContext, append: Append): Promise<Trouble | { outcome: AppendOutcome }> {
  const { connections, tenant, time, salts } = context
  const own = append.entries.map(() => salts.next())
  const id = own[0] ?? salts.next()
  const statement = `SELECT ${prefixOf(connections.place.schema)}append($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17) AS outcome`
  let sent = false
  let broken: { error: unknown } | undefined
  const reach = (name: string) => {
    try {
      context.crashPoint?.(name)
    } catch (error) {
      broken = { error }
      throw error
    }
  }
  try {
    const rows = await connections.use(async (run) => {
      reach('store.append.begun')
      sent = true
      const answer = run.kept(statement, [
        tenant,
        append.threadId,
        JSON.stringify([tenant, append.threadId]).slice(0, -1),
        Buffer.from(id),
        ...time.values(),
        append.version ?? null,
        ...leaseValues(append),
        append.entries,
        Buffer.concat(own),
        Buffer.from(append.entries.map((body, index) => bodyHash(own[index]!, body)).join(''), 'latin1'),
        requestValues(append.requests),
        grantValues(append.threadId, append.grants),
      ])
      answer.catch(() => undefined)
      reach('store.append.written')
      return await answer
    })
    reach('store.append.committed')
    const outcome = JSON.parse(rows[0]?.outcome as string) as AppendOutcome
    time.saw(outcome.ok ? outcome.at : outcome.now)
    return { outcome }
  } catch (error) {
    if (broken) throw broken.error
    return sent && kindOf(error) === 'unknown' ? { kind: 'unknown', error, id } : { kind: 'not-stored', error }
  }
}

/** Finds out what became of an append. `undefined`: it is not stored and never will be. */
async function settle(
  { connections, tenant, time, timeoutMs }: AppendContext,
  append: Append,
  { error, id }: Extract<Trouble, { kind: 'unknown' }>,
): Promise<AppendOutcome | undefined> {
  const place = connections.place.name
  try {
    return await untilReached({
      place,
      timeoutMs,
      run: () =>
        connections.use((run) => settleAppend(run, { schema: connections.place.schema, tenant, append, id, time })),
    })
  } catch (unsettled) {
    const problem =
      'the connection was lost during an append and cannot be made again, so whether it is stored is not known'
    throw new StoreFailed(place, new Error(problem, { cause: new AggregateError([error, unsettled]) }))
  }
}

/** Operation, holder, token, time to live, and whether the lease is free afterwards. */
function leaseValues({ lease }: Append): unknown[] {
  switch (lease?.op) {
    case undefined:
      return [null, null, null, null, false]
    case 'take':
      return ['take', lease.holder, lease.over ?? null, lease.ttlMs, lease.thenDrop ?? false]
    case 'hold':
      return ['hold', null, lease.token, null, lease.thenDrop ?? false]
    case 'drop':
      return ['drop', null, lease.token, null, true]
  }
}

function requestValues(changes: readonly RequestChange[] | undefined): string | null {
  if (!changes || changes.length === 0) return null
  return JSON.stringify(
    changes.map((change) => (change.op === 'open' ? { op: 'open', entry: change.entry, ...change.row } : change)),
  )
}
