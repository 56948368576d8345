import {
  type Asked,
  type Channel,
  type ConfirmOptions,
  isUnchecked,
  type Presentation,
  UNCHECKED,
  type WaitOptions,
} from '../ports/channel.ts'
import { type Answers, checkAnswer } from '../protocol/answer.ts'
import { type Actor, type Decision, decision as decisionSchema, decisionTypes } from '../protocol/decision.ts'
import { DecisionInvalid, HitlError, HitlStaleAnswer } from '../protocol/errors/errors.ts'
import type { JsonObject, JsonValue } from '../protocol/json/json.ts'
import type { HitlRequest, Question } from '../protocol/request.ts'

/** An answer, or a function that returns one for a request. */
export type ScriptedAnswer = JsonValue | Decision | Answers | ((request: HitlRequest) => unknown)

const SCRIPT: Actor = { kind: 'person', id: 'script' }

/**
 * A channel for tests that gives prepared answers, in order. If it runs out of answers, the verb throws and a run
 * settles as `failed`. Answers are checked like a person's.
 */
export class ScriptedChannel implements Channel {
  readonly durable: boolean = false
  readonly allowInsideCustomTool = true
  readonly defaultTimeoutSeconds = null
  readonly #answers: ScriptedAnswer[]
  readonly #history: HitlRequest[] = []
  #asked = 0

  constructor(options: { answers: readonly ScriptedAnswer[] }) {
    this.#answers = [...options.answers]
  }

  /** Every request so far, in order. */
  get history(): readonly HitlRequest[] {
    return structuredClone(this.#history)
  }

  get pending(): undefined {
    return undefined
  }

  async confirm(prompt: string, options: ConfirmOptions = {}): Promise<boolean> {
    const details = options.details === undefined ? {} : { details: options.details }
    return (await this.wait(this.#request({ kind: 'confirm', prompt, ...details }))) as boolean
  }

  async approve(call: { toolName: string; toolCallId: string; args: JsonObject }): Promise<Decision> {
    const { toolName, toolCallId, args } = call
    const asked = { kind: 'approve', questionId: toolCallId, toolName, toolCallId, args } as const
    return (await this.wait(this.#request({ ...asked, allowedDecisions: [...decisionTypes] }))) as Decision
  }

  async ask(questions: Question[], _options: WaitOptions = {}): Promise<Answers> {
    return (await this.wait(this.#request({ kind: 'ask', questions }))) as Answers
  }

  async wait(request: HitlRequest, _options: WaitOptions = {}): Promise<JsonValue> {
    const answer = await this.next(request)
    return isUnchecked(this) ? (answer as JsonValue) : checked(request, answer)
  }

  async answer(questionId: string): Promise<void> {
    throw new HitlStaleAnswer({ id: questionId, status: 'answered by the script', version: 0 })
  }

  async cancel(questionId: string): Promise<void> {
    throw new HitlStaleAnswer({ id: questionId, status: 'answered by the script', version: 0 })
  }

  subscribe(): () => void {
    return () => undefined
  }

  observe(): () => void {
    return () => undefined
  }

  present(asked: Asked): Presentation {
    // Take the answer now, so that requests presented together get their answers in order.
    const answered = this.next(asked.request)
    answered.then((answer) => asked.submit(answer, SCRIPT)).catch((error: unknown) => asked.fail(error))
    return { withdraw: () => undefined }
  }

  /** Records a request and returns its answer. */
  protected async next(request: HitlRequest): Promise<unknown> {
    this.#history.push(structuredClone(request))
    if (this.#answers.length === 0) {
      throw new HitlError(
        'script_exhausted',
        `The scripted channel was asked "${request.questionId}", but its answers are used up.`,
      )
    }
    const answer = this.#answers.shift()
    return typeof answer === 'function' ? answer(structuredClone(request)) : answer
  }

  #request(asked: Partial<HitlRequest> & { kind: HitlRequest['kind'] }): HitlRequest {
    this.#asked += 1
    const id = `scripted-${this.#asked}`
    return {
      id,
      questionId: id,
      threadId: '',
      tenant: 'default',
      status: 'open',
      version: 1,
      agent: '',
      path: [],
      allowedDecisions: [],
      createdAt: new Date(0).toISOString(),
      ...asked,
    }
  }
}

function checked(request: HitlRequest, answer: unknown): JsonValue {
  if (request.kind !== 'approve') return checkAnswer({ ...request, kind: request.kind }, answer)
  const decision = decisionSchema().safeParse(answer)
  if (!decision.success) throw new DecisionInvalid(`The script's answer to "${request.questionId}" is not a decision.`)
  return decision.data as JsonObject
}

/**
 * A channel for tests that approves everything: `approve`, `true`, and an empty string for every question. Its answers
 * are not checked.
 */
export class NoopChannel extends ScriptedChannel {
  /** @internal */
  readonly [UNCHECKED] = true

  constructor() {
    super({ answers: [] })
  }

  protected override async next(request: HitlRequest): Promise<unknown> {
    switch (request.kind) {
      case 'approve':
        return { type: 'approve' }
      case 'confirm':
        return true
      case 'ask':
        return Object.fromEntries((request.questions ?? []).map(({ key }) => [key, '']))
      default:
        return request.kind satisfies never
    }
  }
}
