/**
 * The doorbell of workers: it says that a thread should be looked at. The store's wake marks are the truth, so a queue that forgets costs time and
 * never a decision.
 *
 * Q1  Each accepted ring is followed by a hand-out, unless the engine forgets it. Rings of a thread that still wait may be merged.
 * Q2  A ring while the same thread is handed out leads to another hand-out. The two may overlap.
 * Q3  Nothing is handed out before its delay. A ring without a delay waits for none that has one, and none that has one is lost to it.
 * Q4  A wake-up goes to a consumer that has its route, and to no other. If there is none, it waits.
 * Q5  If a handler rejects, or its process dies, the wake-up is handed out again.
 * Q6  After `stop` begins nothing more is handed out, and nothing that waits is lost.
 * Q7  An outage of the engine is reported by `onError`, and a consumer recovers from it by itself. `ring` never hangs.
 */
export interface Queue {
  /** Whether the store rings it in the transaction of each change, so that workers need not. Default: false. */
  readonly isRungByStore?: boolean

  /**
   * Accepts a wake-up, to be handed out once `delayMs` has passed. Rejects with `QueueFailed` if the engine cannot be reached in time, and with the
   * reason of the signal if that fires first. The wake-up may then have been accepted or not.
   */
  ring(wakeUp: WakeUp, options?: RingOptions): Promise<void>

  /**
   * Hands out wake-ups of these routes to this process. It resolves when it has begun to look for them, which may be before the engine can be
   * reached: an outage is reported to `onError`.
   */
  consume(options: ConsumeOptions): Promise<Consumer>

  /** Stops all consumers and releases connections. Later calls reject with `QueueFailed`. A second call does nothing. */
  close(): Promise<void>
}

/** A thread that should be looked at. */
export interface WakeUp {
  tenantId: string
  threadId: string
  /** Names the workers that can drive the thread: its agent and version. */
  route: string
}

/** Options of a ring. */
export interface RingOptions {
  /** Default 0. */
  delayMs?: number
  signal?: AbortSignal
}

/** Options of a consumer. */
export interface ConsumeOptions {
  routes: readonly string[]
  /** The most handlers that run at once, over all routes. */
  concurrency: number
  /** Is done with the wake-up when it resolves. If it rejects, the wake-up is handed out again after a while. */
  handle(wakeUp: WakeUp): Promise<void>
  /** Is told of outages and of handlers that reject. What it throws is ignored. */
  onError(error: unknown): void
}

/** Takes wake-ups until it is stopped. */
export interface Consumer {
  /** Hands out nothing more, and resolves when all handlers have ended. A second call waits for the same. */
  stop(): Promise<void>
}
