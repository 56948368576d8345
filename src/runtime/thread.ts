import { planAbort } from '../core/plan/calls.ts'
import { toInterruption } from '../core/request-view.ts'
import { openRequests } from '../core/state.ts'
import { answerRequest } from '../desk/answer.ts'
import { decide } from '../desk/decide.ts'
import type { Channel } from '../ports/channel.ts'
import type { Store } from '../ports/store.ts'
import type { SpanLink } from '../ports/tracer.ts'
import type { Actor } from '../protocol/decision.ts'
import {
  DecisionInvalid,
  HitlAborted,
  HitlChannelMissing,
  HitlNoPendingRequest,
  ThreadBusy,
} from '../protocol/errors.ts'
import { parseThreadId } from '../protocol/ids.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { HitlRequest } from '../protocol/request.ts'
import { uuidSource } from '../protocol/uuid.ts'
import { memoryStore } from '../store/memory/store.ts'
import type { Agent, ToolErrorFormatter } from './agent.ts'
import { createDriver } from './create-driver.ts'
import { drive, type Ending } from './drive.ts'
import type { Driver } from './driver.ts'
import { checkEntryOptions, enterRun } from './enter-run.ts'
import { type AgentListener, EventSource } from './event-source.ts'
import { type Input, toMessages } from './input.ts'
import { Journal } from './journal.ts'
import { journalDesk } from './journal-desk.ts'
import { loadOtel } from './otel.ts'
import { Spans } from './spans.ts'
import { type ThreadResult, toThreadResult } from './thread-result.ts'

/** What a live thread is made from. */
export interface ThreadOptions {
  /** Where the conversation is kept. Default: a memory store of its own. */
  store?: Store
  /** How it waits for people in this process. Without one it pauses (`suspended`) where people are needed. */
  channel?: Channel
  /** Live objects for tools, never stored. */
  deps?: unknown
  toolErrorFormatter?: ToolErrorFormatter
  toolExecution?: {
    /** When free and approved calls start. Default: `'settled'` with a channel, `'cleared'` without. */
    start?: 'cleared' | 'settled'
  }
}

/** How one call on a thread goes. */
export interface DriveOptions {
  /** Stops driving: the result is `incomplete`, requests stay open, and `resume` goes on. */
  signal?: AbortSignal
  maxTurns?: number | null
}

/** What a prompt brings with it. */
export interface PromptOptions extends DriveOptions {
  context?: JsonValue
  whilePaused?: 'queue' | 'supersede'
}

/** An answer to what a thread waits for. */
export type Response = DriveOptions & { by?: string | Actor } & (
    | { questionId?: string; answer: unknown }
    /** One for each open request, in order; all or none. */
    | { decisions: readonly unknown[] }
  )

/**
 * A live conversation. One call drives it at a time in a process (later ones wait their turn); across processes the lease decides, and the
 * loser gets `ThreadBusy`.
 */
export class Thread {
  readonly id: string
  readonly agent: Agent
  readonly #options: ThreadOptions
  readonly #journal: Journal
  readonly #events = new EventSource()
  readonly #newId = uuidSource()
  #spans: Spans | undefined
  #opened: Promise<void> | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #active: { driver: Driver; settled: Promise<ThreadResult> } | undefined

  /** Made by `agent.thread`. */
  constructor(agent: Agent, threadId: string, options: ThreadOptions) {
    this.id = parseThreadId(threadId)
    this.agent = agent
    this.#options = options
    this.#journal = new Journal(options.store ?? memoryStore(), this.id)
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
    checkEntryOptions(options)
    const messages = toMessages(input)
    const start = this.#options.toolExecution?.start ?? (this.channel ? 'settled' : 'cleared')
    return this.#drive(options, (driver, trace) => enterRun(driver, messages, { ...options, start, trace }))
  }

  /** Goes on where the thread stands: after a restart, a failure or a decision made elsewhere. */
  async resume(options: DriveOptions = {}): Promise<ThreadResult> {
    return this.#drive(options, () => undefined)
  }

