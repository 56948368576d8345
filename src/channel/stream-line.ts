import { findRequest } from '../desk/find.ts'
import type { Asked, Presentation } from '../ports/channel.ts'
import { sleep } from '../ports/clock.ts'
import {
  HilMsgStreamMissingError,
  HilStreamExists,
  HitlNoPendingRequest,
  HoldpointError,
} from '../protocol/errors/errors.ts'
import { type PostedQuestion, retraction } from '../protocol/hil/hil-message.ts'
import { requestOnStream } from '../protocol/hil/hil-reply.ts'
import { type LineOptions, type QuestionLine, StreamQuestion, type TakenReply } from './stream-question.ts'

/** How often comparing the stream with the store is tried at the start. */
const MOST_TRIES = 5

/**
 * The application's end of a message stream. Posts questions in the order in which they are asked, and retracts them when they are over. Questions of
 * an earlier process that the store says are settled are retracted at the start.
 */
export class StreamLine implements QuestionLine {
  readonly options: LineOptions
  readonly #questions = new Set<StreamQuestion>()
  #leftovers: Promise<Map<string, PostedQuestion[]>> | undefined
  readonly #begun: Promise<void>
  /** Who owns the session, and counts as the author of a reply that names none. Known once the session was found open. */
  owner = ''
  #sending: Promise<unknown> = Promise.resolve()

  constructor(options: LineOptions) {
    this.options = options
    this.#begun = options.stored ? this.#begin() : Promise.resolve()
  }

  /** Retracts settled questions. If that fails now, the first question tries again. */
  async #begin(): Promise<void> {
    for (let tried = 1; tried <= MOST_TRIES; tried++) {
      try {
        await this.#findLeftovers()
        return
      } catch (error) {
        if (!HoldpointError.isInstance(error) || !error.retryable) return
        await sleep(50 * 2 ** tried)
      }
    }
  }

  /** Asks, and hands the reply to the asker. */
  post(asked: Asked): Presentation {
    const question = new StreamQuestion(this, asked)
    this.#questions.add(question)
    question.ended.then(() => this.#questions.delete(question)).catch(() => undefined)
    return question
  }

  /** Waits until what was withdrawn is off the stream. */
  async flush(): Promise<void> {
    await this.#begun
    await Promise.all([...this.#questions].filter(({ withdrawn }) => withdrawn).map(({ ended }) => ended))
  }

  /** Sends are serialised. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#sending.then(work)
    this.#sending = result.catch(() => undefined)
    return result
  }

  /** Makes sure that the session is open; opens it if the channel keeps it open. Throws if it is gone. */
  async requireSession(): Promise<void> {
    const { streams, session, keepOpen } = this.options
    for (let tried = false; ; tried = true) {
      const found = await streams.describe(session)
      if (found && keepOpen && found.owner !== keepOpen.owner) throw new HilStreamExists(session)
      if (found) {
        this.owner = found.owner
        return
      }
      if (!keepOpen || tried) throw new HilMsgStreamMissingError(session)
      await streams.open(session, keepOpen).catch((error: unknown) => {
        // Another process was faster.
        if (!(error instanceof HilStreamExists)) throw error
      })
    }
  }

  /** Extends the session if the channel keeps it open and it ends soon. */
  async extend(): Promise<void> {
    const { streams, session, keepOpen } = this.options
    if (!keepOpen) return
    const found = await streams.describe(session)
    const soon = found && found.expiresAt - Date.now() < keepOpen.expireSeconds * 500
    if (soon) await streams.extend(session, keepOpen)
  }

  /** Other messages about a request, from before: it may have been at another version then. Each is told once. */
  async takeLeftovers(requestId: string): Promise<PostedQuestion[]> {
    const found = await this.#findLeftovers()
    const of = found.get(requestId) ?? []
    found.delete(requestId)
    return of
  }

  /** Retracts a question and tells the clients. Returns a reply that came before that. */
  async retract(question: PostedQuestion, reason: string): Promise<TakenReply | undefined> {
    const { streams, session } = this.options
    const { messageId } = question
    const notice = retraction(question, reason)
    if (await streams.retract(session, messageId, { notice })) return undefined
    const read = await streams.takeReply(session, messageId, { waitMs: 0 })
    await streams.send(session, notice)
    return read.kind === 'reply' ? read : undefined
  }

  /** What earlier processes left on the stream, by request. What is settled by now, of whatever thread, is taken off. */
  #findLeftovers(): Promise<Map<string, PostedQuestion[]>> {
    this.#leftovers ??= this.#compare().catch((error: unknown) => {
      this.#leftovers = undefined
      throw error
    })
    return this.#leftovers
  }

  async #compare(): Promise<Map<string, PostedQuestion[]>> {
    const { streams, session, stored } = this.options
    const left = new Map<string, PostedQuestion[]>()
    const read = await streams.pending(session)
    if (!stored || read.kind !== 'messages') return left
    for (const each of read.messages) {
      if (!('message' in each) || each.message.msg_type !== 'HIL_interrupt_request') continue
      const { msg_id: messageId, content, meta } = each.message
      const request = requestOnStream(content)
      if (!request) continue
      const posted = { messageId, content, reviewers: meta?.reviewers }
      left.set(request.id, [...(left.get(request.id) ?? []), posted])
    }
    for (const [id, messages] of left) {
      const status = await this.statusOf(id)
      if (status === 'open' || status === undefined) continue
      left.delete(id)
      for (const message of messages) await this.retract(message, status)
    }
    return left
  }

  /** Where a request stands in the store; `undefined` if that is not known here. */
  async statusOf(requestId: string): Promise<string | undefined> {
    const { stored } = this.options
    if (!stored) return undefined
    try {
      return (await findRequest(stored.store, requestId)).status
    } catch (error) {
      if (error instanceof HitlNoPendingRequest) return undefined
      throw error
    }
  }
}
