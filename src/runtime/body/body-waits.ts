import { openRun } from '../../core/open-run.ts'
import { findCall, isInsideRejected } from '../../core/queries.ts'
import type { ThreadState, WaitAnswer } from '../../core/state.ts'
import { type BodyScope, type CallScope, inside, outside } from '../../ports/call-scope.ts'
import type { Channel, ConfirmOptions, WaitOptions } from '../../ports/channel.ts'
import { untilAborted } from '../../ports/signals.ts'
import { type Answers, checkQuestions, checkTimeout } from '../../protocol/answer.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { Decision } from '../../protocol/decision.ts'
import type { EntryOf } from '../../protocol/entries/entry.ts'
import {
  HitlAborted,
  HitlCancelled,
  HitlChannelMissing,
  HitlControlException,
  HitlDetached,
  HitlDurabilityNotGuaranteed,
  HitlError,
  HitlTimedOut,
  HoldpointError,
  InputInvalid,
  ThreadBusy,
} from '../../protocol/errors/errors.ts'
import { frameOf } from '../../protocol/ids.ts'
import { cloneJson, type JsonObject, type JsonValue, jsonProblem } from '../../protocol/json/json.ts'
import type { Question } from '../../protocol/request.ts'
import { toHoldQuestion } from '../definition/hold-question.ts'
import type { HoldRequest } from '../definition/tool-context.ts'
import { LeaseLost } from '../journal/activation.ts'
import {
  type BodyQuestion,
  isSameQuestion,
  type NumberedQuestion,
  questionEntry,
  questionRequest,
} from './body-question.ts'
import type { StartedCall } from './started-call.ts'
import type { Stopwatch } from './stopwatch.ts'
import type { WaitParts } from './wait-parts.ts'

/** A step without an end. It marks that a body began that must not be entered again. */
const BODY = 'holdpoint:body'

const ENDED = 'the tool body that asked has ended'
const SETTLED = 'the call was settled elsewhere'

/**
 * The waiting verbs of one tool body. Kept whole: all of it guards the same few fields, and the invariants hold only together.
 *
 * W1  A question of a body is identified by its number. A question that was answered before a restart returns that answer and is not asked again.
 * W2  A wait that ended without an answer ends the body: whatever it catches or returns afterwards, the engine writes its result.
 * W3  A developer's mistake goes to the developer, as the run's failure, not to the model.
 * W4  A body that has ended asks nothing: questions that it did not await are withdrawn, and later ones are refused. The same holds inside a call
 *     that was rejected meanwhile, which also begins no step.
 */
export class BodyWaits implements BodyScope {
  readonly #parts: WaitParts
  readonly #started: StartedCall
  readonly #stopwatch: Stopwatch
  #ordinal = 0
  #entered = false
  #holding = 0
  #stepNames = new Set([BODY])
  #scope: CallScope | undefined
  /** How many questions are being asked, and how to withdraw those that only the channel knows. */
  #asking = 0
  #over: AbortController | undefined
  #left = false
  /** Why the body was ended. */
  ended: HitlControlException | undefined
  /** Whether it was ended by a signal of its own, not by the run's. */
  gaveUp = false
  /** The developer's mistake, if there was one. */
  misuse: HoldpointError | undefined

