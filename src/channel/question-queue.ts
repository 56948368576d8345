import type { Asked, Presentation } from '../ports/channel.ts'
import type { Actor } from '../protocol/decision.ts'
import { HitlStaleAnswer } from '../protocol/errors.ts'
import { copyRequest, type HitlRequest } from '../protocol/request.ts'

interface Item {
  readonly asked: Asked
  /** As it is now. */
  request: HitlRequest
  /** Answers to one question are taken one after the other: the second finds it settled. */
  turn: Promise<unknown> | undefined
}

/** The questions of a channel: the first is shown, the others wait behind it. */
export class QuestionQueue {
  #items: Item[] = []
  readonly #listeners = new Set<(request: HitlRequest) => unknown>()
  #showing = false

  /** The question that is shown. */
  get head(): HitlRequest | undefined {
    return this.#items[0]?.request
  }

  /** Puts a question at the end. */
  add(asked: Asked): Presentation {
    const item: Item = { asked, request: asked.request, turn: undefined }
    this.#items.push(item)
    if (this.#items.length === 1) this.#show()
    return {
      withdraw: () => this.#remove(item),
      update: (request) => {
        item.request = request
      },
    }
  }

  /** Hands an answer to whoever asked. It stays shown if that is refused. */
  answer(questionId: string, answer: unknown, by: Actor): Promise<void> {
    return this.#take(questionId, (asked) => asked.submit(answer, by))
  }

  /** Ends a question without an answer. */
  cancel(questionId: string, reason: string, by: Actor): Promise<void> {
    return this.#take(questionId, (asked) => asked.cancel(reason, by))
  }

  /** Tells each question as it is shown, the current one at once. */
  subscribe(listener: (request: HitlRequest) => unknown): () => void {
    this.#listeners.add(listener)
    if (this.head) tell(listener, this.head)
    return () => this.#listeners.delete(listener)
  }

  async #take(questionId: string, act: (asked: Asked) => Promise<void>): Promise<void> {
    const item = this.#items[0]
    if (!item || !names(item, questionId)) throw this.#stale(questionId)
    const take = async (): Promise<void> => {
      if (!this.#items.includes(item)) throw this.#stale(questionId)
      await act(item.asked)
      this.#remove(item)
    }
    // The first is handed on at once: what happens later in the same tick comes too late. Unless its question is only just being shown.
    const turn = item.turn || this.#showing ? Promise.resolve(item.turn).then(take) : take()
    item.turn = turn.catch(() => undefined)
    await turn
  }

  #remove(item: Item): void {
    const shown = this.#items[0] === item
    this.#items = this.#items.filter((other) => other !== item)
    if (shown && this.#items.length > 0) this.#show()
  }

  #show(): void {
    const { head } = this
    if (!head) return
    this.#showing = true
    for (const listener of this.#listeners) tell(listener, head)
    this.#showing = false
  }

  #stale(questionId: string): HitlStaleAnswer {
    return new HitlStaleAnswer({
      id: questionId,
      status: this.head ? 'not the question that is shown' : 'not pending',
      version: 0,
    })
  }
}

function names({ request }: Item, questionId: string): boolean {
  return request.questionId === questionId || request.id === questionId
}

/** A listener that throws harms nobody: not the run, not the other listeners. */
function tell(listener: (request: HitlRequest) => unknown, request: HitlRequest): void {
  try {
    const returned = listener(copyRequest(request))
    if (returned instanceof Promise) returned.catch(() => undefined)
  } catch {
    // Its own business.
  }
}
