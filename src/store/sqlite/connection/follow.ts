import { parseThreadKey, threadKey } from '../../shared/thread-key.ts'
import { createWaiters } from '../../shared/waiters.ts'
import { readOutboxEnd } from '../outbox.ts'
import { readVersion } from '../read.ts'
import type { Connection, ConnectionHolder } from './connection.ts'
import { isBusy, toStoreError } from './failure.ts'

const POLL_MS = 50

/** The key of those who wait for the outbox. Keys of threads begin with a digit. */
const OUTBOX = 'outbox'

/** Wakes waiters when threads grow: at once for writes of this store, within {@link POLL_MS} for those of others. */
export interface Follower {
  /**
   * Starts waiting unless the thread is already above `after`, and returns a function that resolves when the wait is over. The check and the start of
   * the wait are one synchronous step, so no write of this store falls between them.
   */
  follow(connection: Connection, thread: FollowedThread): () => Promise<void>
  /** The same for rows of the outbox after a number. */
  followOutbox(connection: Connection, wait: { after: number; signal: AbortSignal }): () => Promise<void>
  /** This store wrote a thread. */
  wrote(tenant: string, threadId: string, version: number): void
  /** This store wrote rows of the outbox. */
  wroteOutbox(): void
  close(error: Error): void
}

/** A thread to wait for. */
interface FollowedThread {
  tenant: string
  threadId: string
  after: number
  signal: AbortSignal
}

/** A follower without waiters. The file is polled, and the process kept alive, only while it has some. */
export function createFollower(holder: ConnectionHolder): Follower {
  const waiters = createWaiters()
  let timer: NodeJS.Timeout | undefined
  let seen = -1

  /** The first poll reads all threads, so no write of others is missed meanwhile. */
  function start(): void {
    if (timer !== undefined) return
    seen = -1
    timer = setTimeout(poll, POLL_MS)
  }

  function poll(): void {
    timer = undefined
    if (waiters.idle) return
    try {
      const connection = holder.get()
      const now = dataVersion(connection)
      if (now !== seen) for (const key of waiters.keys()) waiters.wake(key, reached(connection, key))
      seen = now
    } catch (error) {
      if (!isBusy(error)) return waiters.fail(toStoreError(error, holder.path) as Error)
    }
    timer = setTimeout(poll, POLL_MS)
  }

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
  }

  function wait(key: string, options: { after: number; signal: AbortSignal }): () => Promise<void> {
    start()
    const woken = waiters.wait(key, options).finally(() => {
      if (waiters.idle) stop()
    })
    return () => woken
  }

  return {
    follow(connection, { tenant, threadId, after, signal }) {
      if (readVersion(connection, tenant, threadId) > after) return () => Promise.resolve()
      return wait(threadKey(tenant, threadId), { after, signal })
    },
    followOutbox(connection, { after, signal }) {
      if (readOutboxEnd(connection) > after) return () => Promise.resolve()
      return wait(OUTBOX, { after, signal })
    },
    wrote(tenant, threadId, version) {
      if (!waiters.idle) waiters.wake(threadKey(tenant, threadId), version)
    },
    wroteOutbox: () => waiters.wake(OUTBOX, Number.POSITIVE_INFINITY),
    close(error) {
      stop()
      waiters.fail(error)
    },
  }
}

/** The version of a thread, or the end of the outbox. */
function reached(connection: Connection, key: string): number {
  if (key === OUTBOX) return readOutboxEnd(connection)
  const { tenant, threadId } = parseThreadKey(key)
  return readVersion(connection, tenant, threadId)
}

/** A number that changes when another connection has written to the file. */
function dataVersion(connection: Connection): number {
  return connection.statement('PRAGMA data_version').get([])?.data_version as number
}
