import type { LiveEvent } from '../../protocol/api/records.ts'
import { isGone } from './errors.ts'
import { Watchers } from './watchers.ts'

/** Something that is loaded. What was loaded before stays readable while it is loaded again, and after a failure, unless it is gone. */
export type Loaded<T> =
  | { state: 'loading'; data?: undefined; error?: undefined }
  | { state: 'ready'; data: T; error?: undefined }
  | { state: 'failed'; data?: T; error: unknown }

/** The state before anything was loaded, also on a server that renders the page. */
export const LOADING: Loaded<never> = { state: 'loading' }

/** Events that arrive together are answered with one load. */
export const GATHER_MS = 100

/**
 * One thing on the server, loaded when it is first watched and again when an event concerns it. Loads never overlap, so that an older answer never
 * replaces a newer one.
 */
export class Resource<T> {
  readonly #load: () => Promise<T>
  readonly #concerns: (event: LiveEvent) => boolean
  readonly #watchers = new Watchers()
  #snapshot: Loaded<T> = LOADING
  #loading: Promise<void> | undefined
  #again = false
  #stale = true
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(load: () => Promise<T>, concerns: (event: LiveEvent) => boolean = () => false) {
    this.#load = load
    this.#concerns = concerns
  }

  get snapshot(): Loaded<T> {
    return this.#snapshot
  }

  get watched(): boolean {
    return this.#watchers.any
  }

  /** Calls the listener at each change until it is unsubscribed. The first watcher starts the loading. */
  readonly watch = (listener: () => void): (() => void) => {
    const unwatch = this.#watchers.add(listener)
    if (this.#stale) void this.refresh()
    return unwatch
  }

  /** Loads it again. A load that is under way is followed by another, because it may have begun too early. */
  refresh(): Promise<void> {
    if (this.#loading !== undefined) {
      this.#again = true
      return this.#loading
    }
    this.#loading = this.#run().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  /** Puts a newer value in place, such as the answer to a write. */
  set(data: T): void {
    this.#show({ state: 'ready', data })
  }

  /** An event arrived. What nobody watches is forgotten instead of loaded: it would be out of date when it is opened. */
  tell(event: LiveEvent): void {
    if (!this.#concerns(event) && event.type !== 'reset') return
    if (this.watched) this.#timer ??= setTimeout(() => this.#gathered(), GATHER_MS)
    else this.forget()
  }

  /** The connection is back: what failed to load is tried again. */
  recover(): void {
    if (this.watched && this.#snapshot.state === 'failed') void this.refresh()
  }

  /** Ends what is under way. */
  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #gathered(): void {
    this.#timer = undefined
    void this.refresh()
  }

  /** Forgets what was loaded. */
  forget(): void {
    this.#stale = true
    this.#show(LOADING)
  }

  async #run(): Promise<void> {
    this.#stale = false
    do {
      this.#again = false
      try {
        this.#show({ state: 'ready', data: await this.#load() })
      } catch (error) {
        const data = isGone(error) ? undefined : this.#snapshot.data
        this.#show(data === undefined ? { state: 'failed', error } : { state: 'failed', error, data })
        // The next watcher tries again.
        this.#stale = true
      }
    } while (this.#again)
  }

  #show(snapshot: Loaded<T>): void {
    this.#snapshot = snapshot
    this.#watchers.tell()
  }
}
