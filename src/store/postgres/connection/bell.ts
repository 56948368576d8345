import { sleep } from '../../../ports/clock.ts'
import type { Connections } from './connection.ts'
import { channelOf } from './place.ts'

/**
 * Notifies other processes that threads grew, right after the commit and not within it: Postgres serialises the commits of all transactions that
 * notify, which would cost concurrent writers more than half of their throughput. Notifications within a few milliseconds are sent together, since a
 * driven run makes several appends in that time. If one is lost, because its process died or the connection broke, others find the write by polling.
 */
export interface Bell {
  ring(tenant: string, threadId: string, version: number): void
  /** Settles when every notification was sent. */
  quiet(): Promise<void>
}

/** The maximum size of a Postgres notification, with a margin. */
const LONGEST_MESSAGE = 7900

/** How long notifications are gathered. */
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
      // An empty message means any thread.
      messages.push(Buffer.byteLength(message) < LONGEST_MESSAGE ? message : '')
      ringing ??= ringAll()
    },
    quiet: async () => ringing,
  }
}
