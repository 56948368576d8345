import { parseThreadKey, threadKey } from '../shared/thread-key.ts'
import { createWaiters } from '../shared/waiters.ts'
import type { Connection, ConnectionHolder } from './connection.ts'
import { isBusy, toStoreError } from './failure.ts'
import { readVersion } from './read.ts'

const POLL_MS = 50

/** Wakes waiters when threads grow: at once for writes of this store, within {@link POLL_MS} for those of others. */
export interface Follower {
  /**
   * Starts waiting unless the thread is already above `after`, and returns a function that resolves when the wait is over. The check and the start of
   * the wait are one synchronous step, so no write of this store falls between them.
   */
  follow(connection: Connection, thread: FollowedThread): () => Promise<void>
  /** This store wrote a thread. */
  wrote(tenant: string, threadId: string, version: number): void
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
      if (now !== seen) for (const key of waiters.keys()) look(connection, key)
      seen = now
    } catch (error) {
      if (!isBusy(error)) return waiters.fail(toStoreError(error, holder.path) as Error)
    }
    timer = setTimeout(poll, POLL_MS)
  }

  function look(connection: Connection, key: string): void {
    const { tenant, threadId } = parseThreadKey(key)
    waiters.wake(key, readVersion(connection, tenant, threadId))
  }

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
  }

  return {
    follow(connection, { tenant, threadId, after, signal }) {
      if (readVersion(connection, tenant, threadId) > after) return () => Promise.resolve()
      start()
      const woken = waiters.wait(threadKey(tenant, threadId), { after, signal }).finally(() => {
        if (waiters.idle) stop()
      })
      return () => woken
    },
    wrote(tenant, threadId, version) {
      if (!waiters.idle) waiters.wake(threadKey(tenant, threadId), version)
    },
    close(error) {
      stop()
      waiters.fail(error)
    },
  }
}

/** A number that changes when another connection has written to the file. */
function dataVersion(connection: Connection): number {
  return connection.statement('PRAGMA data_version').get([])?.data_version as number
}
