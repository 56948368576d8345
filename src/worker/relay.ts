import { after, type Clock, pause, ticks, timeBy } from '../ports/clock.ts'
import { drivingChanges, type OutboxRow } from '../ports/outbox.ts'
import type { Queue } from '../ports/queue.ts'
import { SYSTEM_TENANT } from '../ports/records.ts'
import { whenAborted } from '../ports/signals.ts'
import type { Store, ThreadSlice } from '../ports/store.ts'
import { HoldpointError, isThreadErased } from '../protocol/errors/errors.ts'
import type { WorkerListener } from './events.ts'
import { type Leader, RENEW_MS } from './leader.ts'
import { routeOfMark } from './shared/routes.ts'

/** What a relay works with. */
export interface RelayParts {
  readonly store: Store
  readonly queue: Queue
  readonly leader: Leader
  readonly clock: Clock | undefined
  readonly onEvent: WorkerListener
}

const KIND = 'cursor'
const NAME = 'workers'
/** How many rows are read at once. */
const PAGE = 200
const RETRY_MS = 1000
const STAND_BY_MS = 1000
/** How often the cursor is stored. Rows after it are relayed again by the next leader, which is harmless. */
const STORE_MS = 1000

/** From when on a date in the future shows that a clock was wrong. */
const AHEAD_MS = 60_000

/** A position of the outbox, and the version of the cursor's record from which this relay moves it. */
interface Cursor {
  position: string
  readonly version: number
  storedAt: number
  isStored: boolean
}

/**
 * Rings the queue for threads that the outbox tells of, in the order of commits. One of all workers does it.
 *
 * T1  The cursor moves only past rows whose threads were rung for, have nothing to do, or are refused by the queue. Rows may be relayed twice, never
 *     skipped. A thread that the queue would always refuse does not hold up the others.
 * T2  What to ring for is read from the thread's wake mark, not from the row: a row only says which thread to look at.
 * T3  Nothing depends on it but speed: what it does not ring for is found by the sweep.
 * T4  It rings no queue that the store rings itself.
 */
export class Relay {
  readonly #parts: RelayParts
  #cursor: Cursor | undefined

  constructor(parts: RelayParts) {
    this.#parts = parts
  }

  /** Relays until the signal fires. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { leader, clock, onEvent } = this.#parts
    while (!signal.aborted) {
      try {
        if (await leader.hold()) await this.#turn(signal)
        else await this.#standBy(signal)
      } catch (error) {
        this.#cursor = undefined
        onEvent({ type: 'error', what: 'the outbox cannot be relayed', error })
        await pause(RETRY_MS, { signal, clock })
      }
    }
    await this.#finish().catch((error: unknown) => onEvent({ type: 'error', what: 'a relay could not end', error }))
  }

  async #standBy(signal: AbortSignal): Promise<void> {
    this.#cursor = undefined
    await pause(STAND_BY_MS, { signal, clock: this.#parts.clock })
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { store, queue, clock } = this.#parts
    if (queue.isRungByStore) return pause(RENEW_MS, { signal, clock })
    this.#cursor ??= await this.#load()
    const cursor = this.#cursor
    if (!cursor) return
    const { rows, end, missed } = await store.outbox({ after: cursor.position, limit: PAGE })
    if (rows.length === 0 && !missed) {
      if (this.#storeIn(cursor) <= 0) await this.#store(cursor)
      return this.#wait(cursor, signal)
    }
    await this.#relay(rows)
    this.#cursor = { ...cursor, position: end, isStored: false }
    if (this.#storeIn(this.#cursor) <= 0) await this.#store(this.#cursor)
  }

  /** In how many milliseconds a cursor must be stored. The first one is at once: it says where relays began. */
  #storeIn({ isStored, storedAt, version }: Cursor): number {
    if (isStored) return Number.POSITIVE_INFINITY
    return version === 0 ? 0 : storedAt + STORE_MS - ticks(this.#parts.clock)
  }

