import type { Streams } from '../../src/ports/streams.ts'
import { note } from '../../src/testing/streams-suite/tools.ts'

/**
 * Waits until a wait that was just begun has looked once: a failure of its first look is the caller's. A later command is answered after it, since
 * both go over one connection.
 */
export async function hasLooked(streams: Streams, session: string): Promise<void> {
  await streams.send(session, note('later'))
}
