import type { HitlRequest } from '../../protocol/request.ts'

/** A request and the version that was shown. */
export type ShownRequest = Pick<HitlRequest, 'id' | 'version'>

/**
 * The open requests that an object has shown. Answers that name no request are for these, and for none that opened later.
 *
 * A result counts as shown when it is returned. After an answer without names, only `look` shows new requests: the same answer may arrive twice, and
 * the second one must not reach the next question.
 */
export class Shown {
  #requests: readonly ShownRequest[] | undefined
  #used = false
  #answered = false
  /** The ids of all requests that were ever shown. */
  #seen: Set<string> | undefined

  /** Call when the user reads the open requests. */
  look(requests: readonly ShownRequest[]): void {
    this.#list(requests)
    this.#used = false
    this.#see(requests)
  }

  /** Call when a result is returned. */
  hand(requests: readonly ShownRequest[]): void {
    if (!this.#used) this.#list(requests)
    if (!this.#used && !this.#answered) this.#see(requests)
  }

  /** Call when requests were answered by name. Answers without names are no longer for them. */
  answered(ids: readonly string[]): void {
    this.#answered = true
    if (!this.#used) this.#requests = this.#requests?.filter(({ id }) => !ids.includes(id))
  }

  /** Call when an answer without names was given for these requests. */
  use(requests: readonly ShownRequest[]): void {
    this.#requests = requests
    this.#used = true
  }

  /** Call on new input. */
  forget(): void {
    this.#requests = undefined
    this.#used = false
  }

  /** Whether a request was ever shown. The desk uses it to resolve a question id that several requests share. */
  has(id: string): boolean {
    return this.#seen?.has(id) ?? false
  }

  /** The requests that were shown last. */
  get requests(): readonly ShownRequest[] | undefined {
    return this.#requests
  }

  #see(requests: readonly ShownRequest[]): void {
    if (requests.length === 0) return
    this.#seen ??= new Set()
    for (const { id } of requests) this.#seen.add(id)
  }

  #list(requests: readonly ShownRequest[]): void {
    this.#requests = requests.map(({ id, version }) => ({ id, version }))
  }
}
