import { sleep } from '../../ports/clock.ts'
import type { CrashPoint } from '../../ports/crash-points.ts'
import type { Append, AppendOutcome, RequestChange } from '../../ports/store.ts'
import { AuditKeyMissing, HoldpointError, messageOf, StoreFailed, ThreadErased } from '../../protocol/errors/errors.ts'
import { checkSigned, type SignedEnd, signNew } from '../shared/audit.ts'
import { threadKey } from '../shared/thread-key.ts'
import type { Trust } from '../shared/verify.ts'
import type { SqlRow } from '../sql/dialect.ts'
import type { Salts } from '../sql/salts.ts'
import { backOffMs, untilReached } from './connection/back-off.ts'
import type { Connections } from './connection/connection.ts'
import { codeOf, isUnreachable, kindOf, toStoreError } from './connection/failure.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import { appendStatement, type Group, type Job, sendAlone } from './group.ts'
import { toMember } from './member.ts'
import { toEnd } from './read.ts'
import { settleAppend, type Unsettled } from './settle.ts'
import { signWritten } from './snapshots.ts'
import { patienceOf, type StoreTime } from './time.ts'

/** The context of an append. */
export interface AppendContext {
  readonly connections: Connections
  readonly tenant: string
  readonly time: StoreTime
  readonly salts: Salts
  readonly trust: Trust
  /** How long to wait for a database that is unreachable or does not answer. */
  readonly timeoutMs: number
  readonly unsettled: Unsettled
  readonly group: Group
  readonly crashPoint: CrashPoint | undefined
}

/** How a try failed. */
type Trouble =
  /** Nothing of it is stored. */
  | { kind: 'not-stored'; error: unknown }
  /** It was sent, and no answer came. */
  | { kind: 'unknown'; error: unknown; id: Uint8Array }

/**
 * Appends, with one round trip, which appends of other threads may share.
 *
 * A1  What was sent and not answered is never sent again before it is certain that it is not stored and never will be.
 * A2  A try that failed because of a missing connection or a concurrent transaction is repeated until the timeout.
 */
export async function makeAppend(context: AppendContext, append: Append): Promise<AppendOutcome> {
  const { connections, timeoutMs } = context
  const place = connections.place.name
  const deadline = performance.now() + timeoutMs
  for (let tries = 0; ; tries++) {
    const trouble = await tryAppend(context, append)
    if ('outcome' in trouble) return trouble.outcome
    let { error } = trouble
    if (trouble.kind === 'unknown') {
      const outcome = await settle(context, append, trouble)
      if (outcome) return outcome
      error = new Error(`${messageOf(error)}; the append was declared void, and nothing of it is stored`, {
        cause: error,
      })
    } else if (!isUnreachable(error) && kindOf(error) !== 'again') {
      throw toAppendError(error, place, append)
    }
    if (performance.now() >= deadline) throw toStoreError(error, place)
    await sleep(backOffMs(tries))
  }
}

async function tryAppend(context: AppendContext, append: Append): Promise<Trouble | { outcome: AppendOutcome }> {
  const { connections, time, salts } = context
  const own = append.entries.map(() => salts.next())
  const id = own[0] ?? salts.next()
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
  const commit: Commit = {
    begun: () => reach('store.append.begun'),
    sending() {
      sent = true
    },
    written: () => reach('store.append.written'),
  }
  try {
    const keyed = context.trust.auditKeys.length > 0
    const member = toMember(append, { tenant: context.tenant, time, id, salts: own, keyed })
    // A snapshot also comes with appends that only change the lease.
    const mustSign = keyed && (append.entries.length > 0 || append.sign !== undefined || append.snapshot !== undefined)
    const job = { ...commit, member, patienceMs: patienceOf(context.timeoutMs) }
    const outcome = mustSign
      ? await connections.use((run) => appendSigned(run, { ...context, append, job }))
      : await appendPlain(context, append, job)
    reach('store.append.committed')
    time.saw(outcome.ok ? outcome.at : outcome.now)
    return { outcome }
  } catch (error) {
    if (broken) throw broken.error
    const isAnswer = HoldpointError.isInstance(error) || kindOf(error) !== 'unknown'
    return sent && !isAnswer ? { kind: 'unknown', error, id } : { kind: 'not-stored', error }
  }
}

