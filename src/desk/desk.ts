import type { StandingGrant } from '../core/views/grant-view.ts'
import { toHitlRequest } from '../core/views/request-view.ts'
import type { RecordChange } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import { requireKnown } from '../protocol/checks/known-options.ts'
import type { Actor } from '../protocol/decision.ts'
import type { HitlRequest } from '../protocol/request.ts'
import type { IdSource } from '../protocol/uuid.ts'
import { answerRequest, closeRequest } from './answer/answer.ts'
import type { Answer } from './answer/answer-shape.ts'
import { decide } from './answer/decide.ts'
import { storedSchemaCheck } from './answer/stored-schema.ts'
import { findRequest, listRequests, type RequestRef } from './find.ts'
import { findGrant, type GrantFilter, listGrants, revokeGrant } from './grants.ts'
import {
  type Assignment,
  type AssignOptions,
  assign,
  type CommentOptions,
  comment,
  type Note,
  readNotes,
} from './notes.ts'
import type { DeskOptions } from './options.ts'
import { type WithdrawOptions, withdraw } from './withdraw.ts'

/** Answers requests of a store without the agent's code: for command lines, inboxes and other applications. */
export class Desk {
  readonly #store: Store
  readonly #options: DeskOptions

  constructor({ store, newId }: { store: Store; newId: IdSource }) {
    this.#store = store
    this.#options = { store, newId, checkEdit: storedSchemaCheck(store) }
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
   * Answers one or several requests of a thread, of any kind, all or none. An edit is checked against the tool's stored JSON Schema now and by the
   * tool itself before it runs.
   */
  decide(...answers: Answer[]): Promise<HitlRequest[]> {
    return decide(this.#options, answers)
  }

  /** Answers a request of any kind: a decision to `approve`, a boolean to `confirm`, an object of strings to `ask`. */
  answer(
    request: RequestRef,
    answer: unknown,
    options: Omit<Answer, 'request' | 'id' | 'questionId' | 'threadId' | 'decision' | 'answer'>,
  ): Promise<HitlRequest> {
    return answerRequest(this.#options, { request, answer, ...options })
  }

  /** Closes an open request without an answer. With `version`, only if it is still that version. */
  cancel(
    request: RequestRef,
    options: { reason: string; by: string | Actor; version?: number; records?: readonly RecordChange[] },
  ): Promise<HitlRequest> {
    return closeRequest(this.#options, request, { status: 'cancelled', ...options })
  }

  /**
   * Withdraws a decision that has not taken effect yet, by the store's time. With `anyAuthor` it may be somebody else's: for operators, who are
   * recorded. The request is open again, or expired if its deadline has passed meanwhile: look at the `status` of the result.
   */
  withdraw(request: RequestRef, by: string | Actor, options: WithdrawOptions = {}): Promise<HitlRequest> {
    requireKnown('withdraw()', options, ['anyAuthor', 'version', 'records'])
    return withdraw(this.#store, request, { ...options, by })
  }

  /** Adds a comment, for other people. It changes nothing else, and the model never reads it. */
  comment(request: RequestRef, options: CommentOptions): Promise<Note> {
    return comment(this.#store, request, options)
  }

  /** Says who takes care of an open request, for a time if `seconds` is given. It decides nothing. */
  assign(request: RequestRef, options: AssignOptions): Promise<Assignment | null> {
    return assign(this.#store, request, options)
  }

  /** The comments on a request and its assignments, oldest first. */
  notes(request: RequestRef): Promise<Note[]> {
    return readNotes(this.#store, request)
  }

  /** A page of standing decisions, newest first. Default: those in force; with `status: 'all'` all of them. */
  grants(filter?: GrantFilter): Promise<{ grants: StandingGrant[]; next?: string }> {
    return listGrants(this.#store, filter)
  }

  /** One standing decision by its id. Throws `GrantNotFound` if there is none. */
  grant(id: string): Promise<StandingGrant> {
    return findGrant(this.#store, id)
  }

  /** Revokes a standing decision: from then on it covers nothing. Recorded in the thread where it was given. */
  revoke(
    id: string,
    options: { by: string | Actor; reason?: string; records?: readonly RecordChange[] },
  ): Promise<StandingGrant> {
    return revokeGrant(this.#store, id, options)
  }
}
