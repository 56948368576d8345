import { planAbortAll } from '../../core/plan/calls.ts'
import { parseActor } from '../../desk/record/on-record.ts'
import { isAwaited, scopeOf } from '../../ports/call-scope.ts'
import type { Channel } from '../../ports/channel.ts'
import { requireListenerErrorHandler } from '../../ports/listeners.ts'
import { untilAborted } from '../../ports/signals.ts'
import {
  checkToolExecution,
  requireSignal,
  requireStore,
  toolExecutionOf,
} from '../../protocol/checks/check-options.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { Actor } from '../../protocol/decision.ts'
import {
  HitlAborted,
  HitlChannelMissing,
  InputInvalid,
  ThreadClosed,
  ThreadReentered,
} from '../../protocol/errors/errors.ts'
import { parseThreadId } from '../../protocol/ids.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import type { ContextInput } from '../../protocol/run-context.ts'
import { uuidSource } from '../../protocol/uuid.ts'
import { memoryStore } from '../../store/memory/store.ts'
import type { GivenAnswers } from '../answers/answer-all.ts'
import { firstOpenRequest, storedRequests } from '../answers/pending-request.ts'
import { Shown, type ShownRequest } from '../answers/shown.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { AgentListener } from '../events/event-source.ts'
import { Journal } from '../journal/journal.ts'
import type { Ending } from '../loop/loop.ts'
import { threadDesk } from '../loop/thread-desk.ts'
import { checkEntryOptions, enterRun, joinWaiting } from '../run/enter-run.ts'
import { type Input, toMessages } from '../run/input.ts'
import { answerThread } from './answer-thread.ts'
import { Drive, type Enter, type WhenBusy } from './drive.ts'
import type { DriveOptions, PromptOptions, ThreadAnswer, ThreadOptions } from './thread-options.ts'
import { type ThreadResult, toThreadResult } from './thread-result.ts'
import { ThreadViews } from './thread-views.ts'

const DRIVE = ['signal', 'maxTurns']
const RESPOND = 'thread.respond()'

/** A live conversation. Calls that drive it are serialised in a process; across processes the lease decides, and the loser gets `ThreadBusy`. */
export class Thread<TContext = ContextInput, TOutput = string> implements AsyncDisposable {
  readonly id: string
  /** @internal */
  readonly agent: AgentDefinition
  readonly #options: ThreadOptions
  readonly #journal: Journal
  readonly #views: ThreadViews
  readonly #newId = uuidSource()
  readonly #shown = new Shown()
  #opened: Promise<void> | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #active: Drive<TOutput> | undefined
  /** Answers of `respond` that are being stored. */
  readonly #answers = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined

