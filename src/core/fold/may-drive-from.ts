import type { Frame, ThreadState } from '../state.ts'

/**
 * Whether a thread may be driven on from a snapshot of this state. A snapshot is a cache, which may be forged where there is no audit key. So nothing that
 * could let a tool body start is taken from one: no call, whatever became of it, no answer whose calls are not judged, no review, no nested run. What
 * starts then was judged, decided and released by entries after the snapshot, which were read and verified. What rules read, such as the run's context,
 * is from the snapshot: only an audit key protects that.
 */
export function mayDriveFrom({ run }: ThreadState): boolean {
  // A run that is over starts nothing. The next one begins with its own entry.
  if (run?.status !== 'open') return true
  const root = run.frames.get(run.id)
  return run.frames.size === 1 && run.askedAbout.size === 0 && root !== undefined && !root.gate && isBetweenTurns(root)
}

/** Whether no call of a frame is open, and none is about to be. */
export function isBetweenTurns({ calls, messages }: Pick<Frame, 'calls' | 'messages'>): boolean {
  if (calls.length > 0) return false
  const last = messages.at(-1)
  return last?.role !== 'assistant' || (last.toolCalls?.length ?? 0) === 0
}
