import { isPast } from '../../core/next.ts'
import { findOpenRequest, openRequests } from '../../core/queries.ts'
import type { AskedRequest, ThreadState } from '../../core/state.ts'
import { toInterruption } from '../../core/views/request-view.ts'
import { answerRequest, closeRequest } from '../../desk/answer/answer.ts'
import type { DeskOptions } from '../../desk/options.ts'
import { outside } from '../../ports/call-scope.ts'
import { type Channel, isUnchecked, type Presentation } from '../../ports/channel.ts'

/**
 * Shows a thread's open requests on its channel, in call order, and withdraws each when it is settled, here or elsewhere. Answers go through the
 * desk; the loop reads them from the journal.
 */
export class ChannelPresenter {
  readonly #channel: Channel
  readonly #desk: DeskOptions
  readonly #onFailure: () => void
  readonly #shown = new Map<string, { presentation: Presentation; version: number }>()
  readonly #answers = new Set<Promise<unknown>>()
  #closed = false
  #failure: { error: unknown } | undefined

  constructor(channel: Channel, desk: DeskOptions, onFailure: () => void) {
    this.#channel = channel
    this.#desk = isUnchecked(channel) ? { ...desk, unchecked: true } : desk
    this.#onFailure = onFailure
  }

  /** Brings the channel up to date with a state. Throws if the channel failed. */
  sync(state: ThreadState, now: number): void {
    this.#throwFailure()
    const open = new Set(openRequests(state).map(({ opened }) => opened.id))
    for (const [id, { presentation }] of this.#shown) {
      if (open.has(id)) continue
      this.#shown.delete(id)
      presentation.withdraw()
    }
    this.show(state, now)
    this.#throwFailure()
  }

  /** Shows open requests that have not expired, or one of them, before events announce them. Never throws: `sync` does. */
  show(state: ThreadState, now: number, id?: string): void {
    if (this.#closed) return
    try {
      for (const asked of id === undefined ? openRequests(state) : [findOpenRequest(state, id)]) {
        if (asked?.opened.run !== undefined && !isPast(asked, now)) this.#showOne(state, asked)
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  #showOne(state: ThreadState, asked: AskedRequest): void {
    const { id } = asked.opened
    const { version } = asked
    const shown = this.#shown.get(id)
    if (shown) {
      if (shown.version !== version) shown.presentation.update?.(toInterruption(state, asked))
      shown.version = version
      return
    }
    // Added to the map before it is presented, because a channel may answer at once.
    this.#shown.set(id, { presentation: { withdraw: () => undefined }, version })
    const request = toInterruption(state, asked)
    const presentation = outside(() =>
      this.#channel.present({
        request,
        submit: (answer, by) => this.#taking(answerRequest(this.#desk, { request: id, answer, by })),
        cancel: (reason, by) => this.#taking(closeRequest(this.#desk, id, { status: 'cancelled', reason, by })),
        fail: (error) => this.#fail(error),
      }),
    )
    if (this.#shown.has(id)) this.#shown.set(id, { presentation, version })
  }

  /** Settles when every answer that was handed over so far is stored or refused. */
  async drained(): Promise<void> {
    while (this.#answers.size > 0) await Promise.allSettled([...this.#answers])
  }

  async #taking(answer: Promise<unknown>): Promise<void> {
    this.#answers.add(answer)
    try {
      await answer
    } finally {
      this.#answers.delete(answer)
    }
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#onFailure()
  }

  /** Withdraws everything: nobody here waits any more. */
  close(): void {
    this.#closed = true
    for (const { presentation } of this.#shown.values()) presentation.withdraw()
    this.#shown.clear()
  }
}
