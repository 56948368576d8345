import { isPast } from '../core/next.ts'
import { planAbort } from '../core/plan/calls.ts'
import { planDeadline } from '../core/plan/deadline.ts'
import { planClosed } from '../core/plan/waits.ts'
import { toInterruption } from '../core/request-view.ts'
import { openRequests } from '../core/state.ts'
import { answerRequest } from '../desk/answer.ts'
import { decide } from '../desk/decide.ts'
import type { Channel } from '../ports/channel.ts'
import { untilAborted } from '../ports/signals.ts'
import type { SpanLink } from '../ports/tracer.ts'
import type { Actor } from '../protocol/decision.ts'
import {
  DecisionInvalid,
  HitlAborted,
  HitlChannelMissing,
  HitlNoPendingRequest,
  InputInvalid,
  ThreadBusy,
  ThreadNotFound,
} from '../protocol/errors.ts'
import { parseThreadId } from '../protocol/ids.ts'
import { requireKnown } from '../protocol/known-options.ts'
import type { HitlRequest } from '../protocol/request.ts'
import { uuidSource } from '../protocol/uuid.ts'
import { memoryStore } from '../store/memory/store.ts'
import type { Agent } from './agent.ts'
import { checkToolExecution, requireSignal, requireStore } from './check-options.ts'
import { createDriver } from './create-driver.ts'
import { drive, type Ending } from './drive.ts'
import type { Driver } from './driver.ts'
import { checkEntryOptions, enterRun, joinWaiting } from './enter-run.ts'
import { type AgentListener, EventSource } from './event-source.ts'
import { type Input, toMessages } from './input.ts'
import { Journal } from './journal.ts'
import { journalDesk } from './journal-desk.ts'
import { loadOtel } from './otel.ts'
import { Spans } from './spans.ts'
import type { DriveOptions, PromptOptions, Response, ThreadOptions } from './thread-options.ts'
import { type ThreadResult, toThreadResult } from './thread-result.ts'

const DRIVE = ['signal', 'maxTurns']

/**
 * A live conversation. One call drives it at a time in a process (later ones wait their turn); across processes the lease decides, and the
 * loser gets `ThreadBusy`.
 */
export class Thread {
  readonly id: string
  readonly agent: Agent
  readonly #options: ThreadOptions
  readonly #journal: Journal
  readonly #events: EventSource
  readonly #newId = uuidSource()
  #spans: Spans | undefined
  #opened: Promise<void> | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #active: { driver: Driver; stop: AbortController; left: boolean; settled: Promise<ThreadResult> } | undefined

