import type { Message } from '../protocol/message.ts'

/** A message in a session. Those that a run adds have an `id`, which names the same message of the same run for ever. */
export type SessionItem = Message & { id?: string }

/**
 * Where a conversation's messages are remembered between runs, apart from any one of them.
 *
 * H1  Items come back as they were added, `id` included, in the order in which they were added.
 * H2  What one `addItems` adds stays together, also when others add at the same time.
 * H3  An item whose `id` is in the session is not added again. A session that cannot promise it at least keeps `id`: a run looks before it adds.
 */
export interface Session {
  getSessionId(): Promise<string>
  /** The newest `limit` items, or all; the oldest of them first. */
  getItems(limit?: number): Promise<SessionItem[]>
  addItems(items: readonly SessionItem[]): Promise<void>
  /** Takes the newest item away. */
  popItem(): Promise<SessionItem | undefined>
  /** Forgets all items. */
  clearSession(): Promise<void>
}
