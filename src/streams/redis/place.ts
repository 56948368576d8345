/** The keys and channels of a session. */
export interface Place {
  /** The session and its open questions; the state of all other messages; messages; replies. */
  readonly keys: readonly [session: string, ids: string, send: string, receive: string]
  /** The channel that announces changes to readers. */
  readonly channel: string
  /** The channel that announces replies to waiters. */
  readonly replies: string
}

/** The key that lists a reader's sessions, and the channel that announces new ones. */
export interface ReaderPlace {
  readonly keys: readonly [list: string]
  readonly channel: string
}

/**
 * The keys of a session. The part in braces, in which braces are escaped, determines the slot in a Redis Cluster. So all keys of a session are in
 * one slot, and one script may use them together.
 */
export function placeOf(prefix: string, tenant: string, session: string): Place {
  const tag = `{${encodeURIComponent(tenant)}:${encodeURIComponent(session)}}`
  return {
    keys: [
      `${prefix}human_in_loop_session:${tag}`,
      `${prefix}human_in_loop_msg_ids:${tag}`,
      `${prefix}human_in_loop_send_stream:${tag}`,
      `${prefix}human_in_loop_recv_stream:${tag}`,
    ],
    channel: `${prefix}human_in_loop_bell:${tag}`,
    replies: `${prefix}human_in_loop_reply_bell:${tag}`,
  }
}

/** The key and channel of a reader. */
export function placeOfReader(prefix: string, tenant: string, reader: string): ReaderPlace {
  const tag = `{${encodeURIComponent(tenant)}:${encodeURIComponent(reader)}}`
  return { keys: [`${prefix}human_in_loop_inbox:${tag}`], channel: `${prefix}human_in_loop_inbox_bell:${tag}` }
}
