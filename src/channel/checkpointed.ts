import { projectRequests } from '../core/views/project.ts'
import { type RequestFacts, toHitlRequest } from '../core/views/request-view.ts'
import { answerRequest, closeRequest } from '../desk/answer/answer.ts'
import { storedSchemaCheck } from '../desk/answer/stored-schema.ts'
import { findRequest } from '../desk/find.ts'
import type { DeskOptions } from '../desk/options.ts'
import type { WaitEnding, WaitOptions } from '../ports/channel.ts'
import { after } from '../ports/clock.ts'
import { whenAborted } from '../ports/signals.ts'
import type { Store } from '../ports/store.ts'
import type { EntryOf } from '../protocol/entries/entry.ts'
import {
  HitlAborted,
  HitlCancelled,
  type HitlControlException,
  HitlStaleAnswer,
  HitlTimedOut,
  StoreFailed,
} from '../protocol/errors/errors.ts'
import { parseThreadId } from '../protocol/ids.ts'
import type { JsonValue } from '../protocol/json/json.ts'
import type { HitlRequest } from '../protocol/request.ts'
import { ChannelBase, type ChannelOptions } from './base.ts'

/** Options of a checkpointed channel. */
export interface CheckpointedChannelOptions extends ChannelOptions {
  store: Store
  threadId: string
  /** Lets bodies of tools that are not marked `resumable` wait. After a restart they run again from the top. */
  allowInsideCustomTool?: boolean
}

/**
 * A channel that stores each question in a thread's journal before it is shown. Questions survive this process and can be answered from any other.
 * Questions of application code are stored too, but only this process waits for them.
 */
export class CheckpointedChannel extends ChannelBase {
  readonly durable = true
  override readonly allowInsideCustomTool: boolean
  readonly #store: Store
  readonly #threadId: string
  readonly #desk: DeskOptions
  #opening: string | undefined

