/** Where a session is kept. */
export interface Place {
  /** Facts about the session and its open questions; what became of each other message; messages; replies. */
  readonly keys: readonly [session: string, ids: string, send: string, receive: string]
  /** Where it is told that something happened. */
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
  }
}
