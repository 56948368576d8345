import type { Streams } from '../ports/streams.ts'
import { HilMsgStreamMissingError, InputInvalid } from '../protocol/errors.ts'
import { checkOptions } from './content.ts'

/** How sessions are opened. */
export interface StreamContextOptions {
  streams: Streams
  /** Who alone may read and answer them, as the gateway knows that person. */
  owner: string
  /** When they end after this process died. Default 3600. */
  expireSeconds?: number
}

/**
 * Sessions that are open as long as this is: `await using lines = await HilMessageStreamContext.open(id, { streams, owner })`.
 * Their expiry is put off all the time, so that a long task never loses them, and a client that polls after the end learns that they are gone.
 */
export class HilMessageStreamContext implements AsyncDisposable {
  readonly sessions: readonly string[]
  readonly #streams: Streams
  readonly #expireSeconds: number
  /** `unclosed`: closing failed and may be tried again; the expiry is not put off any more. */
  #state: 'open' | 'closing' | 'unclosed' | 'closed' = 'open'
  #timer: NodeJS.Timeout | undefined

  private constructor(sessions: readonly string[], { streams, expireSeconds }: Opened) {
    this.sessions = sessions
    this.#streams = streams
    this.#expireSeconds = expireSeconds
    this.#refreshAfter(this.#expireSeconds / 3)
  }

  /** Opens one session or several: all of them or, if one is open already (`HilStreamExists`) or cannot be opened, none. */
  static async open(
    sessions: string | readonly string[],
    options: StreamContextOptions,
  ): Promise<HilMessageStreamContext> {
    checkOptions('HilMessageStreamContext.open', options, ['streams', 'owner', 'expireSeconds'])
    const { streams, owner, expireSeconds = 3600 } = options
    const ids = typeof sessions === 'string' ? [sessions] : [...sessions]
    if (ids.length === 0) throw new InputInvalid('HilMessageStreamContext.open needs at least one session id.')
    const opened: string[] = []
    try {
      for (const id of ids) {
        await streams.open(id, { owner, expireSeconds })
        opened.push(id)
      }
    } catch (error) {
      // One that cannot be closed now expires by itself; what went wrong first is what matters.
      await Promise.allSettled(opened.map((id) => streams.close(id)))
      throw error
    }
    return new HilMessageStreamContext(ids, { streams, expireSeconds })
  }

  /** Ends the sessions. Throws `HilMsgStreamMissingError` if that was done before. */
  async close(): Promise<void> {
    if (this.#state === 'closing' || this.#state === 'closed')
      throw new HilMsgStreamMissingError(this.sessions.join(', '))
    this.#state = 'closing'
    clearTimeout(this.#timer)
    const outcomes = await Promise.allSettled(this.sessions.map((id) => this.#streams.close(id)))
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    this.#state = failed ? 'unclosed' : 'closed'
    if (failed) throw failed.reason
  }

  /** Ends the sessions unless that was done before. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state === 'open' || this.#state === 'unclosed') await this.close()
  }

  /** The timer does not keep the process alive: a process that has nothing else to do has nobody to wait for either. */
  #refreshAfter(seconds: number): void {
    this.#timer = setTimeout(() => this.#refresh(), Math.min(seconds * 1000, LONGEST_MS)).unref()
  }

  /** Whether a session is gone is told to whoever uses it next, so there is nobody to tell it here. */
  async #refresh(): Promise<void> {
    const expireSeconds = this.#expireSeconds
    const outcomes = await Promise.allSettled(this.sessions.map((id) => this.#streams.extend(id, { expireSeconds })))
    if (this.#state !== 'open') return
    const failed = outcomes.some((outcome) => outcome.status === 'rejected')
    this.#refreshAfter(failed ? Math.min(expireSeconds / 20, 5) : expireSeconds / 3)
  }
}

interface Opened {
  streams: Streams
  expireSeconds: number
}

const LONGEST_MS = 2 ** 31 - 1
