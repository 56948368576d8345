/** Where a session is kept. */
export interface Place {
  /** Facts about the session and its open questions; what became of each other message; messages; replies. */
  readonly keys: readonly [session: string, ids: string, send: string, receive: string]
  /** Where readers are told that something happened. */
  readonly channel: string
  /** Where those are told who wait for replies. */
  readonly replies: string
}

/** Where it is kept which sessions somebody reads, and where it is told that there is another. */
export interface ReaderPlace {
  readonly keys: readonly [list: string]
  readonly channel: string
}

/**
 * The keys of a session. The part in braces, without any brace of its own, decides on the slot in a Redis Cluster, so that all keys of a
 * session are in one and a script may touch them together.
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

/** The key of somebody who reads sessions. */
export function placeOfReader(prefix: string, tenant: string, reader: string): ReaderPlace {
  const tag = `{${encodeURIComponent(tenant)}:${encodeURIComponent(reader)}}`
  return { keys: [`${prefix}human_in_loop_inbox:${tag}`], channel: `${prefix}human_in_loop_inbox_bell:${tag}` }
}
