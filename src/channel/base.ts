import { currentBody } from '../ports/call-scope.ts'
import type {
  Asked,
  Channel,
  ChannelObserver,
  ConfirmOptions,
  Presentation,
  WaitEnding,
  WaitOptions,
} from '../ports/channel.ts'
import { type Clock, systemClock } from '../ports/clock.ts'
import { type ListenerErrorHandler, requireListenerErrorHandler, tellListener } from '../ports/listeners.ts'
import { type Answers, checkQuestions, checkTimeout } from '../protocol/answer.ts'
import { requireKnown } from '../protocol/checks/known-options.ts'
import { type Actor, type Decision, decisionTypes, toActor } from '../protocol/decision.ts'
import { HitlConcurrencyError, InputInvalid } from '../protocol/errors/errors.ts'
import { type JsonObject, type JsonValue, jsonProblem } from '../protocol/json/json.ts'
import { copyRequest, type HitlRequest, type Question } from '../protocol/request.ts'
import { type IdSource, uuidSource } from '../protocol/uuid.ts'
import { QuestionQueue } from './question-queue.ts'

/** Options of every channel. */
export interface ChannelOptions {
  /** The timeout of a question that has none of its own. Left out or `null`: no timeout. */
  defaultTimeoutSeconds?: number | null
  threadId?: string
  /** The clock of the timeouts, for tests. Default: the store's `clock` option, else the system clock. */
  clock?: Clock
  /** Called with what a subscriber or observer threw or rejected with. Default: a process warning. */
  onListenerError?: ListenerErrorHandler<HitlRequest>
}

/** The options of all channels, since subclasses pass theirs on. A misspelt timeout would let a question wait for ever. */
const KNOWN = ['defaultTimeoutSeconds', 'threadId', 'store', 'allowInsideCustomTool', 'clock', 'onListenerError']

/** The author of an answer that names none. */
const LOCAL: Actor = { kind: 'person', id: 'local', via: 'channel' }

/** What channels share: checks of the verbs, the question queue, and notifying observers. Subclasses decide how a question waits. */
export abstract class ChannelBase implements Channel {
  abstract readonly durable: boolean
  readonly allowInsideCustomTool: boolean = false
  readonly defaultTimeoutSeconds: number | null
  protected readonly queue: QuestionQueue
  protected readonly newId: IdSource = uuidSource()
  protected readonly clock: Clock | undefined
  readonly #threadId: string
  readonly #onListenerError: ListenerErrorHandler<HitlRequest> | undefined
  readonly #observers = new Set<ChannelObserver>()

  constructor(options: ChannelOptions = {}) {
    requireKnown('A channel', options, KNOWN)
    requireListenerErrorHandler('a channel', options.onListenerError)
    this.defaultTimeoutSeconds = checkTimeout(options.defaultTimeoutSeconds ?? null)
    this.clock = options.clock
    this.#onListenerError = options.onListenerError
    this.queue = new QuestionQueue(options.onListenerError)
    this.#threadId = options.threadId ?? ''
  }

  confirm(prompt: string, options: ConfirmOptions = {}): Promise<boolean> {
    const body = currentBody()
    return body?.channel === this ? body.confirm(prompt, options) : this.#confirm(prompt, options)
  }

  async #confirm(prompt: string, options: ConfirmOptions): Promise<boolean> {
    if (typeof prompt !== 'string') throw new InputInvalid('confirm needs a string to ask.')
    const asked = this.#request({ kind: 'confirm', prompt, ...details(options) })
    return (await this.#ask(asked, options)) as boolean
  }

  async approve(
    call: { toolName: string; toolCallId: string; args: JsonObject },
    options: ConfirmOptions = {},
  ): Promise<Decision> {
    const problem = jsonProblem(call.args, 'args')
    if (problem) throw new InputInvalid(`approve needs plain JSON arguments: ${problem}.`)
    const { toolName, toolCallId, args } = call
    const asked = this.#request({
      kind: 'approve',
      questionId: toolCallId,
      toolName,
      toolCallId,
      args,
      allowedDecisions: [...decisionTypes],
      ...details(options),
    })
    return (await this.#ask(asked, options)) as Decision
  }

  ask(questions: Question[], options: WaitOptions = {}): Promise<Answers> {
    const body = currentBody()
    return body?.channel === this ? body.ask(questions, options) : this.#askForm(questions, options)
  }

  async #askForm(questions: Question[], options: WaitOptions): Promise<Answers> {
    const asked = this.#request({ kind: 'ask', questions: checkQuestions(questions) })
    return (await this.#ask(asked, options)) as Answers
  }

  get pending(): HitlRequest | undefined {
    const { head } = this.queue
    return head && copyRequest(head)
  }

  async answer(questionId: string, answer: unknown, options: { by?: string | Actor } = {}): Promise<void> {
    await this.queue.answer(questionId, answer, toActor(options.by ?? LOCAL))
  }

  async cancel(questionId: string, options: { reason?: string; by?: string | Actor } = {}): Promise<void> {
    await this.queue.cancel(questionId, options.reason ?? 'cancelled', toActor(options.by ?? LOCAL))
  }

  subscribe(listener: (request: HitlRequest) => unknown): () => void {
    return this.queue.subscribe(listener)
  }

  observe(observer: ChannelObserver): () => void {
    this.#observers.add(observer)
    return () => this.#observers.delete(observer)
  }

  present(asked: Asked): Presentation {
    return this.queue.add(asked)
  }

  abstract wait(request: HitlRequest, options?: WaitOptions): Promise<JsonValue>

  /** Asks a question of application code, outside of any tool body. */
  protected abstract askOutside(request: HitlRequest, options: WaitOptions): Promise<JsonValue>

  protected tellAsked(request: HitlRequest): void {
    for (const observer of this.#observers) this.#tell((copy) => observer.asked(copy), request)
  }

  protected tellSettled(request: HitlRequest, ending: WaitEnding): void {
    for (const observer of this.#observers) this.#tell((copy) => observer.settled(copy, ending), request)
  }

  /** The timeout of a question in seconds; `null` for none. */
  protected timeoutOf(options: WaitOptions): number | null {
    return options.timeoutSeconds === undefined ? this.defaultTimeoutSeconds : checkTimeout(options.timeoutSeconds)
  }

  /** The question that keeps the channel busy. */
  protected get occupied(): string | undefined {
    return this.queue.head?.questionId
  }

  async #ask(request: HitlRequest, options: WaitOptions): Promise<JsonValue> {
    requireKnown('A question', options, ['timeoutSeconds', 'signal', 'details'])
    const { occupied } = this
    if (occupied !== undefined) throw new HitlConcurrencyError(occupied)
    return this.askOutside(request, options)
  }

  #tell(listener: (request: HitlRequest) => unknown, request: HitlRequest): void {
    tellListener(listener, copyRequest(request), this.#onListenerError)
  }

  #request(asked: Partial<HitlRequest> & { kind: HitlRequest['kind'] }): HitlRequest {
    const id = this.newId()
    return {
      id,
      questionId: id,
      threadId: this.#threadId,
      tenant: 'default',
      status: 'open',
      version: 1,
      agent: '',
      path: [],
      allowedDecisions: [],
      createdAt: new Date((this.clock ?? systemClock).now()).toISOString(),
      ...asked,
    }
  }
}

function details(options: ConfirmOptions): { details?: JsonObject } {
  if (options.details === undefined) return {}
  const problem = jsonProblem(options.details, 'details')
  if (problem) throw new InputInvalid(`details must be plain JSON: ${problem}.`)
  return { details: options.details }
}