  /**
   * Answers what the thread waits for and returns what it came to. The answer is stored first: if resuming fails afterwards, responding again
   * goes on. If another process drives the thread, it follows that to its end.
   */
  async respond(response: Response): Promise<ThreadResult> {
    await this.#open()
    const by: Actor = typeof response.by === 'object' ? response.by : { kind: 'person', id: response.by ?? 'local' }
    const live = this.#active
    if (live?.driver.control.detached) await live.settled.catch(() => undefined)
    await this.#answer(response, by)
    if (this.#active) return this.#active.settled
    return this.#follow(response)
  }

  /**
   * Leaves what waits for people to be answered later, by anybody: the pause is stored already, `agent_suspended` is told, then the
   * waiter gets `HitlDetached` and the call under way returns `suspended`. Does nothing if nothing waits.
   */
  async detach(): Promise<void> {
    const active = this.#active
    if (!this.channel) throw new HitlChannelMissing('detach')
    const pending = this.channel.pending
    if (!active || !pending || active.driver.control.detached) return
    this.#events.emit({ type: 'agent_suspended', pendingRequest: pending })
    active.driver.control.detach()
    await active.settled.catch(() => undefined)
  }

  /**
   * Ends the conversation's run for good. First whoever waits is woken, without waiting for a turn; then every unresolved call gets a refusal
   * and the history a last message with `stopReason: 'aborted'`.
   */
  async abortPending(options: { reason?: string; by?: string } = {}): Promise<ThreadResult> {
    const { reason = 'aborted', by = 'local' } = options
    await this.#open()
    this.#active?.driver.waiters.rejectAll(new HitlAborted(reason))
    for (;;) {
      await this.#journal.catchUp()
      const written = await this.#journal.write((state) =>
        state.run?.status === 'open'
          ? { entries: planAbort(state, state.run, { by: { kind: 'person', id: by }, reason }) }
          : undefined,
      )
      if (!written || written.outcome.ok) break
    }
    this.#events.emit({ type: 'agent_aborted', reason })
    const active = this.#active
    active?.driver.control.detach()
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
    const questionId = response.questionId ?? shown?.questionId ?? (await this.loadPendingHitlRequest())?.id
    if (questionId === undefined) throw new HitlNoPendingRequest('(any)')
    // What a body asks on a channel that is not durable is known to that channel alone.
    const inMemory =
      shown &&
      (shown.questionId === questionId || shown.id === questionId) &&
      !channel?.durable &&
      shown.kind !== 'approve'
    if (channel && inMemory) return channel.answer(questionId, answer, { by })
    await answerRequest(desk, { request: questionId, answer, by })
  }

  /** Drives, and when another process does, waits for it: used once an answer is stored. */
  async #follow(options: DriveOptions): Promise<ThreadResult> {
    for (;;) {
      try {
        return await this.#drive(options, () => undefined)
      } catch (error) {
        if (!(error instanceof ThreadBusy)) throw error
        const wait = AbortSignal.any([AbortSignal.timeout(1_000), ...(options.signal ? [options.signal] : [])])
        await this.#journal.store.changed(this.id, { after: this.#journal.state.version, signal: wait })
        if (options.signal?.aborted) return toThreadResult(this.#journal, { kind: 'stopped' })
      }
    }
  }

  #drive(
    options: DriveOptions,
    enter: (driver: Driver, trace: SpanLink | undefined) => Promise<void> | undefined,
  ): Promise<ThreadResult> {
    const result = this.#turn.then(async () => {
      await this.#open()
      const driver = createDriver(this.agent, this.#journal, {
        newId: this.#newId,
        deps: this.#options.deps,
        signal: options.signal,
        maxTurns: options.maxTurns,
        toolErrorFormatter: this.#options.toolErrorFormatter,
        channel: this.channel,
        onTurn: (turn) => this.#events.emit({ type: 'turn_start', turn }),
      })
      const settled = this.#settle(driver, enter)
      this.#active = { driver, settled }
      try {
        return await settled
      } finally {
        this.#active = undefined
      }
    })
    this.#turn = result.catch(() => undefined)
    return result
  }

  async #settle(
    driver: Driver,
    enter: (driver: Driver, trace: SpanLink | undefined) => Promise<void> | undefined,
  ): Promise<ThreadResult> {
    await this.#journal.catchUp()
    const trace = this.#spans?.begin(this.#journal.state)
    try {
      await enter(driver, trace)
      const { run } = this.#journal.state
      if (run) this.agent.requireIdentity(run.agent.id)
      return await this.#driveToEnd(driver)
    } finally {
      this.#spans?.end(driver.signal.aborted ? 'aborted' : 'detached')
    }
  }

  async #driveToEnd(driver: Driver): Promise<ThreadResult> {
    let ending: Ending = await drive(driver)
    while (ending.kind === 'overtaken' && !driver.signal.aborted && this.#journal.state.run?.status === 'open') {
      // Somebody else went on with it: their end is ours too.
      const { version } = this.#journal.state
      await this.#journal.store.changed(this.id, {
        after: version,
        signal: AbortSignal.any([driver.signal, AbortSignal.timeout(1_000)]),
      })
      await this.#journal.catchUp()
      if (this.#journal.state.run?.status !== 'open') ending = { kind: 'settled' }
    }
    return toThreadResult(this.#journal, ending)
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