/** One statement. It goes together with others that wait, unless it locks what appends of other threads lock too, in an order of its own. */
async function appendPlain({ connections, group }: AppendContext, append: Append, job: Job): Promise<AppendOutcome> {
  const isOwn = (change: RequestChange) => change.op === 'open' || change.op === 'change'
  const joins = !append.grants && !append.records && !append.erase && (append.requests ?? []).every(isOwn)
  const row = joins ? await group.send(job) : await connections.use((run) => sendAlone(run, connections, job))
  return toAnswer(row).outcome
}

/** A transaction in which the new end of the thread is signed here. Nothing is stored before `COMMIT` is sent. */
async function appendSigned(
  run: Run,
  { connections, tenant, append, trust, job }: Prepared & { append: Append },
): Promise<AppendOutcome> {
  const thread = { store: trust.store, tenant, threadId: append.threadId }
  job.begun()
  await run('BEGIN')
  const [row] = await run(...appendStatement(connections, [job.member], job))
  const { outcome, before } = toAnswer(row)
  if (!outcome.ok) {
    await run('ROLLBACK')
    return outcome
  }
  checkSigned(trust.auditKeys, thread, before, append.sign ? 'sign' : 'append')
  if (append.sign && Buffer.compare(append.sign, before.hash) !== 0) {
    await run('ROLLBACK')
    return { ok: false, conflict: { kind: 'version', version: before.version }, now: outcome.at }
  }
  const end = { version: outcome.version, hash: Buffer.from(outcome.head, 'hex') }
  const mac = signNew(trust.auditKeys, thread, end)
  const sql = `UPDATE ${prefixOf(connections.place.schema)}threads SET mac_key = $3, mac = $4 WHERE tenant = $1 AND id = $2`
  await run(sql, [tenant, append.threadId, mac?.key ?? null, mac ? Buffer.from(mac.mac) : null])
  if (append.snapshot) {
    const view = { schema: connections.place.schema, tenant, trust }
    const { version, hash } = before
    await signWritten(run, view, { ...append.snapshot, version, hash, threadId: append.threadId })
  }
  job.sending()
  const answer = run('COMMIT')
  answer.catch(() => undefined)
  job.written()
  await answer
  return outcome
}

/** What happens to an append on its way. */
type Commit = Pick<Job, 'begun' | 'sending' | 'written'>

/** An append that is ready to be sent. */
interface Prepared extends AppendContext {
  readonly job: Job
}

/** The result of the SQL function: the outcome and, for the signer, the end of the thread before it. */
function toAnswer(row: SqlRow | undefined): { outcome: AppendOutcome; before: SignedEnd } {
  const { before, ...outcome } = JSON.parse(row?.outcome as string) as AppendOutcome & { before?: SqlRow | null }
  return { outcome, before: toEnd(before ?? undefined) }
}

/** Typed errors for a thread that is signed by others, one that was erased, and for entries after its end. */
function toAppendError(error: unknown, place: string, { threadId }: Append): unknown {
  if (codeOf(error) === 'HP003') return new ThreadErased(threadId)
  if (codeOf(error) === 'HP002') return new AuditKeyMissing({ threadId, keyId: messageOf(error) })
  return toStoreError(error, place)
}

/**
 * Settles an append with an unknown outcome. `undefined`: it is not stored and never will be. If that fails now, it is remembered and settled before
 * anything else is done with the thread.
 */
async function settle(
  context: AppendContext,
  append: Append,
  { error, id }: Extract<Trouble, { kind: 'unknown' }>,
): Promise<AppendOutcome | undefined> {
  const { connections, tenant, time, timeoutMs, unsettled } = context
  const place = connections.place.name
  const { schema } = connections.place
  const work = () =>
    untilReached({
      place,
      timeoutMs,
      run: () => connections.use((run) => settleAppend(run, { schema, tenant, append, id, time, timeoutMs })),
    })
  try {
    return await work()
  } catch (reason) {
    unsettled.add(threadKey(tenant, append.threadId), work)
    const problem =
      'no answer came to an append, and the database cannot be reached, so it is unknown whether it is stored'
    throw new StoreFailed(place, new Error(problem, { cause: new AggregateError([error, reason]) }))
  }
}
