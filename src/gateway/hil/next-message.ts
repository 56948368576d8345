import type { HilMessage } from '../../protocol/hil.ts'
import type { Core } from '../core.ts'
import type { Session } from './session.ts'

/** Where a reader stands in a session. */
export interface Cursor {
  readonly session: Session
  /** What was read last; grows with every message, and with every one that cannot be read. */
  after: string
}

/** What comes next: a message, nothing in time, or the end of the session. */
export type Next = { kind: 'message'; position: string; message: HilMessage } | { kind: 'idle' } | { kind: 'gone' }

/**
 * Waits for the next message of a session. One that cannot be decoded is told to the log and passed by. A session that was closed and opened
 * again for somebody else is gone to whoever read it before.
 */
export async function nextMessage(
  core: Core,
  cursor: Cursor,
  { waitMs, signal }: { waitMs: number; signal?: AbortSignal },
): Promise<Next> {
  const { session } = cursor
  const deadline = performance.now() + waitMs
  for (let left = waitMs; ; left = Math.max(0, deadline - performance.now())) {
    const read = await session.streams.read(session.id, {
      after: cursor.after,
      limit: 1,
      waitMs: left,
      ...(signal ? { signal } : {}),
    })
    if (read.kind === 'missing') return { kind: 'gone' }
    if (read.kind === 'messages' && read.owner !== session.owner) return { kind: 'gone' }
    const first = read.kind === 'messages' ? read.messages[0] : undefined
    if (!first) {
      // A gateway that stops wakes all who wait; what happened in that very moment is the last that they can learn here.
      if (left === 0 || !core.waits.stopped) return { kind: 'idle' }
      return nextMessage(core, cursor, { waitMs: 0 })
    }
    cursor.after = first.position
    if ('message' in first) return { kind: 'message', ...first }
    const { broken, position } = first
    core.logger?.warn({ session: session.id, position, problem: broken }, 'passed by a message that cannot be read')
  }
}
