import { type BodyScope, type CallScope, inside } from '../../ports/call-scope.ts'
import type { Channel, ConfirmOptions, WaitOptions } from '../../ports/channel.ts'
import { type Answers, checkQuestions, checkTimeout } from '../../protocol/answer.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { Decision } from '../../protocol/decision.ts'
import { HitlAborted, HitlChannelMissing, HitlControlException, InputInvalid } from '../../protocol/errors/errors.ts'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import type { Question } from '../../protocol/request.ts'
import { toHoldQuestion } from '../definition/hold-question.ts'
import type { HoldRequest } from '../definition/tool/tool-context.ts'
import type { BodyQuestion } from './body-question.ts'
import type { BodyRecord } from './body-record.ts'
import { DurableWaits } from './durable-waits.ts'
import { InMemoryWaits } from './in-memory-waits.ts'
import type { Stopwatch } from './stopwatch.ts'
import type { WaitParts } from './wait-parts.ts'

const ENDED = 'the tool body that asked has ended'

/**
 * The verbs with which one tool body, and the hooks before it, wait for people.
 *
 * W1  A wait that ended without an answer ends the body.
 * W2  A body that has ended asks nothing: questions that it did not await are withdrawn, and later ones are refused.
 */
export class BodyWaits implements BodyScope {
  readonly #parts: WaitParts
  readonly #record: BodyRecord
  readonly #stopwatch: Stopwatch
  readonly #durable: DurableWaits
  readonly #inMemory: InMemoryWaits
  #ordinal = 0
  /** Whether the hooks before the body are over, and how many of their holds are being asked. */
  #entered = false
  #holding = 0
  #scope: CallScope | undefined
  /** How many questions are being asked. */
  #asking = 0
  #left = false

  constructor(parts: WaitParts, record: BodyRecord, stopwatch: Stopwatch) {
    this.#parts = parts
    this.#record = record
    this.#stopwatch = stopwatch
    this.#durable = new DurableWaits(parts, record)
    this.#inMemory = new InMemoryWaits(parts, record)
  }

  get channel(): Channel | undefined {
    return this.#parts.channel
  }

  /** Runs a body inside the scope of its own verbs. */
  enter<T>(body: () => T): T {
    // AsyncLocalStorage slows down every promise of the process, so it is used only where the body could call a channel or a thread.
    const { scope } = this.#parts
    if (!scope) return body()
    this.#scope = { ...scope, body: this, over: false }
    return inside(this.#scope, body)
  }

  /** Records that the body has ended. Returns whether it was still asking. */
  leave(): boolean {
    this.#left = true
    if (this.#scope) this.#scope.over = true
    this.#inMemory.withdraw(ENDED)
    return this.#asking > 0
  }

  /** Asks for a yes or no and waits. */
  confirm(prompt: string, options: ConfirmOptions = {}): Promise<boolean> {
    return handled(this.#confirm(prompt, options))
  }

  /** Asks to fill in a form and waits. */
  ask(questions: Question[], options: WaitOptions = {}): Promise<Answers> {
    return handled(this.#ask(questions, options))
  }

  /** Asks for a decision of any kind and waits. */
  hold(request: HoldRequest, options: WaitOptions = {}): Promise<Decision> {
    return handled(this.#hold(request, options))
  }

  /** The same for a hook before the body. Nothing has happened yet, so the call of any tool may wait here. */
  holdBefore(request: HoldRequest, options: WaitOptions = {}): Promise<Decision> {
    return handled(this.#holdBefore(request, options))
  }

  async #confirm(prompt: string, options: ConfirmOptions): Promise<boolean> {
    if (typeof prompt !== 'string') throw this.#record.misused(new InputInvalid('ctx.confirm needs a string to ask.'))
    const details =
      options.details === undefined ? {} : { details: this.#record.plain(options.details, 'details') as JsonObject }
    return (await this.#wait({ kind: 'confirm', prompt, ...details }, options)) as boolean
  }

  async #ask(questions: Question[], options: WaitOptions): Promise<Answers> {
    return (await this.#wait({ kind: 'ask', questions: checkQuestions(questions) }, options)) as Answers
  }

  async #hold(request: HoldRequest, options: WaitOptions): Promise<Decision> {
    return (await this.#wait(this.#holdQuestion(request, 'ctx.hold'), options)) as Decision
  }

  async #holdBefore(request: HoldRequest, options: WaitOptions): Promise<Decision> {
    if (this.#entered)
      throw this.#record.misused(new InputInvalid('hold was called after its beforeTool hook had ended.'))
    const asked = this.#holdQuestion({ allowedDecisions: ['approve', 'reject'], ...request }, 'hold in beforeTool')
    this.#holding++
    return (await this.#wait(asked, options, true).finally(() => this.#holding--)) as Decision
  }

  /** Ends the phase of the hooks before the body. */
  endHooks(): void {
    this.#entered = true
    if (this.#holding > 0) throw this.#record.misused(new InputInvalid('A beforeTool hook did not wait for its hold.'))
  }

  #holdQuestion(request: HoldRequest, what: string): BodyQuestion {
    try {
      return toHoldQuestion(request, what, (value, name) => this.#record.plain(value, name))
    } catch (error) {
      throw this.#record.misused(error as InputInvalid)
    }
  }

  async #wait(asked: BodyQuestion, options: WaitOptions, beforeBody = false): Promise<JsonValue> {
    if (this.#record.ended) throw this.#record.ended
    if (this.#left) throw new HitlAborted(ENDED)
    const { channel } = this
    if (!channel && !beforeBody && !this.#record.started.tool.resumable) {
      throw this.#record.misused(new HitlChannelMissing('Waiting for a person inside a tool that is not resumable'))
    }
    this.#checkOptions(options)
    const ordinal = this.#ordinal++
    this.#asking++
    this.#stopwatch.pause()
    try {
      const answer =
        !channel || channel.durable
          ? await this.#durable.wait({ ordinal, asked }, { ...options, beforeBody })
          : await this.#inMemory.wait(channel, { ordinal, asked }, options)
      await this.#record.requireLease()
      return answer
    } catch (error) {
      if (error instanceof HitlControlException) this.#record.ended ??= error
      const { signals, signal } = this.#parts
      if (error instanceof HitlAborted && options.signal?.aborted && !signals.detached && !signal.aborted) {
        this.#record.gaveUp = true
      }
      throw error
    } finally {
      this.#asking--
      this.#stopwatch.resume()
    }
  }

  #checkOptions(options: WaitOptions): void {
    try {
      requireKnown('A question', options, ['timeoutSeconds', 'signal', 'details'])
      checkTimeout(options.timeoutSeconds ?? null)
    } catch (error) {
      throw this.#record.misused(error as InputInvalid)
    }
  }
}

/** Prevents an unhandled rejection if the body does not await its question. `leave` reports that question. */
function handled<T>(asking: Promise<T>): Promise<T> {
  asking.catch(() => undefined)
  return asking
}