  /** Made by `agent.thread`. */
  constructor(agent: AgentDefinition, threadId: string, options: ThreadOptions) {
    const known = ['store', 'channel', 'deps', 'toolErrorFormatter', 'toolExecution', 'onListenerError']
    requireKnown('agent.thread()', options, known)
    if (options.store !== undefined) requireStore('agent.thread()', options.store)
    requireListenerErrorHandler('agent.thread()', options.onListenerError)
    checkToolExecution(options.toolExecution)
    this.id = parseThreadId(threadId)
    this.agent = agent
    this.#options = options
    this.#journal = new Journal(options.store ?? memoryStore(), this.id)
    this.#views = new ThreadViews(this.id, options.channel, options.onListenerError)
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

  /** The first open request, read from the store: also in a fresh process or after a detach. */
  async loadPendingHitlRequest(): Promise<HitlRequest | undefined> {
    this.#requireUnclosed()
    await this.#open()
    const first = await firstOpenRequest(this.#journal)
    this.#shown.look(first ? [first] : [])
    return first
  }

  /** Calls a listener with each event, beginning with the requests that are open now. Returns a function that unsubscribes. */
  subscribe(listener: AgentListener): () => void {
    this.#requireUnclosed()
    return this.#views.subscribe(listener, this.#journal.state)
  }

  /** Gives the conversation new input and drives it until it settles. */
  async prompt(input: Input, given: PromptOptions<TContext> = {}): Promise<ThreadResult<TOutput>> {
    this.#requireFree('prompt')
    const options = given as PromptOptions // Whatever its type: it is checked as JSON.
    requireKnown('thread.prompt()', options, [...DRIVE, 'context', 'whilePaused', 'maxRejections'])
    requireSignal('thread.prompt()', options?.signal)
    checkEntryOptions(options)
    const messages = toMessages(input)
    this.#shown.forget()
    const execution = toolExecutionOf(this.#options.toolExecution, this.channel ? 'settled' : 'cleared')
    const joins = options.whilePaused !== undefined && this.#active !== undefined
    // The drive under way waits for people, and this call would wait for it: add the input without driving.
    if (joins && (await joinWaiting(this.#journal, messages, { ...options, ...execution }))) {
      return this.#active?.settled ?? this.#drive(options, () => undefined, 'follow')
    }
    return this.#drive(options, (loop, trace) => enterRun(loop.parts, messages, { ...options, ...execution, trace }))
  }

  /** Resumes the thread after a restart, a failure or a decision made elsewhere. */
  async resume(options: DriveOptions = {}): Promise<ThreadResult<TOutput>> {
    this.#requireFree('resume')
    requireKnown('thread.resume()', options, DRIVE)
    requireSignal('thread.resume()', options?.signal)
    checkEntryOptions(options)
    return this.#drive(options, () => undefined)
  }

  /**
   * Answers what the thread waits for, and returns the next result. The answer is stored first: if resuming fails then, responding again goes on.
   * If another process drives the thread, this call follows it to its end. An answer that names no request is for what this thread has shown; the
   * same answer again returns the settled result and never reaches the next question.
   */
  async respond(response: ThreadAnswer): Promise<ThreadResult<TOutput>> {
    this.#requireFree('respond')
    const { signal, maxTurns, ...answer } = response ?? {}
    requireSignal(RESPOND, signal)
    checkEntryOptions({ ...(maxTurns === undefined ? {} : { maxTurns }) })
    // What is shown now: later requests are not what this answers.
    const { requests: shown } = this.#shown
    const requests = shown && shown.length > 0 ? shown : (this.#shownLive() ?? shown)
    await this.#open()
    const live = this.#active
    if (live?.loop.isDetached) await live.settled.catch(() => undefined)
    await this.#answering(this.#answer(answer as GivenAnswers, requests))
    // The application asked outside of any run, or the thread was closed: there is nothing to resume here.
    const resumable = this.#journal.state.run !== null && this.#closing === undefined
    if (!this.#active && !resumable) return this.#result({ kind: 'stopped' })
    if (!this.#active) return this.#drive(response, () => undefined, 'follow')
    const { settled } = this.#active
    if (!signal) return settled
    return untilAborted(settled, signal).catch((error: unknown) => {
      if (signal.aborted) return this.#result({ kind: 'stopped' })
      throw error
    })
  }

  /**
   * Stops waiting for people: open requests can be answered later, by anybody. Emits `agent_suspended`; waiting bodies get `HitlDetached`, and
   * the call under way returns `suspended`. Does nothing if nothing waits. A question of a body on a channel without durability is lost: then the
   * result is `incomplete`, and resuming enters the body again.
   */
  async detach(): Promise<void> {
    this.#requireUnclosed()
    const active = this.#active
    if (!this.channel) throw new HitlChannelMissing('detach')
    const waits = (): boolean => storedRequests(this.#journal.state).length > 0 || this.#views.asksUnstored
    if (!active || !waits()) return
    // Answers that were given before still count.
    await Promise.allSettled([active.loop.parts.presenter?.drained(), ...this.#answers])
    await this.#journal.catchUp()
    if (active !== this.#active || active.left || !waits()) return
    const [stored] = storedRequests(this.#journal.state)
    if (stored) this.#views.events.emit({ type: 'agent_suspended', pendingRequest: stored })
    active.left = true
    active.loop.detach()
    if (!this.#isAwaited()) await active.settled.catch(() => undefined)
  }

  /**
   * Releases everything: stops driving (the call under way returns `incomplete`), drops the lease, removes subscribers, leaves the channel. What is
   * stored stays. Later calls throw `ThreadClosed`; closing again does nothing.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Ends the run for good: waiting bodies are rejected at once, open calls are refused, and the last message has `stopReason: 'aborted'`. */
  async abortPending(options: { reason?: string; by?: string | Actor } = {}): Promise<ThreadResult<TOutput>> {
    requireKnown('thread.abortPending()', options, ['reason', 'by'])
    this.#requireUnclosed()
    const { reason = 'aborted' } = options
    if (typeof reason !== 'string') throw new InputInvalid('The reason of thread.abortPending() must be a string.')
    const by = parseActor(options.by ?? 'local')
    await this.#open()
    this.#active?.loop.parts.waiting.rejectAll(new HitlAborted(reason))
    await this.#journal.catchUp()
    await this.#journal.write((state) => {
      const entries = planAbortAll(state, { by, reason })
      return entries.length > 0 ? { entries } : undefined
    })
    this.#views.events.emit({ type: 'agent_aborted', reason })
    const active = this.#active
    active?.stop.abort(new HitlAborted(reason))
    if (!this.#isAwaited()) await active?.settled.catch(() => undefined)
    return this.#result({ kind: 'settled' })
  }

  #answer(given: GivenAnswers, requests: readonly ShownRequest[] | undefined): Promise<void> {
    const desk = threadDesk(this.#journal, this.agent, this.#newId)
    const place = { journal: this.#journal, desk, shown: this.#shown, channel: this.channel }
    return answerThread(place, given, { what: RESPOND, requests })
  }

  /** What people were shown while it waits: on its channel, or before that through its listeners. */
  #shownLive(): readonly ShownRequest[] | undefined {
    const pending = this.channel?.pending
    const live =
      pending?.threadId === this.id
        ? pending
        : this.#active && (storedRequests(this.#journal.state)[0] ?? this.#views.events.unstored[0])
    return live && [live]
  }

  async #result(ending: Ending): Promise<ThreadResult<TOutput>> {
    const result = await toThreadResult({ journal: this.#journal, agent: this.agent, shown: this.#shown }, ending)
    return result as ThreadResult<TOutput>
  }

  async #answering(answer: Promise<unknown>): Promise<void> {
    this.#answers.add(answer)
    await answer.finally(() => this.#answers.delete(answer))
  }

  /** Drives in its turn. If another process drives: refuses, or follows it to its end once an answer is stored. */
  #drive(options: DriveOptions, enter: Enter, whenBusy: WhenBusy = 'refuse'): Promise<ThreadResult<TOutput>> {
    const scope = scopeOf(this)
    const result = this.#turn.then(async () => {
      await this.#ready()
      const { id, agent } = this
      const own = { owner: this, journal: this.#journal, views: this.#views, newId: this.#newId }
      const toResult = (ending: Ending) => this.#result(ending)
      const drive = new Drive({ id, agent, ...own, scope, options: this.#options, toResult }, options)
      this.#active = drive
      try {
        return await drive.begin(enter, whenBusy)
      } finally {
        scope.over = true
        this.#active = undefined
      }
    })
    this.#turn = result.catch(() => undefined)
    return result
  }

  async #ready(): Promise<void> {
    this.#opened ??= this.#views.begin(this.#journal, (id) => {
      // A request is on the channel before listeners hear of it: they may answer at once.
      this.#active?.loop.parts.presenter?.show(this.#journal.state, this.#journal.now(), id)
    })
    await this.#opened
    // It may have been closed meanwhile, when there was no drive yet that could be stopped.
    this.#requireUnclosed()
  }

  /** For calls that drive nothing. A drive tells listeners what is open once the channel shows it. */
  async #open(): Promise<void> {
    await this.#ready()
    if (!this.#active) this.#views.events.tellOpen(this.#journal.state)
  }

  async #close(): Promise<void> {
    const active = this.#active
    active?.stop.abort(new ThreadClosed(this.id))
    this.#views.close()
    if (!this.#isAwaited()) await Promise.allSettled([active?.settled, this.#turn, ...this.#answers])
  }

  #requireUnclosed(): void {
    if (this.#closing !== undefined) throw new ThreadClosed(this.id)
  }

  /** Refuses a call from inside the drive that it would wait for. */
  #requireFree(what: 'prompt' | 'resume' | 'respond'): void {
    this.#requireUnclosed()
    if (this.#isAwaited()) throw new ThreadReentered(this.id, what)
  }

  #isAwaited(): boolean {
    return isAwaited(({ thread }) => thread === this)
  }
}
