import { isPast } from '../core/next.ts'
import { planAbort } from '../core/plan/calls.ts'
import { planDeadline } from '../core/plan/deadline.ts'
import { planClosed } from '../core/plan/waits.ts'
import { toInterruption } from '../core/request-view.ts'
import { openRequests } from '../core/state.ts'
import type { Channel } from '../ports/channel.ts'
import { untilAborted } from '../ports/signals.ts'
import type { SpanLink } from '../ports/tracer.ts'
import { HitlAborted, HitlChannelMissing, InputInvalid, ThreadBusy, ThreadNotFound } from '../protocol/errors.ts'
import { parseThreadId } from '../protocol/ids.ts'
import { requireKnown } from '../protocol/known-options.ts'
import type { HitlRequest } from '../protocol/request.ts'
import { uuidSource } from '../protocol/uuid.ts'
import { memoryStore } from '../store/memory/store.ts'
import type { Agent } from './agent.ts'
import { answerAll, type GivenAnswers, readAnswers } from './answer-all.ts'
import { nameOf, toActor } from './answers.ts'
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
import { Shown, type ShownRequest } from './shown.ts'
import { Spans } from './spans.ts'
import type { DriveOptions, PromptOptions, Response, ThreadOptions } from './thread-options.ts'
import { type ThreadResult, toThreadResult } from './thread-result.ts'

const DRIVE = ['signal', 'maxTurns']
const RESPOND = 'thread.respond()'

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
  readonly #shown = new Shown()
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
    const { pending } = this.channel
    if (pending) this.#shown.look([pending])
    return pending
  }

  /** The first open request, from the store: also in a fresh process, also after a detach. */
  async loadPendingHitlRequest(): Promise<HitlRequest | undefined> {
    await this.#open()
    const first = await this.#firstOpen()
    this.#shown.look(first ? [first] : [])
    return first
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
    this.#shown.forget()
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
   * goes on. If another process drives the thread, it follows that to its end. An answer that names no request is for what this thread has shown;
   * the same answer again returns the settled result and never reaches the next question.
   */
  async respond(response: Response): Promise<ThreadResult> {
    const { signal, maxTurns, ...answer } = response ?? {}
    requireSignal(RESPOND, signal)
    checkEntryOptions({ ...(maxTurns === undefined ? {} : { maxTurns }) })
    // As it is shown now: what comes while this waits is not what it answers.
    const { requests: shown } = this.#shown
    const requests = shown && shown.length > 0 ? shown : (this.#shownLive() ?? shown)
    await this.#open()
    const live = this.#active
    if (live?.driver.control.detached) await live.settled.catch(() => undefined)
    await this.#answer(answer as GivenAnswers, requests)
    // The application asked by itself, outside of any run: there is nothing to go on with.
    if (!this.#active && !this.#journal.state.run) return this.#result({ kind: 'stopped' })
    if (!this.#active) return this.#drive(response, () => undefined, 'follow')
    const { settled } = this.#active
    if (!signal) return settled
    return untilAborted(settled, signal).catch((error: unknown) => {
      if (signal.aborted) return this.#result({ kind: 'stopped' })
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
    return this.#result({ kind: 'settled' })
  }

  async #answer(given: GivenAnswers, requests: readonly ShownRequest[] | undefined): Promise<void> {
    if (await this.#answerOnChannel(given, requests)) return
    const desk = journalDesk(this.#journal, this.agent, this.#newId)
    await answerAll({ journal: this.#journal, desk, shown: this.#shown }, given, { what: RESPOND, requests })
  }

  /** What is asked on a channel that is not durable, other than by the loop, is known to that channel alone. */
  async #answerOnChannel(given: GivenAnswers, requests: readonly ShownRequest[] | undefined): Promise<boolean> {
    const { channel } = this
    const shown = channel?.pending
    const [answer, ...more] = readAnswers(RESPOND, given)
    if (!channel || !shown || channel.durable || !answer || more.length > 0) return false
    const name = nameOf(answer) ?? (given.unbound ? shown.id : requests?.[0]?.id)
    if (name !== shown.id && name !== shown.questionId) return false
    if (openRequests(this.#journal.state).some(({ opened }) => opened.id === shown.id)) return false
    if (nameOf(answer) === null) this.#shown.use([{ id: shown.id, version: shown.version }])
    await channel.answer(shown.questionId, answer.answer ?? answer.decision, { by: toActor(given.by) })
    return true
  }

  /** What it shows people while it waits live: on its channel, or to its listeners before that. */
  #shownLive(): readonly ShownRequest[] | undefined {
    const pending = this.channel?.pending
    const live = pending?.threadId === this.id ? pending : this.#active && this.#waitsFor()
    return live && [live]
  }

  async #firstOpen(): Promise<HitlRequest | undefined> {
    await this.#journal.catchUp()
    await this.#expire()
    const { state } = this.#journal
    const [first] = openRequests(state)
    return first && toInterruption(state, first)
  }

  #result(ending: Ending): ThreadResult {
    return toThreadResult(this.#journal, ending, this.#shown)
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
        return this.#result({ kind: 'settled' })
      }
      if (ending.kind !== 'overtaken') return this.#result(ending)
      // Somebody else goes on with it: their end is ours too, unless they leave it again.
      const left = AbortSignal.any([driver.signal, AbortSignal.timeout(1_000)])
      await this.#journal.store.changed(this.id, { after: this.#journal.state.version, signal: left })
      await this.#journal.catchUp()
      if (driver.signal.aborted) return this.#result({ kind: 'stopped' })
      if (active.left) return this.#result({ kind: 'paused' })
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