  constructor(parts: WaitParts, started: StartedCall, stopwatch: Stopwatch) {
    this.#parts = parts
    this.#started = started
    this.#stopwatch = stopwatch
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
    this.#over?.abort(new HitlAborted(ENDED))
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
    if (typeof prompt !== 'string') throw this.#misused(new InputInvalid('ctx.confirm needs a string to ask.'))
    const details =
      options.details === undefined ? {} : { details: this.#plain(options.details, 'details') as JsonObject }
    return (await this.#wait({ kind: 'confirm', prompt, ...details }, options)) as boolean
  }

  async #ask(questions: Question[], options: WaitOptions): Promise<Answers> {
    return (await this.#wait({ kind: 'ask', questions: checkQuestions(questions) }, options)) as Answers
  }

  async #hold(request: HoldRequest, options: WaitOptions): Promise<Decision> {
    return (await this.#wait(this.#holdQuestion(request, 'ctx.hold'), options)) as Decision
  }

  async #holdBefore(request: HoldRequest, options: WaitOptions): Promise<Decision> {
    if (this.#entered) throw this.#misused(new InputInvalid('hold was called after its beforeTool hook had ended.'))
    const asked = this.#holdQuestion({ allowedDecisions: ['approve', 'reject'], ...request }, 'hold in beforeTool')
    this.#holding++
    return (await this.#wait(asked, options, true).finally(() => this.#holding--)) as Decision
  }

  /**
   * Ends the phase of the hooks before the body. A call that waited may be entered again. If its body must not be, it is marked as begun, so that a
   * crash from here on leaves an unknown outcome.
   */
  async enterBody(): Promise<void> {
    this.#entered = true
    if (this.#holding > 0) throw this.#misused(new InputInvalid('A beforeTool hook did not wait for its hold.'))
    const { call, tool } = this.#started
    const known = findCall(this.#parts.journal.state, call.key)
    if (tool.resumable || !known || known.waits.length === 0 || known.steps.has(BODY)) return
    await this.#append({ v: 1, type: 'step.started', call: call.key, name: BODY })
  }

  /** Runs work once. Its result is recorded, and returned without running it again when the body is entered again. */
  async step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    if (this.ended) throw this.ended
    const { call, tool } = this.#started
    if (!tool.resumable)
      throw this.#misused(new InputInvalid(`ctx.step needs tool "${tool.name}" to be marked resumable.`))
    if (this.#stepNames.has(name))
      throw this.#misused(new InputInvalid(`Tool "${tool.name}" has two steps named "${name}".`))
    this.#stepNames.add(name)
    const recorded = findCall(this.#parts.journal.state, call.key)?.steps.get(name)
    if (recorded) return recorded.value as T
    await this.#append({ v: 1, type: 'step.started', call: call.key, name })
    await this.#requireLease()
    const value = await work()
    const plain = value === undefined ? {} : { value: this.#plain(value, `the result of step "${name}"`) }
    await this.#append({ v: 1, type: 'step.finished', call: call.key, name, ...plain })
    return value
  }

  #holdQuestion(request: HoldRequest, what: string): BodyQuestion {
    try {
      return toHoldQuestion(request, what, (value, name) => this.#plain(value, name))
    } catch (error) {
      throw this.#misused(error as InputInvalid)
    }
  }

  async #wait(asked: BodyQuestion, options: WaitOptions, beforeBody = false): Promise<JsonValue> {
    if (this.ended) throw this.ended
    if (this.#left) throw new HitlAborted(ENDED)
    const { channel } = this
    if (!channel && !beforeBody && !this.#started.tool.resumable) {
      throw this.#misused(new HitlChannelMissing('Waiting for a person inside a tool that is not resumable'))
    }
    this.#checkOptions(options)
    const ordinal = this.#ordinal++
    this.#asking++
    this.#stopwatch.pause()
    try {
      const answer =
        !channel || channel.durable
          ? await this.#durable({ ordinal, asked }, { ...options, beforeBody })
          : await this.#inMemory(channel, { ordinal, asked }, options)
      await this.#requireLease()
      return answer
    } catch (error) {
      if (error instanceof HitlControlException) this.ended ??= error
      const { signals, signal } = this.#parts
      if (error instanceof HitlAborted && options.signal?.aborted && !signals.detached && !signal.aborted) {
        this.gaveUp = true
      }
      throw error
    } finally {
      this.#asking--
      this.#stopwatch.resume()
    }
  }

  /** Stores the question. Without a channel nobody here can answer: the body ends, and is entered again when there is an answer. */
  async #durable(question: NumberedQuestion, options: WaitOptions & { beforeBody: boolean }): Promise<JsonValue> {
    const { call, tool } = this.#started
    const { journal, channel } = this.#parts
    const byDefault = channel?.defaultTimeoutSeconds ?? null
    const seconds = options.timeoutSeconds === undefined ? byDefault : options.timeoutSeconds
    const answerOf = () => findCall(journal.state, call.key)?.waits[question.ordinal]
    const recorded = answerOf()
    if (!recorded) await this.#store(question, { seconds, beforeBody: options.beforeBody })
    else if (!isSameQuestion(recorded.request, question.asked))
      throw this.#misused(
        new HitlError(
          'durability_not_guaranteed',
          `Tool "${tool.name}" asked something else when it was entered again: the code before its waits must not change what it asks.`,
        ),
      )
    const answer = answerOf()?.answer ?? (await this.#answered(question.ordinal, options.signal))
    if (answer.kind === 'answered') return answer.value
    throw answer.status === 'expired'
      ? new HitlTimedOut(seconds ?? 0)
      : new HitlCancelled(answer.reason ?? answer.status)
  }

  /** Stores a question that is asked for the first time. */
  async #store(
    question: NumberedQuestion,
    { seconds, beforeBody }: { seconds: number | null; beforeBody: boolean },
  ): Promise<void> {
    const { tool } = this.#started
    const { journal, channel, newId } = this.#parts
    if (!beforeBody && !tool.resumable && !channel?.allowInsideCustomTool)
      throw this.#misused(new HitlDurabilityNotGuaranteed(tool.name))
    const expiresAt = seconds === null ? undefined : journal.now() + seconds * 1000
    await this.#append(questionEntry(this.#started, question, { id: newId(), run: openRun(journal.state), expiresAt }))
  }

  /** Waits until the journal has an answer, if this process has a channel. */
  async #answered(ordinal: number, signal: AbortSignal | undefined): Promise<WaitAnswer> {
    const { waiting, signals, channel } = this.#parts
    if (signals.detached || !channel) throw new HitlDetached()
    const answer = waiting.wait(this.#started.call.key, ordinal)
    signals.nudge()
    const stopped = signal ? AbortSignal.any([this.#parts.signal, signal]) : this.#parts.signal
    return untilAborted(answer, stopped).catch((error: unknown) => {
      throw stopped.aborted && error === stopped.reason ? new HitlAborted(String(stopped.reason)) : error
    })
  }

  /** Asks on a channel that stores nothing. */
  async #inMemory(channel: Channel, question: NumberedQuestion, options: WaitOptions): Promise<JsonValue> {
    const { journal, signals, signal, newId } = this.#parts
    this.#over ??= new AbortController()
    const { signal: over } = this.#over
    await journal.catchUp().catch((error: unknown) => {
      throw this.#notOfTool(error)
    })
    // The body may have ended meanwhile (W4).
    over.throwIfAborted()
    if (!this.#goesOn(journal.state)) throw new HitlAborted(SETTLED)
    const { state } = journal
    const facts = { id: newId(), run: openRun(state), state, now: journal.now() }
    const ends = [over, signals.detachedSignal, signal, ...(options.signal ? [options.signal] : [])]
    const timeout = options.timeoutSeconds === undefined ? {} : { timeoutSeconds: options.timeoutSeconds }
    try {
      const request = questionRequest(this.#started, question, facts)
      return await outside(() => channel.wait(request, { ...timeout, signal: AbortSignal.any(ends) }))
    } catch (error) {
      throw signals.detached && error instanceof HitlAborted ? new HitlDetached(false) : this.#notOfTool(error)
    }
  }

  #goesOn(state: ThreadState): boolean {
    const { key } = this.#started.call
    return findCall(state, key)?.phase.at === 'started' && !isInsideRejected(state, frameOf(key))
  }

  async #append(entry: EntryOf<'request.opened' | 'step.started' | 'step.finished'>): Promise<void> {
    const written = await this.#parts.activation
      .write((state) => (this.#goesOn(state) ? { entries: [entry] } : undefined))
      .catch((error: unknown) => {
        // Another process drives now.
        if (error instanceof LeaseLost || error instanceof ThreadBusy) return undefined
        throw this.#notOfTool(error)
      })
    if (written) return
    this.ended ??= new HitlAborted(SETTLED)
    throw this.ended
  }

  /** Checks the lease before code with effects runs, after a wait or at a step's start: another process may have taken over the call. */
  async #requireLease(): Promise<void> {
    const { token } = this.#started
    const { activation } = this.#parts
    if ((await activation.secure(token)) && activation.covers(token)) return
    this.ended ??= new HitlAborted('another process drives this thread now')
    throw this.ended
  }

  #plain(value: unknown, what: string): JsonValue {
    const problem = jsonProblem(value, what)
    if (problem)
      throw this.#misused(
        new InputInvalid(`Tool "${this.#started.tool.name}": ${problem}; it is stored and must be plain JSON.`),
      )
    return cloneJson(value as JsonValue)
  }

  #checkOptions(options: WaitOptions): void {
    try {
      requireKnown('A question', options, ['timeoutSeconds', 'signal', 'details'])
      checkTimeout(options.timeoutSeconds ?? null)
    } catch (error) {
      throw this.#misused(error as InputInvalid)
    }
  }

  /** A channel that cannot ask, or a store that cannot read or write, is not the tool's failure: the run fails (W3). */
  #notOfTool(error: unknown): unknown {
    return HoldpointError.isInstance(error) && !(error instanceof HitlControlException) ? this.#misused(error) : error
  }

  #misused<T extends HoldpointError>(error: T): T {
    this.misuse ??= error
    return error
  }
}

/** Prevents an unhandled rejection if the body does not await its question. `leave` reports that question. */
function handled<T>(asking: Promise<T>): Promise<T> {
  asking.catch(() => undefined)
  return asking
}