  /** Made by `agent.thread`. */
  constructor(agent: Agent, threadId: string, options: ThreadOptions) {
    requireKnown('agent.thread()', options, ['store', 'channel', 'deps', 'toolErrorFormatter', 'toolExecution'])
    if (options.store !== undefined) requireStore('agent.thread()', options.store)
    checkToolExecution(options.toolExecution)
    this.id = parseThreadId(threadId)
    this.agent = agent
    this.#options = options
    this.#journal = new Journal(options.store ?? memoryStore(), this.id)
    this.#events = new EventSource(this.id)
    options.channel?.observe(this.#events)
  }

  /** The channel that it was given. */
  get channel(): Channel | undefined {
    return this.#options.channel
  }

  /** What the channel shows now. Throws `HitlError` without a channel. */
  get inFlightHitlRequest(): HitlRequest | undefined {
    if (!this.channel) throw new HitlChannelMissing('inFlightHitlRequest')
    return this.channel.pending
  }

  /** The first open request, from the store: also in a fresh process, also after a detach. */
  async loadPendingHitlRequest(): Promise<HitlRequest | undefined> {
    await this.#open()
    await this.#journal.catchUp()
    await this.#expire()
    const { state } = this.#journal
    const [first] = openRequests(state)
    return first && toInterruption(state, first)
  }

  /** Tells what happens, what waits for people now first. Returns how to stop. */
  subscribe(listener: AgentListener): () => void {
    return this.#events.subscribe(listener, this.#journal.state)
  }

  /** Gives the conversation new input and drives it until it settles. */
  async prompt(input: Input, options: PromptOptions = {}): Promise<ThreadResult> {
    requireKnown('thread.prompt()', options, [...DRIVE, 'context', 'whilePaused', 'maxRejections'])
    requireSignal('thread.prompt()', options?.signal)
    checkEntryOptions(options)
    const messages = toMessages(input)
    const { start = this.channel ? 'settled' : 'cleared', preApprovalInputGuardrails } =
      this.#options.toolExecution ?? {}
    const joins = options.whilePaused !== undefined && this.#active !== undefined
    // The call that waits for people here would wait for ever, and this one for its turn.
    if (joins && (await joinWaiting(this.#journal, messages, { ...options, start }))) {
      return this.#active?.settled ?? this.#drive(options, () => undefined, 'follow')
    }
    return this.#drive(options, (driver, trace) =>
      enterRun(driver, messages, { ...options, start, preApprovalInputGuardrails, trace }),
    )
  }

  /** Goes on where the thread stands: after a restart, a failure or a decision made elsewhere. */
  async resume(options: DriveOptions = {}): Promise<ThreadResult> {
    requireKnown('thread.resume()', options, DRIVE)
    requireSignal('thread.resume()', options?.signal)
    checkEntryOptions(options)
    return this.#drive(options, () => undefined)
  }

  /**
   * Answers what the thread waits for and returns what it came to. The answer is stored first: if resuming fails afterwards, responding again
   * goes on. If another process drives the thread, it follows that to its end.
   */
  async respond(response: Response): Promise<ThreadResult> {
    requireKnown('thread.respond()', response, [...DRIVE, 'by', 'questionId', 'answer', 'decisions'])
    requireSignal('thread.respond()', response?.signal)
    checkEntryOptions({ ...(response.maxTurns === undefined ? {} : { maxTurns: response.maxTurns }) })
    await this.#open()
    const by: Actor = typeof response.by === 'object' ? response.by : { kind: 'person', id: response.by ?? 'local' }
    const live = this.#active
    if (live?.driver.control.detached) await live.settled.catch(() => undefined)
    await this.#answer(response, by)
    // The application asked by itself, outside of any run: there is nothing to go on with.
    if (!this.#active && !this.#journal.state.run) return toThreadResult(this.#journal, { kind: 'stopped' })
    if (!this.#active) return this.#drive(response, () => undefined, 'follow')
    const { settled } = this.#active
    const { signal } = response
    if (!signal) return settled
    return untilAborted(settled, signal).catch((error: unknown) => {
      if (signal.aborted) return toThreadResult(this.#journal, { kind: 'stopped' })
      throw error
    })
  }

  /**
   * Leaves what waits for people to be answered later, by anybody: the pause is stored already, `agent_suspended` is told, then the
   * waiter gets `HitlDetached` and the call under way returns `suspended`. Does nothing if nothing waits.
   */
  async detach(): Promise<void> {
    const active = this.#active
    if (!this.channel) throw new HitlChannelMissing('detach')
    const pending = this.#waitsFor()
    if (!active || !pending || active.left) return
    this.#events.emit({ type: 'agent_suspended', pendingRequest: pending })
    active.left = true
    active.driver.control.detach()
    await active.settled.catch(() => undefined)
  }

  /**
   * Ends the conversation's run for good. First whoever waits is woken, without waiting for a turn; then every unresolved call gets a refusal
   * and the history a last message with `stopReason: 'aborted'`.
   */
  async abortPending(options: { reason?: string; by?: string } = {}): Promise<ThreadResult> {
    requireKnown('thread.abortPending()', options, ['reason', 'by'])
    const { reason = 'aborted', by = 'local' } = options
    if (typeof reason !== 'string' || typeof by !== 'string') {
      throw new InputInvalid('reason and by of thread.abortPending() must be texts: they are kept in the record.')
    }
    await this.#open()
    this.#active?.driver.waiters.rejectAll(new HitlAborted(reason))
    await this.#journal.catchUp()
    await this.#journal.write((state) => {
      const why = { by: { kind: 'person', id: by } as const, reason }
      const asked = [...state.asked.values()].map((request) => planClosed(request, { status: 'aborted', ...why }))
      const entries = [...asked, ...(state.run?.status === 'open' ? planAbort(state, state.run, why) : [])]
      return entries.length > 0 ? { entries } : undefined
    })
    this.#events.emit({ type: 'agent_aborted', reason })
    const active = this.#active
    active?.stop.abort(new HitlAborted(reason))
    await active?.settled.catch(() => undefined)
    return toThreadResult(this.#journal, { kind: 'settled' })
  }

  async #answer(response: Response, by: Actor): Promise<void> {
    const { channel } = this
    const desk = journalDesk(this.#journal, this.agent, this.#newId)
    if ('decisions' in response) {
      await this.#journal.catchUp()
      const open = openRequests(this.#journal.state)
      if (!Array.isArray(response.decisions) || response.decisions.length !== open.length) {
        throw new DecisionInvalid(
          `${response.decisions?.length} decisions were passed for ${open.length} open requests.`,
        )
      }
      await decide(
        desk,
        open.map(({ opened }, i) => ({ request: opened.id, decision: response.decisions[i], by })),
      )
      return
    }
    const { answer } = response
    const shown = channel?.pending
    // By id: calls of several nested runs may share a question id.
    const questionId = response.questionId ?? shown?.id ?? (await this.loadPendingHitlRequest())?.id
    if (questionId === undefined) throw new HitlNoPendingRequest()
    // What is asked on a channel that is not durable, other than by the loop, is known to that channel alone.
    const inMemory =
      shown &&
      (shown.questionId === questionId || shown.id === questionId) &&
      !channel?.durable &&
      !openRequests(this.#journal.state).some(({ opened }) => opened.id === shown.id)
    if (channel && inMemory) return channel.answer(shown.questionId, answer, { by })
    await answerRequest(desk, { request: questionId, answer, by })
  }

  /** What this thread waits for, as far as is known here. */
  #waitsFor(): HitlRequest | undefined {
    const { state } = this.#journal
    const shown = this.channel?.pending
    // What the application asked by itself is shown without an agent.
    if (shown?.threadId === this.id && shown.agent !== '') return shown
    const first = openRequests(state).find(({ opened }) => opened.run !== undefined)
    return first && toInterruption(state, first)
  }

  /** Being late is a fact: whoever reads it writes it. */
  async #expire(): Promise<void> {
    await this.#journal.write((state) => {
      const late = openRequests(state).filter((asked) => isPast(asked, this.#journal.now()))
      return late.length > 0 ? { entries: late.flatMap(planDeadline) } : undefined
    })
  }

  /** Drives in its turn. If another process drives: refuses, or once an answer is stored follows it to its end. */
  #drive(
    options: DriveOptions,
    enter: (driver: Driver, trace: SpanLink | undefined) => Promise<void> | undefined,
    whenBusy: 'refuse' | 'follow' = 'refuse',
  ): Promise<ThreadResult> {
    const result = this.#turn.then(async () => {
      await this.#open()
      const stop = new AbortController()
      const driver = this.#newDriver(options, stop)
      const settled = this.#settle(driver, enter, () => this.#driveToEnd(options, stop, whenBusy))
      this.#active = { driver, stop, left: false, settled }
      try {
        return await settled
      } finally {
        this.#active = undefined
      }
    })
    this.#turn = result.catch(() => undefined)
    return result
  }

  #newDriver(options: DriveOptions, stop: AbortController): Driver {
    return createDriver(this.agent, this.#journal, {
      newId: this.#newId,
      deps: this.#options.deps,
      signal: options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal,
      maxTurns: options.maxTurns,
      toolErrorFormatter: this.#options.toolErrorFormatter,
      channel: this.channel,
      onTurn: (turn, place) => this.#events.emit({ type: 'turn_start', turn, ...place }),
      // What a model says at once is told as its message.
      onPart: ({ whole, ...heard }) => !whole && this.#events.emit({ type: 'model_part', ...heard }),
    })
  }

  async #settle(
    driver: Driver,
    enter: (driver: Driver, trace: SpanLink | undefined) => Promise<void> | undefined,
    driveToEnd: () => Promise<ThreadResult>,
  ): Promise<ThreadResult> {
    await this.#journal.catchUp()
    const trace = this.#spans?.begin(this.#journal.state)
    try {
      await enter(driver, trace)
      const { run } = this.#journal.state
      if (!run) throw new ThreadNotFound(this.id)
      this.agent.requireIdentity(run.agent.id)
      return await driveToEnd()
    } finally {
      this.#spans?.end(driver.signal.aborted ? 'aborted' : 'detached')
    }
  }

  async #driveToEnd(
    options: DriveOptions,
    stop: AbortController,
    whenBusy: 'refuse' | 'follow',
  ): Promise<ThreadResult> {
    for (let whoElse = whenBusy; ; whoElse = 'follow') {
      const active = this.#active
      if (!active) throw new Error('a thread is driven by its active driver')
      const { driver } = active
      const ending = await drive(driver).catch((error: unknown): Ending => {
        if (whoElse === 'follow' && error instanceof ThreadBusy) return { kind: 'overtaken' }
        throw error
      })
      const ended = this.#journal.state.run?.status !== 'open'
      if (ended && (ending.kind === 'stopped' || ending.kind === 'overtaken')) {
        return toThreadResult(this.#journal, { kind: 'settled' })
      }
      if (ending.kind !== 'overtaken') return toThreadResult(this.#journal, ending)
      // Somebody else goes on with it: their end is ours too, unless they leave it again.
      const left = AbortSignal.any([driver.signal, AbortSignal.timeout(1_000)])
      await this.#journal.store.changed(this.id, { after: this.#journal.state.version, signal: left })
      await this.#journal.catchUp()
      if (driver.signal.aborted) return toThreadResult(this.#journal, { kind: 'stopped' })
      if (active.left) return toThreadResult(this.#journal, { kind: 'paused' })
      active.driver = this.#newDriver(options, stop)
    }
  }

  async #begin(): Promise<void> {
    const tracer = await loadOtel()
    if (tracer) {
      const spans = new Spans(tracer)
      this.#spans = spans
      this.channel?.observe(spans)
    }
    await this.#journal.catchUp()
    this.#events.begin(this.#journal.state)
    this.#spans?.learn(this.#journal.state)
    this.#journal.observe((entry, at) => {
      this.#events.folded(this.#journal.state, entry)
      this.#spans?.folded(this.#journal.state, entry, at)
    })
  }

  #open(): Promise<void> {
    this.#opened ??= this.#begin()
    return this.#opened
  }
}
