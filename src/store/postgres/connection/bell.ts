import { sleep } from '../../../ports/clock.ts'
import type { Connections } from './connection.ts'
import { channelOf } from './place.ts'

/**
 * Tells other processes that threads grew, right after the commit and not within it: transactions that notify commit one after the other
 * in the whole database, which would cost more than half of the appends that many writers make together. Bells that are rung within a few
 * milliseconds of one another go out together: a run that is being driven makes several appends in that time. Who misses one, because its ringer died or the connection broke, finds out by looking.
 */
export interface Bell {
  ring(tenant: string, threadId: string, version: number): void
  /** Settles when every notification was sent. */
  quiet(): Promise<void>
}

/** What a message of Postgres can hold, with room to spare. */
const LONGEST_MESSAGE = 7900

/** How long a bell waits for others. */
const GATHER_MS = 4

/** A bell without pending notifications. */
export function createBell(connections: Connections): Bell {
  let messages: string[] = []
  let ringing: Promise<void> | undefined

  async function ringAll(): Promise<void> {
    while (messages.length > 0) {
      await sleep(GATHER_MS)
      const batch = messages
      messages = []
      await connections
        .use((run) =>
          run.kept('SELECT pg_notify($1, m) FROM unnest($2::text[]) m', [channelOf(connections.place.schema), batch]),
        )
        .catch(() => undefined)
    }
    ringing = undefined
  }

  return {
    ring(tenant, threadId, version) {
      const message = JSON.stringify([tenant, threadId, version])
      // Without a name it is about any thread.
      messages.push(Buffer.byteLength(message) < LONGEST_MESSAGE ? message : '')
      ringing ??= ringAll()
    },
    quiet: async () => ringing,
  }
}
