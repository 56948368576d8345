import { type Clock, pause } from '../ports/clock.ts'
import { SYSTEM_TENANT } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import type { WorkerListener } from './events.ts'
import { ALIVE_MS, aliveRecord, goneRecord, usedRecord } from './shared/live-workers.ts'

/** Who is present. */
interface PresenceParts {
  readonly store: Store
  readonly id: string
  readonly routes: readonly string[]
  readonly clock: Clock | undefined
  readonly onEvent: WorkerListener
}

/** Says in the store that a worker is alive and what it can drive, so that others know which versions are served. */
export class Presence {
  readonly #parts: PresenceParts
  #since = 0

  constructor(parts: PresenceParts) {
    this.#parts = parts
  }

  /** Says it for the first time. Rejects if the store fails. */
  async announce(): Promise<void> {
    this.#since = (await this.#parts.store.ready({ limit: 1 })).now
    await this.#records.writeRecords([usedRecord])
    await this.#say()
  }

  /** Says it again and again until the signal fires, and then that the worker is gone. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, onEvent, id } = this.#parts
    for (;;) {
      await pause(ALIVE_MS / 3, { signal, clock })
      try {
        if (!signal.aborted) await this.#say()
        else return void (await this.#records.writeRecords([goneRecord(id)]))
      } catch (error) {
        onEvent({ type: 'error', what: 'the worker could not say that it is alive', error })
        if (signal.aborted) return
      }
    }
  }

  async #say(): Promise<void> {
    const { id, routes } = this.#parts
    await this.#records.writeRecords([aliveRecord({ id, routes, since: this.#since })])
  }

  get #records() {
    return this.#parts.store.tenant(SYSTEM_TENANT)
  }
}
