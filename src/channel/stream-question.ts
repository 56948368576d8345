import { readersNamed } from '../core/access.ts'
import { toHitlRequest } from '../core/views/request-view.ts'
import { findRequest } from '../desk/find.ts'
import type { Asked, Presentation } from '../ports/channel.ts'
import { pause, sleep } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { ReplyRead, Streams } from '../ports/streams.ts'
import type { Actor } from '../protocol/decision.ts'
import { errorCodes } from '../protocol/errors/error-base.ts'
import {
  HilContentError,
  HilMsgStreamMissingError,
  HitlStaleAnswer,
  HoldpointError,
  StreamsFailed,
} from '../protocol/errors/errors.ts'
import type { HilInterruptContent, HilMessage } from '../protocol/hil/hil.ts'
import { checkSize, derivedMessageId, type PostedQuestion } from '../protocol/hil/hil-message.ts'
import { answerOfReply, requestForms } from '../protocol/hil/hil-reply.ts'
import type { JsonValue } from '../protocol/json/json.ts'
import { copyRequest, type HitlRequest } from '../protocol/request.ts'

/** What the questions of a channel share. */
export interface LineOptions {
  streams: Streams
  session: string
  maxMessageBytes: number
  stored: { store: Store; threadId: string } | undefined
  keepOpen: { owner: string; expireSeconds: number } | undefined
  /** How long a reply is waited for before looking whether its question is still there. */
  lookMs: number
}

/** A reply that was taken off the stream. */
export type TakenReply = Extract<ReplyRead, { kind: 'reply' }>

/** What a question needs of the end of the stream that it is put on. */
export interface QuestionLine {
  readonly options: LineOptions
  /** The owner of the session: the author of a reply that names none. */
  readonly owner: string
  inTurn<T>(work: () => Promise<T>): Promise<T>
  requireSession(): Promise<void>
  extend(): Promise<void>
  takeLeftovers(requestId: string): Promise<PostedQuestion[]>
  retract(question: PostedQuestion, reason: string): Promise<TakenReply | undefined>
  statusOf(requestId: string): Promise<string | undefined>
}

/** Statuses of refused answers after which the question stays open. */
const REFUSALS: readonly number[] = [400, 403]
/** How many used message ids are skipped, and how often a lost session is opened again. */
const MOST_ROUNDS = 100
/** How often a reply is submitted to a store that is busy. */
const MOST_TRIES = 6

/**
 * One question on a message stream.
 *
 * Q1  The same request at the same version has the same message ids in every process, so it is on the stream once, whichever process asks it again.
 * Q2  A reply that was taken is handed to the asker, even if the question was withdrawn meanwhile: it may be all that is left of the answer.
 * Q3  A reply that is refused is not the end: it is asked again, with the reason.
 * Q4  Withdrawn, it is taken off the stream, unless the store says that it is still open: then others go on with it.
 * Q5  Asked again, or at another version, it is on people's screens once: what was there before is taken back.
 */
export class StreamQuestion implements Presentation {
  readonly #line: QuestionLine
  readonly #asked: Asked
  readonly #withdrawn = new AbortController()
  /** Fires when the posted question is out of date. */
  #outdated = new AbortController()
  #request: HitlRequest
  #round = 0
  #reopened = 0
  #problem: string | undefined
  #posted: PostedQuestion | undefined
  /** Settles when the question was retracted, or left on the stream for others. */
  readonly ended: Promise<void>

  constructor(line: QuestionLine, asked: Asked) {
    this.#line = line
    this.#asked = asked
    this.#request = copyRequest(asked.request)
    this.ended = this.#live()
  }

  /** Whether nobody waits for it any more. */
  get withdrawn(): boolean {
    return this.#withdrawn.signal.aborted
  }

  withdraw(): void {
    this.#withdrawn.abort()
  }

  update(request: HitlRequest): void {
    if (request.version === this.#request.version) return
    this.#become(request)
    this.#outdated.abort()
  }

  #become(request: HitlRequest): void {
    this.#request = copyRequest(request)
    this.#problem = undefined
    this.#round = 0
  }

