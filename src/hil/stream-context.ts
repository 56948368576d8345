import type { Streams } from '../ports/streams.ts'
import { HilMsgStreamMissingError, HilStreamTakenOver, InputInvalid } from '../protocol/errors/errors.ts'
import { retraction } from '../protocol/hil/hil-message.ts'
import { checkOptions } from './content.ts'

/** How sessions are opened. */
export interface StreamContextOptions {
  streams: Streams
  /** The only person who may read and answer them: the `sub` that the gateway knows. */
  owner: string
  /** How long they outlive this process if it dies. Default 3600. */
  expireSeconds?: number
  /**
   * Takes over sessions of the same owner that are already open, for a process whose predecessor died. Questions of agents and remote tools stay open.
   * Questions of a bare `interrupt()` are retracted, because nobody waits for them. If the predecessor is still alive, its `signal` fires, its
   * interrupts are cancelled, and it can no longer close the sessions. Default `false`.
   */
  takeOver?: boolean
}

/**
 * Sessions that stay open as long as this object: `await using lines = await HilMessageStreamContext.open(id, { streams, owner })`.
 * They are extended regularly, so that a long task never loses them. A client that polls after the end learns that they are gone.
 */
export class HilMessageStreamContext implements AsyncDisposable {
  readonly sessions: readonly string[]
  readonly #streams: Streams
  readonly #expireSeconds: number
  readonly #holders: ReadonlyMap<string, string>
  readonly #lost = new AbortController()
  /** `unclosed`: closing failed and may be retried; the sessions are no longer extended. */
  #state: 'open' | 'closing' | 'unclosed' | 'closed' = 'open'
  #timer: NodeJS.Timeout | undefined

  private constructor(holders: ReadonlyMap<string, string>, { streams, expireSeconds }: Opened) {
    this.sessions = [...holders.keys()]
    this.#holders = holders
    this.#streams = streams
    this.#expireSeconds = expireSeconds
    this.#refreshAfter(Math.min(this.#expireSeconds / 3, LONGEST_REFRESH))
  }

  /** Fires within a minute after a session was taken over (`HilStreamTakenOver`) or is gone (`HilMsgStreamMissingError`). */
  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /** Opens one or several sessions, all or none. Throws `HilStreamExists` if one is already open. */
  static async open(
    sessions: string | readonly string[],
    options: StreamContextOptions,
  ): Promise<HilMessageStreamContext> {
    checkOptions('HilMessageStreamContext.open', options, ['streams', 'owner', 'expireSeconds', 'takeOver'])
    const { streams, owner, expireSeconds = 3600, takeOver = false } = options
    const ids = typeof sessions === 'string' ? [sessions] : [...sessions]
    if (ids.length === 0) throw new InputInvalid('HilMessageStreamContext.open needs at least one session id.')
    const opened = new Map<string, string>()
    try {
      for (const id of ids) {
        opened.set(id, await streams.open(id, { owner, expireSeconds, takeOver: takeOver && !opened.has(id) }))
        if (takeOver) await retractAbandoned(streams, id)
      }
    } catch (error) {
      // A session that cannot be closed expires. A session that was taken over may hold questions of others and stays open.
      if (!takeOver) await Promise.allSettled([...opened.keys()].map((id) => streams.close(id)))
      throw error
    }
    return new HilMessageStreamContext(opened, { streams, expireSeconds })
  }

  /** Closes the sessions. Throws `HilMsgStreamMissingError` if they are already closed. */
  async close(): Promise<void> {
    if (this.#state === 'closing' || this.#state === 'closed')
      throw new HilMsgStreamMissingError(this.sessions.join(', '))
    this.#state = 'closing'
    clearTimeout(this.#timer)
    const closing = [...this.#holders].map(([id, holder]) => this.#streams.close(id, { holder }))
    const outcomes = await Promise.allSettled(closing)
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    this.#state = failed ? 'unclosed' : 'closed'
    if (failed) throw failed.reason
  }

  /** Closes the sessions unless they are already closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state === 'open' || this.#state === 'unclosed') await this.close()
  }

  /** The timer does not keep the process alive. */
  #refreshAfter(seconds: number): void {
    this.#timer = setTimeout(() => this.#refresh(), Math.min(seconds * 1000, LONGEST_MS)).unref()
  }

  async #refresh(): Promise<void> {
    const expireSeconds = this.#expireSeconds
    const extending = [...this.#holders].map(async ([id, holder]) => {
      if (await this.#streams.extend(id, { expireSeconds, holder })) return
      const found = await this.#streams.describe(id)
      if (this.#state === 'open')
        this.#lost.abort(found ? new HilStreamTakenOver(id) : new HilMsgStreamMissingError(id))
    })
    const outcomes = await Promise.allSettled(extending)
    if (this.#state !== 'open') return
    const failed = outcomes.some((outcome) => outcome.status === 'rejected')
    this.#refreshAfter(failed ? Math.min(expireSeconds / 20, 5) : Math.min(expireSeconds / 3, LONGEST_REFRESH))
  }
}

/** Retracts questions whose answers only the process that asked could use. */
async function retractAbandoned(streams: Streams, session: string): Promise<void> {
  const read = await streams.pending(session)
  for (const each of read.kind === 'messages' ? read.messages : []) {
    if (!('message' in each) || each.message.msg_type !== 'HIL_interrupt_request') continue
    const { msg_id: messageId, content, meta } = each.message
    if (!meta?.transient) continue
    const notice = retraction({ messageId, content, reviewers: meta.reviewers }, 'abandoned')
    await streams.retract(session, messageId, { notice })
  }
}

interface Opened {
  streams: Streams
  expireSeconds: number
}

const LONGEST_MS = 2 ** 31 - 1
/** In seconds. A takeover is noticed within this time. */
const LONGEST_REFRESH = 60
