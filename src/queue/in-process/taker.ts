import type { ConsumeOptions, Consumer } from '../../ports/queue.ts'
import { checkConsume } from '../shared/check.ts'
import { tell } from '../shared/tell.ts'
import type { Waiting } from './waiting.ts'

/** What a taker needs from its queue. */
export interface TakerSource {
  /** Removes the wake-up that has waited longest on a route. */
  take(route: string): Waiting | undefined
  /** Takes back a wake-up whose handler rejected. */
  takeBack(waiting: Waiting): void
  forget(taker: Taker): void
}

/** A consumer of the queue: it takes wake-ups while it has room. */
export class Taker implements Consumer {
  readonly #source: TakerSource
  readonly #options: ConsumeOptions
  readonly #running = new Set<Promise<void>>()
  /** The route that was served last is at the end. */
  #routes: string[]
  #stopped = false

  constructor(source: TakerSource, options: ConsumeOptions) {
    this.#source = source
    this.#options = options
    this.#routes = checkConsume(options)
  }

  /** Takes what it has room for. */
  fill(): void {
    while (!this.#stopped && this.#running.size < this.#options.concurrency) {
      const next = this.#take()
      if (!next) return
      const handling = this.#handle(next).finally(() => {
        this.#running.delete(handling)
        this.fill()
      })
      this.#running.add(handling)
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#source.forget(this)
    await Promise.all(this.#running)
  }

  #take(): Waiting | undefined {
    for (const route of this.#routes) {
      const next = this.#source.take(route)
      if (!next) continue
      this.#routes = [...this.#routes.filter((other) => other !== route), route]
      return next
    }
    return undefined
  }

  async #handle(waiting: Waiting): Promise<void> {
    try {
      // A ring must not run a handler inside of itself.
      await Promise.resolve()
      await this.#options.handle({ ...waiting.wakeUp })
    } catch (error) {
      this.#source.takeBack(waiting)
      tell(this.#options.onError, error)
    }
  }
}
