import { parseThreadKey, threadKey } from '../../shared/thread-key.ts'
import { createWaiters } from '../../shared/waiters.ts'
import { isUnreachable, toStoreError } from '../failure.ts'
import { readVersions } from '../read.ts'
import type { Connections } from './connection.ts'
import { createListener } from './listener.ts'

/** The polling interval while listening, in case a notification was lost. */
const NET_MS = 2000
/** The polling interval while not listening. */
const POLL_MS = 200

/** Wakes waiters when threads grow: at once for writes of this store, on notification for those of others. */
export interface Follower {
  /** Settles when the thread is above `after`, or when the signal fires. */
  follow(thread: FollowedThread): Promise<void>
  /** This store wrote a thread. */
  wrote(tenant: string, threadId: string, version: number): void
  close(error: Error): Promise<void>
}

/** A thread to wait for. */
interface FollowedThread {
  tenant: string
  threadId: string
  after: number
  signal: AbortSignal
}

/** A follower without waiters. It keeps the process alive only while it has some. */
export function createFollower(connections: Connections): Follower {
  const waiters = createWaiters()
  const { name, schema } = connections.place
  const listener = createListener({ connections, onReady: () => lookNow(), onMessage: hear })
  let timer: NodeJS.Timeout | undefined
  let looking = false
  let lookAgain = false

  function hear(payload: string): void {
    if (waiters.idle) return
    // A thread whose name is too long for a message is announced with an empty one.
    if (payload === '') return lookNow()
    try {
      const [tenant, threadId, version] = JSON.parse(payload) as [string, string, number]
      waiters.wake(threadKey(tenant, threadId), version)
    } catch {
      // Not a message of holdpoint: others may use the same channel.
    }
  }

  function lookNow(): void {
    look().catch((error) => waiters.fail(toStoreError(error, name) as Error))
  }

  /** Polls all threads that have waiters, with one statement; polls do not overlap. */
  async function look(): Promise<void> {
    if (looking) {
      lookAgain = true
      return
    }
    looking = true
    clearTimeout(timer)
    try {
      do {
        lookAgain = false
        const threads = waiters.keys().map(parseThreadKey)
        if (threads.length === 0) return
        const found = await connections.use((run) => readVersions(run, schema, threads))
        for (const { tenant, threadId, version } of found) waiters.wake(threadKey(tenant, threadId), version)
      } while (lookAgain)
    } catch (error) {
      if (!isUnreachable(error)) throw error
    } finally {
      looking = false
      if (!waiters.idle) timer = setTimeout(lookNow, listener.listening ? NET_MS : POLL_MS)
    }
  }

  function stop(): void {
    clearTimeout(timer)
    listener.rest()
  }

  return {
    follow({ tenant, threadId, after, signal }) {
      const woken = waiters.wait(threadKey(tenant, threadId), { after, signal }).finally(() => {
        if (waiters.idle) stop()
      })
      if (!waiters.idle) {
        listener.start()
        lookNow()
      }
      return woken
    },
    wrote(tenant, threadId, version) {
      if (!waiters.idle) waiters.wake(threadKey(tenant, threadId), version)
    },
    async close(error) {
      stop()
      waiters.fail(error)
      await listener.close()
    },
  }
}
