import { parseThreadKey, threadKey } from '../../shared/thread-key.ts'
import { createWaiters } from '../../shared/waiters.ts'
import { lookAtOutbox, parsePosition } from '../outbox.ts'
import { readVersions } from '../read.ts'
import type { Connections } from './connection.ts'
import { isUnreachable, toStoreError } from './failure.ts'
import { createListener } from './listener.ts'

/** The polling interval while listening, in case a notification was lost. */
const NET_MS = 2000
/** The polling interval while not listening. */
const POLL_MS = 200
/** The polling interval while rows of the outbox wait for the end of earlier transactions, which nobody announces. */
const HELD_MS = 25

/** The keys of those who wait for the outbox begin with this, followed by their position. Keys of threads begin with a digit. */
const OUTBOX = 'outbox:'

/** Wakes waiters when threads grow: at once for writes of this store, on notification for those of others. */
export interface Follower {
  /** Settles when the thread is above `after`, or when the signal fires. */
  follow(thread: FollowedThread): Promise<void>
  /** Settles when there are rows of the outbox after a position, or when the signal fires. */
  followOutbox(wait: { after: string; signal: AbortSignal }): Promise<void>
  /** This store wrote a thread. */
  wrote(tenant: string, threadId: string, version: number): void
  /** This store wrote rows of the outbox. */
  wroteOutbox(): void
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
      const [tenant, threadId, version, hasRows] = JSON.parse(payload) as [string, string, number, number?]
      waiters.wake(threadKey(tenant, threadId), version)
      // Earlier builds do not say whether there are rows of the outbox.
      if (hasRows === 1) wakeOutbox()
      else if (hasRows === undefined && outboxKeys().length > 0) lookNow()
    } catch {
      // Not a message of holdpoint: others may use the same channel.
    }
  }

  function outboxKeys(): string[] {
    return waiters.keys().filter((key) => key.startsWith(OUTBOX))
  }

  /** There are new rows. Whoever cannot read them yet waits again, and is then woken when earlier transactions have ended. */
  function wakeOutbox(): void {
    for (const key of outboxKeys()) waiters.wake(key, 1)
  }

  function lookNow(): void {
    look().catch((error) => waiters.fail(toStoreError(error, name) as Error))
  }

  /** Polls all that have waiters; polls do not overlap. */
  async function look(): Promise<void> {
    if (looking) {
      lookAgain = true
      return
    }
    looking = true
    let held = false
    clearTimeout(timer)
    try {
      do {
        lookAgain = false
        await lookAtThreads()
        held = await lookAtPositions()
      } while (lookAgain)
    } catch (error) {
      if (!isUnreachable(error)) throw error
    } finally {
      looking = false
      const rest = listener.listening ? NET_MS : POLL_MS
      if (!waiters.idle) timer = setTimeout(lookNow, held ? HELD_MS : rest)
    }
  }

  /** All threads with one statement. */
  async function lookAtThreads(): Promise<void> {
    const keys = waiters.keys().filter((key) => !key.startsWith(OUTBOX))
    if (keys.length === 0) return
    const found = await connections.use((run) => readVersions(run, schema, keys.map(parseThreadKey)))
    for (const { tenant, threadId, version } of found) waiters.wake(threadKey(tenant, threadId), version)
  }

  /** Each position of the outbox: usually one. Returns whether some have rows that cannot be read yet. */
  async function lookAtPositions(): Promise<boolean> {
    let held = false
    for (const key of outboxKeys()) {
      const position = parsePosition(key.slice(OUTBOX.length))
      const found = await connections.use((run) => lookAtOutbox(run, schema, position))
      if (found.ready) waiters.wake(key, 1)
      else held ||= found.held
    }
    return held
  }

  function stop(): void {
    clearTimeout(timer)
    listener.rest()
  }

  function wait(key: string, options: { after: number; signal: AbortSignal }): Promise<void> {
    const woken = waiters.wait(key, options).finally(() => {
      if (waiters.idle) stop()
    })
    if (!waiters.idle) {
      listener.start()
      lookNow()
    }
    return woken
  }

  return {
    follow: ({ tenant, threadId, after, signal }) => wait(threadKey(tenant, threadId), { after, signal }),
    followOutbox: ({ after, signal }) => wait(`${OUTBOX}${after}`, { after: 0, signal }),
    wrote(tenant, threadId, version) {
      if (!waiters.idle) waiters.wake(threadKey(tenant, threadId), version)
    },
    wroteOutbox: wakeOutbox,
    async close(error) {
      stop()
      waiters.fail(error)
      await listener.close()
    },
  }
}
