import { toHitlRequest } from '../core/request-view.ts'
import type { IdSource } from '../ports/ids.ts'
import type { Store } from '../ports/store.ts'
import type { Actor } from '../protocol/decision.ts'
import type { HitlRequest } from '../protocol/request.ts'
import { type Answer, decide } from './decide.ts'
import { findRequest, listRequests, type RequestRef } from './find.ts'
import { checkStoredSchema } from './stored-schema.ts'
import { withdraw } from './withdraw.ts'

/** Answers requests of a store without the agent's code: for command lines, inboxes and other people's applications. */
export class Desk {
  readonly #store: Store
  readonly #newId: IdSource

  constructor(options: { store: Store; newId: IdSource }) {
    this.#store = options.store
    this.#newId = options.newId
  }

  /** A page of requests, newest first. */
  list(query?: Parameters<typeof listRequests>[1]): Promise<{ requests: HitlRequest[]; next?: string }> {
    return listRequests(this.#store, query)
  }

  /** One request by its id. Throws `HitlNoPendingRequest` if there is none. */
  async get(id: string): Promise<HitlRequest> {
    return toHitlRequest(await findRequest(this.#store, id))
  }

  /**
   * Decides one or several requests of a thread, all or none. An edit is checked against the tool's stored JSON Schema now and by the
   * tool itself before it runs.
   */
  decide(...answers: Answer[]): Promise<HitlRequest[]> {
    return decide(
      {
        store: this.#store,
        newId: this.#newId,
        checkEdit: (facts, decision) => checkStoredSchema(this.#store, facts, decision),
      },
      answers,
    )
  }

  /** Takes back a decision that has not taken effect yet. */
  withdraw(request: RequestRef, by: Actor): Promise<void> {
    return withdraw(this.#store, request, by)
  }
}
