import { appendUndriven } from '../../desk/record/append-undriven.ts'
import { commit } from '../../desk/record/commit.ts'
import { foldThread } from '../../desk/record/fold-thread.ts'
import { parseActor, parseReason } from '../../desk/record/on-record.ts'
import type { Store } from '../../ports/store.ts'
import { requireStore } from '../../protocol/checks/check-options.ts'
import { requireOptions } from '../../protocol/checks/known-options.ts'
import type { Actor } from '../../protocol/decision.ts'
import type { EntryOf } from '../../protocol/entries/entry.ts'
import { InputInvalid, ThreadNotFound, VersionUnavailable } from '../../protocol/errors/errors.ts'
import { parseThreadId } from '../../protocol/ids.ts'
import { isServed } from './live-workers.ts'
import { redrive } from './redrive.ts'

/** Where a run is moved, by whom and why. */
export interface MovedRun {
  threadId: string
  /** The version of its agent that goes on with it; `null` is the agent without a version. */
  to: string | null
  by: string | Actor
  /** Goes on record. */
  reason: string
  /** Moves it even if no live worker has that version. Default `false`. */
  force?: boolean
}

const WHAT = 'moveRun()'

/**
 * Lets another version of its agent go on with a run, for operators. The journal records who moved it and why. Calls that have not started are judged
 * again by the other version before they start. Throws `VersionUnavailable` if no live worker has that version, `ThreadNotFound` if the thread has no run
 * that is open, and `ThreadBusy` while a process drives it. Resolves to `false` if the run is on that version already.
 */
export async function moveRun(store: Store, given: MovedRun): Promise<boolean> {
  requireStore(WHAT, store)
  requireOptions(WHAT, given, ['threadId', 'to', 'by', 'reason', 'force'])
  const { to } = given
  if (to !== null && (typeof to !== 'string' || to === ''))
    throw new InputInvalid(`to of ${WHAT} must be a version, or null for the agent without one.`)
  const reason = parseReason(WHAT, given.reason)
  const move = { ...given, reason, threadId: parseThreadId(given.threadId), by: parseActor(given.by) }
  const isMoved = await commit(`Thread ${move.threadId}`, () => moveOnce(store, move))
  // It may have been given up on its old version.
  if (isMoved) await redrive(store, move.threadId)
  return isMoved
}

async function moveOnce(
  store: Store,
  { threadId, to, by, reason, force = false }: MovedRun & { by: Actor },
): Promise<{ done: boolean } | undefined> {
  const { state, head } = await foldThread(store, threadId)
  if (state.run?.status !== 'open') throw new ThreadNotFound(threadId)
  const { id, name, version = null } = state.run.agent
  if (version === to) return { done: false }
  if (!force && !(await isServed(store, id, to))) throw new VersionUnavailable(id, to)
  const agent = to === null ? { id, name } : { id, name, version: to }
  const moved: EntryOf<'run.moved'> = { v: 1, type: 'run.moved', run: state.run.id, agent, by, reason }
  const run = { agent: id, version: to }
  const append = { threadId, version: state.version, head, entries: [JSON.stringify(moved)], run }
  return (await appendUndriven(store, append, 'move')) ? { done: true } : undefined
}