  async #live(): Promise<void> {
    try {
      while (!this.withdrawn) {
        this.#outdated = new AbortController()
        const before = this.#posted
        await this.#line.inTurn(() => this.#post())
        const reply = (await this.#takeBack(before)) ?? (await this.#reply())
        if (reply !== undefined && (await this.#submit(reply))) break
      }
    } catch (error) {
      if (!this.withdrawn) this.#asked.fail(error)
    }
    await this.#withdrawal()
    // A question that stays on a screen can do no harm: its answer finds that it is over.
    await this.#takeOff().catch(() => undefined)
  }

  /** Posts the question, unless it is on the stream already. */
  async #post(): Promise<void> {
    if (this.withdrawn) return
    const { streams, session, maxMessageBytes } = this.#line.options
    await this.#line.requireSession()
    const content = this.#content()
    // Whoever is in one of the lists may see it. Who may decide it is for the desk to say.
    const reviewers = readersNamed(this.#request) ?? undefined
    for (let tried = 1; ; tried++, this.#round++) {
      const messageId = derivedMessageId('request', this.#request.id, this.#request.version, this.#round)
      const question = { msg_id: messageId, msg_type: 'HIL_interrupt_request', content } as const
      const message: HilMessage = reviewers ? { ...question, meta: { reviewers } } : question
      checkSize(message, maxMessageBytes)
      try {
        await streams.send(session, message)
        this.#posted = { messageId, content, reviewers }
        break
      } catch (error) {
        // It was answered before, but the process that took the answer did not use it.
        if (!(error instanceof HilContentError) || tried === MOST_ROUNDS) throw error
      }
    }
    for (const leftover of await this.#line.takeLeftovers(this.#request.id)) {
      if (leftover.messageId !== this.#posted.messageId) await this.#line.retract(leftover, 'superseded')
    }
  }

  #content(): HilInterruptContent {
    const { kind, id, toolName } = this.#request
    const detail = this.#request as unknown as JsonValue
    const body = { tool_name: toolName ?? kind, type: requestForms[kind], tool_exec_uuid: id, detail }
    return {
      source: 'agent_tool_call',
      body: this.#problem === undefined ? body : { ...body, problem: this.#problem },
    }
  }

  /** Takes away what was asked before, if it is asked in another way now. If it was answered before that, the answer counts. */
  async #takeBack(before: PostedQuestion | undefined): Promise<TakenReply | undefined> {
    if (!before || before.messageId === this.#posted?.messageId) return undefined
    return this.#line.retract(before, 'superseded')
  }

  /** The reply; `undefined` when the question was withdrawn, or has to be asked again. */
  async #reply(): Promise<TakenReply | undefined> {
    const { streams, session, lookMs } = this.#line.options
    const signal = AbortSignal.any([this.#withdrawn.signal, this.#outdated.signal])
    const messageId = this.#posted?.messageId
    if (messageId === undefined) return undefined
    for (let failures = 0; ; ) {
      try {
        const read = await streams.takeReply(session, messageId, { waitMs: lookMs, signal })
        if (read.kind === 'reply') return read
        if (signal.aborted) return undefined
        if (read.kind === 'missing') return this.#reopen()
        await this.#line.extend()
        if (!(await this.#isThere(messageId))) {
          const late = await streams.takeReply(session, messageId, { waitMs: 0 })
          if (late.kind === 'reply') return late
          if (await this.#mustAskAgain()) return undefined
        }
        failures = 0
      } catch (error) {
        if (!(error instanceof StreamsFailed)) throw error
        await pause(Math.min(5_000, 100 * 2 ** failures++), { signal })
        if (signal.aborted) return undefined
      }
    }
  }

  /** The session is gone, with the question. If the channel keeps it open, it is opened again and the question is asked again. */
  async #reopen(): Promise<undefined> {
    const { session, keepOpen } = this.#line.options
    if (!keepOpen || this.#reopened++ === MOST_ROUNDS) throw new HilMsgStreamMissingError(session)
    this.#posted = undefined
    return undefined
  }

  async #isThere(messageId: string): Promise<boolean> {
    const { streams, session } = this.#line.options
    const read = await streams.question(session, messageId)
    // That the session is gone is found out by the next wait for a reply.
    return read.kind !== 'unknown'
  }

  /** The question was retracted by another process. If it was decided, the asker reports that. If it was reopened since, its current version is asked. */
  async #mustAskAgain(): Promise<boolean> {
    const { stored } = this.#line.options
    const status = await this.#line.statusOf(this.#request.id)
    if (status !== 'open' || !stored) return status === undefined
    this.#become(toHitlRequest(await findRequest(stored.store, this.#request.id)))
    return true
  }

  /** Hands the reply to the asker. `false`: it does not fit, and the question is open still. */
  async #submit({ reply, by: author, groups }: TakenReply): Promise<boolean> {
    // Without a store nobody but the asker knows of the question, and the asker is gone.
    if (this.withdrawn && !this.#line.options.stored) return true
    const by: Actor = { kind: 'person', id: author ?? this.#line.owner, via: 'stream', ...(groups ? { groups } : {}) }
    for (let tried = 1; ; tried++) {
      try {
        await this.#asked.submit(answerOfReply(this.#request, reply), by)
        return true
      } catch (error) {
        // Another answer was first; the asker learns it from the store.
        if (error instanceof HitlStaleAnswer) return true
        if (!HoldpointError.isInstance(error)) throw error
        if (REFUSALS.includes(errorCodes[error.code].status)) {
          this.#problem = error.message
          this.#round += 1
          return false
        }
        if (!error.retryable || tried === MOST_TRIES) throw error
        await sleep(50 * 2 ** tried)
      }
    }
  }

  #withdrawal(): Promise<void> {
    const { signal } = this.#withdrawn
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  async #takeOff(): Promise<void> {
    if (!this.#posted) return
    const status = await this.#line.statusOf(this.#request.id)
    if (status !== 'open') await this.#line.retract(this.#posted, status ?? 'withdrawn')
  }
}
