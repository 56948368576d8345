import type * as Bullmq from 'bullmq'
import type { WakeUp } from '../../ports/queue.ts'
import { dueAt, ringKey } from '../shared/names.ts'
import type { Connections } from './connection.ts'
import type { Keys } from './keys.ts'

/** A handler may fail as often as it likes: the store decides when a thread is given up. */
const ATTEMPTS = 1_000_000_000

/** The BullMQ queues that rings go to, one for each route. */
export class Rings {
  readonly #connections: Connections
  readonly #keys: Keys
  readonly #queues = new Map<string, Bullmq.Queue>()

  constructor(connections: Connections, keys: Keys) {
    this.#connections = connections
    this.#keys = keys
  }

  async add(wakeUp: WakeUp, delayMs: number): Promise<void> {
    const now = Date.now()
    const at = dueAt(delayMs, now)
    await this.#queueOf(wakeUp.route).add('wake', wakeUp, {
      // A job that is active or waits for another attempt must not swallow a ring, which it would if it had the id of the thread.
      deduplication: { id: ringKey(wakeUp, at), keepLastIfActive: true, reschedule: true },
      ...(at === undefined ? {} : { delay: at - now, timestamp: now }),
      attempts: ATTEMPTS,
      backoff: { type: 'custom' },
      removeOnComplete: true,
      removeOnFail: true,
    })
  }

  /** A queue of BullMQ that failed while it connected stays broken, so the next ring makes a new one. */
  forget(route: string): void {
    this.#queues.delete(this.#keys.nameOf(route))
  }

  #queueOf(route: string): Bullmq.Queue {
    const name = this.#keys.nameOf(route)
    const known = this.#queues.get(name)
    if (known) return known
    const queue = new this.#connections.bullmq.Queue(name, {
      connection: this.#connections.ringing,
      prefix: this.#keys.prefix,
      streams: { events: { maxLen: 100 } },
    })
    // Rings that fail reject.
    queue.on('error', () => undefined)
    this.#queues.set(name, queue)
    return queue
  }
}
