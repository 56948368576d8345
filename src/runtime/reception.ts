import { toInterruption } from '../core/request-view.ts'
import { openRequests, type ThreadState } from '../core/state.ts'
import { answerRequest, closeRequest } from '../desk/answer.ts'
import type { DeskOptions } from '../desk/decide.ts'
import type { Channel, Presentation } from '../ports/channel.ts'

/**
 * Shows a thread's open requests on its channel, in call order, and takes each away when it is settled, by whomever. An answer goes through
 * the desk; the loop learns of it from the journal, like everybody else.
 */
export class Reception {
  readonly #channel: Channel
  readonly #desk: DeskOptions
  readonly #onFailure: () => void
  readonly #shown = new Map<string, { presentation: Presentation; version: number }>()
  #failure: { error: unknown } | undefined

  constructor(channel: Channel, desk: DeskOptions, onFailure: () => void) {
    this.#channel = channel
    this.#desk = desk
    this.#onFailure = onFailure
  }

  /** Brings the channel up to date with a state. Throws what the channel failed with. */
  sync(state: ThreadState): void {
    if (this.#failure) throw this.#failure.error
    const open = openRequests(state).filter(({ opened }) => opened.run !== undefined)
    const ids = new Set(open.map(({ opened }) => opened.id))
    for (const [id, { presentation }] of this.#shown) {
      if (ids.has(id)) continue
      this.#shown.delete(id)
      presentation.withdraw()
    }
    for (const asked of open) {
      const { id } = asked.opened
      const { version } = asked
      const shown = this.#shown.get(id)
      if (shown) {
        if (shown.version !== version) shown.presentation.update?.(toInterruption(state, asked))
        shown.version = version
        continue
      }
      // In the map before it is presented: a channel may answer at once.
      this.#shown.set(id, { presentation: { withdraw: () => undefined }, version })
      const presentation = this.#channel.present({
        request: toInterruption(state, asked),
        submit: async (answer, by) => {
          await answerRequest(this.#desk, {
            request: id,
            answer,
            by,
            ...(this.#channel.unchecked ? { unchecked: true } : {}),
          })
        },
        cancel: async (reason, by) => {
          await closeRequest(this.#desk, id, { status: 'cancelled', reason, by })
        },
        fail: (error) => {
          this.#failure ??= { error }
          this.#onFailure()
        },
      })
      if (this.#shown.has(id)) this.#shown.set(id, { presentation, version })
    }
  }

  /** Takes everything away: nobody here waits any more. */
  close(): void {
    for (const { presentation } of this.#shown.values()) presentation.withdraw()
    this.#shown.clear()
  }
}
