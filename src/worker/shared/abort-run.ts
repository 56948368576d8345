import { abortAppend } from '../../desk/record/abort-append.ts'
import { appendUndriven } from '../../desk/record/append-undriven.ts'
import { commit } from '../../desk/record/commit.ts'
import { foldThread } from '../../desk/record/fold-thread.ts'
import { parseActor, parseReason } from '../../desk/record/on-record.ts'
import type { Store } from '../../ports/store.ts'
import { requireStore } from '../../protocol/checks/check-options.ts'
import { requireOptions } from '../../protocol/checks/known-options.ts'
import type { Actor } from '../../protocol/decision.ts'
import { ThreadNotFound } from '../../protocol/errors/errors.ts'
import { parseThreadId } from '../../protocol/ids.ts'
import { deleteDeadLetter, STUCK } from './stuck.ts'

/** Whose run is ended, by whom and why. */
export interface AbortedRun {
  threadId: string
  by: string | Actor
  /** Goes on record. */
  reason: string
}

const WHAT = 'abortRun()'

/**
 * Ends a run for good, for operators: open requests are closed and calls that have not started never do. It needs no code of the agent, so it also ends
 * runs whose version is gone. Throws `ThreadNotFound` for an unknown thread, and `ThreadBusy` while a process drives it. Resolves to `false` if there is
 * nothing to end.
 */
export async function abortRun(store: Store, given: AbortedRun): Promise<boolean> {
  requireStore(WHAT, store)
  requireOptions(WHAT, given, ['threadId', 'by', 'reason'])
  const reason = parseReason(WHAT, given.reason)
  const [threadId, by] = [parseThreadId(given.threadId), parseActor(given.by)]
  const letter = await store.readRecord(STUCK, threadId)
  const isAborted = await commit(`Thread ${threadId}`, () => abortOnce(store, { threadId, by, reason }))
  if (isAborted && letter) await store.writeRecords([{ ...deleteDeadLetter(threadId), expect: letter.version }])
  return isAborted
}

async function abortOnce(
  store: Store,
  { threadId, ...why }: AbortedRun & { by: Actor },
): Promise<{ done: boolean } | undefined> {
  const { state, head } = await foldThread(store, threadId)
  if (state.version === 0) throw new ThreadNotFound(threadId)
  const append = abortAppend(state, { ...why, head })
  if (!append) return { done: false }
  return (await appendUndriven(store, append, 'abort')) ? { done: true } : undefined
}