  /** The first relay begins at the end: the sweep finds what was there before. */
  async #load(): Promise<Cursor | undefined> {
    const { store, clock } = this.#parts
    const found = await this.#records.readRecord(KIND, NAME)
    const { value: position, version } = found ?? { value: (await store.outbox()).end, version: 0 }
    return { position, version, storedAt: ticks(clock), isStored: found !== undefined }
  }

  /** Stores the cursor. If another relay has moved it meanwhile, this one goes on from there. */
  async #store(cursor: Cursor): Promise<void> {
    if (cursor.isStored) return
    const { position: value, version: expect } = cursor
    const { ok } = await this.#records.writeRecords([{ op: 'put', kind: KIND, id: NAME, value, expect }])
    const stored = { position: value, version: expect + 1, storedAt: ticks(this.#parts.clock), isStored: true }
    this.#cursor = ok ? stored : undefined
  }

  async #relay(rows: readonly OutboxRow[]): Promise<void> {
    const { store, onEvent } = this.#parts
    const threads = new Map(rows.filter(mayWake).map((row) => [`${row.tenantId}\0${row.threadId}`, row]))
    const rung = await Promise.all([...threads.values()].map((row) => this.#ring(row)))
    const lagMs = Math.max(0, timeBy(store.clock) - (rows[0]?.at ?? Number.POSITIVE_INFINITY))
    onEvent({ type: 'relayed', rows: rows.length, rings: rung.filter(Boolean).length, lagMs })
  }

  async #ring({ tenantId, threadId, at }: OutboxRow): Promise<boolean> {
    const { store, queue, onEvent } = this.#parts
    const slice = await readUnlessErased(store.tenant(tenantId), threadId)
    const route = slice && routeOfMark(slice.wake)
    if (!slice || slice.wake.at === null || route === undefined) return false
    const { now } = slice
    // A row of the future was written by a clock that was ahead, and so was the mark: whoever drives the thread corrects it.
    const delayMs = at > now + AHEAD_MS ? 0 : Math.max(0, slice.wake.at - now)
    try {
      await queue.ring({ tenantId, threadId, route }, { delayMs })
      return true
    } catch (error) {
      if (!isRefusal(error)) throw error
      onEvent({ type: 'error', what: `the queue refuses thread ${threadId}`, error })
      return false
    }
  }

  /** Waits for rows, and no longer than until the leadership must be renewed or the cursor stored. */
  async #wait(cursor: Cursor, signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#parts
    const done = new AbortController()
    const unlisten = whenAborted(signal, () => done.abort())
    const longest = this.#cursor ? Math.max(0, Math.min(RENEW_MS, this.#storeIn(this.#cursor))) : 0
    const cancel = after(longest, () => done.abort(), clock)
    try {
      await store.outboxChanged({ after: cursor.position, signal: done.signal })
    } finally {
      cancel()
      unlisten()
    }
  }

  async #finish(): Promise<void> {
    if (this.#cursor && this.#parts.leader.leads) await this.#store(this.#cursor)
    await this.#parts.leader.release()
  }

  get #records() {
    return this.#parts.store.tenant(SYSTEM_TENANT)
  }
}

/** The end of a thread. `undefined`: it was erased since its row was written, and nothing is left to do. */
async function readUnlessErased(store: Store, threadId: string): Promise<ThreadSlice | undefined> {
  try {
    return await store.read(threadId, { after: Number.MAX_SAFE_INTEGER })
  } catch (error) {
    if (isThreadErased(error)) return undefined
    throw error
  }
}

/** Whether ringing again for the same thread would fail again. */
function isRefusal(error: unknown): boolean {
  return HoldpointError.isInstance(error) && !error.retryable
}

/** Whether a row may tell of something to do. */
function mayWake({ subject, what }: OutboxRow): boolean {
  switch (subject) {
    case 'request':
      return drivingChanges.includes(what)
    case 'thread':
      return what === 'ready'
    case 'grant':
      return false
    default:
      return subject satisfies never
  }
}
