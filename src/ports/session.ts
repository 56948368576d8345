import type { Message } from '../protocol/message.ts'

/** A message in a session. Messages that a run adds have a permanent `id`, unique to the message and the run. */
export type SessionItem = Message & { id?: string }

/**
 * Remembers a conversation's messages between runs.
 *
 * H1  Items are returned as they were added, `id` included, in the order in which they were added.
 * H2  The items of one `addItems` stay together, even with concurrent writers.
 * H3  An item whose `id` is already in the session is not added again. A session that cannot guarantee this must at
 *     least keep `id`: a run checks before it adds.
 */
export interface Session {
  getSessionId(): Promise<string>
  /** The newest `limit` items, or all, oldest first. */
  getItems(limit?: number): Promise<SessionItem[]>
  addItems(items: readonly SessionItem[]): Promise<void>
  /** Removes and returns the newest item. */
  popItem(): Promise<SessionItem | undefined>
  /** Removes all items. */
  clearSession(): Promise<void>
}
