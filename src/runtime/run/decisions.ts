import { findRequest, type RequestRef } from '../../desk/find.ts'
import { withdraw } from '../../desk/withdraw.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { Actor, DecisionType } from '../../protocol/decision.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import { type IdSource, uuidSource } from '../../protocol/uuid.ts'
import { answerAll } from '../answers/answer-all.ts'
import type { AnswerBatch, NamedAnswer } from '../answers/answers.ts'
import { Settling } from '../answers/settling.ts'
import { Shown, type ShownRequest } from '../answers/shown.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { Journal } from '../journal/journal.ts'
import { threadDesk } from '../loop/thread-desk.ts'
import type { DecisionOptions, Standing } from './state-options.ts'

const OPTIONS = ['by', 'comment', 'undoSeconds', 'idempotencyKey', 'version', 'digest']

/** Where decisions are stored, and the code that checks them. */
export interface DecisionPlace {
  readonly journal: Journal
  readonly agent: AgentDefinition
}

/** One decision or answer, and the method of the state that it was given to. */
interface Said {
  readonly method: string
  readonly request: RequestRef
  readonly decision?: JsonObject
  readonly answer?: unknown
}

/** A decision as JSON. */
export type TypedDecision = JsonObject & { type: DecisionType }

/** The options that a method was called with, and which it knows beside those of all. */
export interface GivenOptions {
  readonly options: DecisionOptions & Standing
  readonly known: readonly string[]
}

/**
 * The decisions that are made on a state.
 *
 * They are serialised, in the order of the calls. `run` waits for those that nobody awaited and throws their failure.
 */
export class Decisions {
  readonly #newId: IdSource
  /** What the state has shown: answers that name no request are for that. */
  readonly shown = new Shown()
  #made: Settling<unknown>[] = []
  /** The work of the last decision. Waiting for it here does not mark its outcome as seen. */
  #last: Promise<unknown> | undefined
  #inFlight = 0

  constructor(newId: IdSource = uuidSource()) {
    this.#newId = newId
  }

  /** Whether a decision is being stored. */
  get isBusy(): boolean {
    return this.#inFlight > 0
  }

  /** Makes one decision that names its request. */
  one(place: DecisionPlace, { method, ...said }: Said, { options, known }: GivenOptions): Promise<HitlRequest> {
    const what = `state.${method}()`
    return this.#enqueue(async () => {
      requireKnown(what, options, [...OPTIONS, ...known])
      const { by, comment, undoSeconds, idempotencyKey, version, digest, always } = options
      const beside = { by, comment, undoSeconds, idempotencyKey, version, digest, always }
      const given = { ...beside, ...said, request: said.request ?? null } as never
      const [answered] = await this.#answer(place, given, { what, requests: undefined })
      return answered as HitlRequest
    })
  }

  /** Makes several decisions, all or none. */
  all(place: DecisionPlace, given: AnswerBatch | NamedAnswer): Promise<HitlRequest[]> {
    // What was shown when this was called: what is shown while it waits for its turn is not what it answers.
    const { requests } = this.shown
    return this.#enqueue(() => this.#answer(place, given, { what: 'state.decide()', requests }))
  }

  /** Takes a decision back. */
  withdraw(
    { journal }: DecisionPlace,
    request: RequestRef,
    options: { by?: string | Actor; version?: number },
  ): Promise<HitlRequest> {
    return this.#enqueue(async () => {
      requireKnown('state.withdraw()', options, ['by', 'version'])
      const { store, state } = journal
      const { opened } = await findRequest(store, request, { threadId: state.threadId })
      const { by = 'local', version } = options
      const reopened = await withdraw(store, opened, { by, ...(version === undefined ? {} : { version }) })
      await journal.catchUp()
      return reopened
    })
  }

  /** Waits for all decisions. Throws the first failure that nobody was told of. */
  async settle(): Promise<void> {
    const made = this.#made
    this.#made = []
    const untold = made.filter((decision) => !decision.observed)
    const outcomes = await Promise.allSettled(made)
    const failed = outcomes.find((outcome, i) => outcome.status === 'rejected' && untold.includes(made[i]!))
    if (failed?.status === 'rejected') throw failed.reason
  }

  #answer(
    { journal, agent }: DecisionPlace,
    given: AnswerBatch | NamedAnswer,
    to: { what: string; requests: readonly ShownRequest[] | undefined },
  ): Promise<HitlRequest[]> {
    return answerAll({ journal, desk: threadDesk(journal, agent, this.#newId), shown: this.shown }, given, to)
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    this.#inFlight++
    const settle = () => void this.#inFlight--
    const working = this.#last === undefined ? work() : this.#last.then(work, work)
    working.then(settle, settle)
    this.#last = working
    const done = Settling.of(working)
    this.#made.push(done)
    return done
  }
}
