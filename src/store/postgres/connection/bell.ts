import { pause } from '../../../ports/clock.ts'
import type { Connections } from './connection.ts'
import { channelOf } from './place.ts'

/**
 * Notifies other processes that threads grew, right after the commit and not within it: Postgres serialises the commits of all transactions that
 * notify, which would cost concurrent writers more than half of their throughput. Notifications within a few milliseconds are sent together, since a
 * driven run makes several appends in that time. If one is lost, because its process died or the connection broke, others find the write by polling.
 *
 * If the append wrote rows of the outbox, a worker or a person may wait for them: the notification goes out at once and takes along what was gathered,
 * unless the last ones have just gone out. It says so, and nobody looks at the outbox for the others.
 */
export interface Bell {
  ring(grown: GrownThread): void
  /** Settles when every notification was sent. */
  quiet(): Promise<void>
}

/** A thread that reached a version. */
interface GrownThread {
  tenant: string
  threadId: string
  version: number
  /** The append wrote rows of the outbox. */
  hasRows: boolean
}

/** The maximum size of a Postgres notification, with a margin. */
const LONGEST_MESSAGE = 7900

/** How long notifications are gathered. */
const GATHER_MS = 4

/** A bell without pending notifications. */
export function createBell(connections: Connections): Bell {
  let messages: string[] = []
  let ringing: Promise<void> | undefined
  let hurry = new AbortController()
  let lastAt = Number.NEGATIVE_INFINITY

  async function ringAll(): Promise<void> {
    while (messages.length > 0) {
      await pause(GATHER_MS, { signal: hurry.signal })
      const early = lastAt + GATHER_MS - performance.now()
      if (early > 0) await pause(early)
      hurry = new AbortController()
      const batch = messages
      messages = []
      lastAt = performance.now()
      await connections
        .use((run) =>
          run.kept('SELECT pg_notify($1, m) FROM unnest($2::text[]) m', [channelOf(connections.place.schema), batch]),
        )
        .catch(() => undefined)
    }
    ringing = undefined
  }

  return {
    ring({ tenant, threadId, version, hasRows }) {
      const message = JSON.stringify([tenant, threadId, version, hasRows ? 1 : 0])
      // An empty message means any thread.
      messages.push(Buffer.byteLength(message) < LONGEST_MESSAGE ? message : '')
      // With a reason, since the default one is an error with a stack trace.
      if (hasRows) hurry.abort('urgent')
      ringing ??= ringAll()
    },
    quiet: async () => ringing,
  }
}
