import type { HitlRequest } from '../../protocol/request.ts'

/** A request as it was shown. */
export type ShownRequest = Pick<HitlRequest, 'id' | 'version'>

/**
 * What an object has shown of what is open, so that answers which name no request are for that and for nothing that opened since.
 *
 * The first result counts as shown when it is handed out. Once such an answer was given, only looking again shows something new: the same answer
 * may come twice, and its second coming must not reach the next question.
 */
export class Shown {
  #requests: readonly ShownRequest[] | undefined
  #used = false
  #answered = false
  /** Everything that was shown. */
  readonly #seen = new Set<string>()

  /** Somebody looks at what is open. */
  look(requests: readonly ShownRequest[]): void {
    this.#list(requests)
    this.#used = false
    for (const { id } of requests) this.#seen.add(id)
  }

  /** A result is handed out. */
  hand(requests: readonly ShownRequest[]): void {
    if (!this.#used) this.#list(requests)
    if (!this.#used && !this.#answered) for (const { id } of requests) this.#seen.add(id)
  }

  /** These were answered by name: nobody means them without one. */
  answered(ids: readonly string[]): void {
    this.#answered = true
    if (!this.#used) this.#requests = this.#requests?.filter(({ id }) => !ids.includes(id))
  }

  /** An answer without names was given for what was shown. */
  use(requests: readonly ShownRequest[]): void {
    this.#requests = requests
    this.#used = true
  }

  /** New input begins something new. */
  forget(): void {
    this.#requests = undefined
    this.#used = false
  }

  /** Whether a request was shown, so that a question id which several requests have means it. */
  has(id: string): boolean {
    return this.#seen.has(id)
  }

  /** What was shown last. */
  get requests(): readonly ShownRequest[] | undefined {
    return this.#requests
  }

  #list(requests: readonly ShownRequest[]): void {
    this.#requests = requests.map(({ id, version }) => ({ id, version }))
  }
}