  constructor(options: CheckpointedChannelOptions) {
    super({ ...options, ...(options.clock === undefined && options.store.clock ? { clock: options.store.clock } : {}) })
    const { store } = options
    this.#store = store
    this.#threadId = parseThreadId(options.threadId)
    this.allowInsideCustomTool = options.allowInsideCustomTool ?? false
    this.#desk = {
      store,
      newId: this.newId,
      threadId: this.#threadId,
      checkEdit: storedSchemaCheck(store),
    }
  }

  wait(request: HitlRequest, options: WaitOptions = {}): Promise<JsonValue> {
    return this.askOutside(request, options)
  }

  protected async askOutside(question: HitlRequest, options: WaitOptions): Promise<JsonValue> {
    const seconds = this.timeoutOf(options)
    let waiting: AbortController | undefined
    let settle: (settled: HitlRequest) => void = () => undefined
    let fail: (error: unknown) => void = () => undefined
    const settled = new Promise<HitlRequest>((resolve, reject) => {
      settle = resolve
      fail = reject
    })
    const { facts, version } = await this.#open(question, seconds)
    const request = toHitlRequest(facts)
    const desk = { ...this.#desk, known: () => facts }
    const presentation = this.present({
      request,
      submit: async (answer, by) => settle(await answerRequest(desk, { request: request.id, answer, by })),
      cancel: async (reason, by) =>
        settle(await closeRequest(this.#desk, request.id, { status: 'cancelled', reason, by })),
      fail: (error) => fail(error),
    })
    const close = (status: 'expired' | 'aborted'): void => {
      const by =
        status === 'expired' ? ({ kind: 'time', id: 'deadline' } as const) : ({ kind: 'system', id: 'signal' } as const)
      closeRequest(this.#desk, request.id, { status, by }).then(settle, (error: unknown) => {
        // Another answer was stored first; the watcher delivers it.
        if (!(error instanceof HitlStaleAnswer)) fail(error)
      })
    }
    const onAbort = (): void => close('aborted')
    let unlisten: (() => void) | undefined
    let disarm: (() => void) | undefined
    let watching: NodeJS.Immediate | undefined
    try {
      this.tellAsked(request)
      if (seconds !== null) disarm = after(seconds * 1000, () => close('expired'), this.clock)
      unlisten = options.signal && whenAborted(options.signal, onAbort)
      // Most questions of programs are answered at once, so the store is watched only for a question that stays open.
      watching = setImmediate(() => {
        waiting = new AbortController()
        this.#watch(request.id, version, waiting.signal).then(settle, fail)
      })
      return this.#conclude(await settled, seconds)
    } finally {
      disarm?.()
      clearImmediate(watching)
      unlisten?.()
      waiting?.abort()
      presentation.withdraw()
    }
  }

  /** Stores a question before it is shown. The channel is busy meanwhile. */
  async #open(question: HitlRequest, seconds: number | null): Promise<{ facts: RequestFacts; version: number }> {
    const { id, questionId, kind, agent, path, allowedDecisions } = question
    const { toolName, toolCallId, args, prompt, details, questions } = question
    const about = { toolName, toolCallId, args, prompt, details, questions }
    this.#opening = question.questionId
    try {
      const deadline = seconds === null ? {} : { expiresAt: (await this.#now()) + seconds * 1000 }
      const opened: EntryOf<'request.opened'> = {
        v: 1,
        type: 'request.opened',
        id,
        questionId,
        kind,
        agent,
        path,
        allowedDecisions,
        ...given(about),
        ...deadline,
      }
      const outcome = await this.#store.append({
        threadId: this.#threadId,
        entries: [JSON.stringify(opened)],
        requests: projectRequests([opened], this.#threadId),
      })
      if (!outcome.ok) throw new StoreFailed('The question could not be stored', new Error(outcome.conflict.kind))
      const place = { tenant: this.#store.tenantId, threadId: this.#threadId }
      return { facts: { ...place, status: 'open', version: 1, opened, openedAt: outcome.at }, version: outcome.version }
    } finally {
      this.#opening = undefined
    }
  }

  protected override get occupied(): string | undefined {
    return this.#opening ?? super.occupied
  }

  /** Settles when another process has settled the request. Never settles after the signal fired. */
  async #watch(id: string, version: number, signal: AbortSignal): Promise<HitlRequest> {
    for (let after = version; ; ) {
      await this.#store.changed(this.#threadId, { after, signal })
      if (signal.aborted) return new Promise<never>(() => undefined)
      after = (await this.#store.read(this.#threadId, { after: Number.MAX_SAFE_INTEGER })).version
      const facts = await findRequest(this.#store, id)
      if (facts.status !== 'open') return toHitlRequest(facts)
    }
  }

  async #now(): Promise<number> {
    return (await this.#store.read(this.#threadId, { after: Number.MAX_SAFE_INTEGER })).now
  }

  #conclude(settled: HitlRequest, seconds: number | null): JsonValue {
    const { decision, answer, status } = settled
    if (answer) return this.#end(settled, { answer: answer.value })
    if (decision) {
      const { by: _by, at: _at, effectiveAt: _effectiveAt, ...given } = decision
      return this.#end(settled, { answer: given as JsonValue })
    }
    if (status === 'expired') return this.#end(settled, { ended: 'timed_out' }, new HitlTimedOut(seconds ?? 0))
    if (status === 'aborted')
      return this.#end(settled, { ended: 'aborted' }, new HitlAborted(settled.closedReason ?? 'the signal fired'))
    return this.#end(settled, { ended: 'cancelled' }, new HitlCancelled(settled.closedReason ?? status))
  }

  #end(settled: HitlRequest, ending: WaitEnding, thrown?: HitlControlException): JsonValue {
    this.tellSettled(settled, ending)
    if (thrown) throw thrown
    return 'answer' in ending ? ending.answer : null
  }
}

/** Drops members that are `undefined`. */
function given<T extends object>(members: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never
}
