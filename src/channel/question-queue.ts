import type { Asked, Presentation } from '../ports/channel.ts'
import { type ListenerErrorHandler, tellListener } from '../ports/listeners.ts'
import type { Actor } from '../protocol/decision.ts'
import { HitlStaleAnswer, QuestionAmbiguous } from '../protocol/errors/errors.ts'
import { copyRequest, type HitlRequest } from '../protocol/request.ts'

interface Item {
  readonly asked: Asked
  /** The current form of the request. */
  request: HitlRequest
  /** Serialises the answers to one question: the second finds it settled. */
  turn: Promise<unknown> | undefined
}

/** The questions of a channel. The first is shown; the others wait behind it. */
export class QuestionQueue {
  readonly #items = new Set<Item>()
  readonly #listeners = new Set<(request: HitlRequest) => unknown>()
  readonly #onListenerError: ListenerErrorHandler<HitlRequest> | undefined
  #showing = false

  constructor(onListenerError: ListenerErrorHandler<HitlRequest> | undefined) {
    this.#onListenerError = onListenerError
  }

  /** The question that is shown. */
  get head(): HitlRequest | undefined {
    return this.#first?.request
  }

  get #first(): Item | undefined {
    return this.#items.values().next().value
  }

  /** Puts a question at the end. */
  add(asked: Asked): Presentation {
    const item: Item = { asked, request: asked.request, turn: undefined }
    this.#items.add(item)
    if (this.#items.size === 1) this.#show()
    return {
      withdraw: () => this.#remove(item),
      update: (request) => {
        item.request = request
      },
    }
  }

  /** Passes an answer to the asker. The question stays shown if the answer is refused. */
  answer(questionId: string, answer: unknown, by: Actor): Promise<void> {
    return this.#take(questionId, (asked) => asked.submit(answer, by))
  }

  /** Ends a question without an answer. */
  cancel(questionId: string, reason: string, by: Actor): Promise<void> {
    return this.#take(questionId, (asked) => asked.cancel(reason, by))
  }

  /** Calls the listener with each question when it is shown, and with the current one at once. */
  subscribe(listener: (request: HitlRequest) => unknown): () => void {
    this.#listeners.add(listener)
    if (this.head) this.#tell(listener, this.head)
    return () => this.#listeners.delete(listener)
  }

  async #take(questionId: string, act: (asked: Asked) => Promise<void>): Promise<void> {
    const item = this.#find(questionId)
    const take = async (): Promise<void> => {
      if (!this.#items.has(item)) throw this.#stale(questionId)
      await act(item.asked)
      this.#remove(item)
    }
    // The first answer is taken synchronously, so that later events in the same tick come too late. If the question is still being shown, it waits.
    const turn = item.turn || this.#showing ? Promise.resolve(item.turn).then(take) : take()
    item.turn = turn.catch(() => undefined)
    await turn
  }

  #remove(item: Item): void {
    const shown = this.#first === item
    this.#items.delete(item)
    if (shown) this.#show()
  }

  #show(): void {
    const { head } = this
    if (!head) return
    this.#showing = true
    // A listener that another one adds here has heard of it already.
    for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) this.#tell(listener, head)
    this.#showing = false
  }

  /** The question of this id, or of this question id if only one has it. */
  #find(questionId: string): Item {
    const items = [...this.#items]
    const byId = items.find(({ request }) => request.id === questionId)
    if (byId) return byId
    const [item, ...others] = items.filter(({ request }) => request.questionId === questionId)
    if (!item) throw this.#stale(questionId)
    if (others.length === 0) return item
    throw new QuestionAmbiguous(
      questionId,
      [item, ...others].map(({ request }) => request.id),
    )
  }

  #stale(questionId: string): HitlStaleAnswer {
    return new HitlStaleAnswer({ id: questionId, status: 'not pending', version: 0 })
  }

  #tell(listener: (request: HitlRequest) => unknown, request: HitlRequest): void {
    tellListener(listener, copyRequest(request), this.#onListenerError)
  }
}
