import { isAwaited, scopeOf } from '../../ports/call-scope.ts'
import type { Channel } from '../../ports/channel.ts'
import { untilAborted } from '../../ports/signals.ts'
import { toolExecutionOf } from '../../protocol/checks/check-options.ts'
import { HitlAborted, HitlChannelMissing, ThreadClosed, ThreadReentered } from '../../protocol/errors/errors.ts'
import { parseThreadId } from '../../protocol/ids.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import type { ContextInput } from '../../protocol/run-context.ts'
import { uuidSource } from '../../protocol/uuid.ts'
import type { GivenAnswers } from '../answers/answer-all.ts'
import { firstOpenRequest, storedRequests } from '../answers/pending-request.ts'
import { Shown, type ShownRequest } from '../answers/shown.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { AgentListener } from '../events/event-source.ts'
import { InTurn } from '../journal/in-turn.ts'
import type { Ending } from '../loop/loop.ts'
import { threadDesk } from '../loop/thread-desk.ts'
import { enterRun, joinWaiting } from '../run/enter-run.ts'
import { type Input, toMessages } from '../run/input.ts'
import { RunState } from '../run/run-state.ts'
import { type AbortOptions, abortRun, checkAbort } from './abort-run.ts'
import { answerThread } from './answer-thread.ts'
import { Drive, type Enter, type WhenBusy } from './drive.ts'
import { NextResult } from './next-result.ts'
import { ThreadJournal } from './thread-journal.ts'
import {
  checkDriveOptions,
  checkThreadOptions,
  type DriveOptions,
  type PromptOptions,
  type ThreadAnswer,
  type ThreadOptions,
} from './thread-options.ts'
import { type ThreadResult, toThreadResult } from './thread-result.ts'
import { ThreadViews } from './thread-views.ts'
import { UnderWay } from './under-way.ts'

const RESPOND = 'thread.respond()'

/** A live conversation. Calls that drive it are serialised in a process; across processes the lease decides, and the loser gets `ThreadBusy`. */
export class Thread<TContext = ContextInput, TOutput = string> implements AsyncDisposable {
  readonly id: string
  /** @internal */
  readonly agent: AgentDefinition
  readonly #options: ThreadOptions
  readonly #kept: ThreadJournal
  readonly #views: ThreadViews
  readonly #newId = uuidSource()
  readonly #shown = new Shown()
  readonly #turns = new InTurn()
  #active: Drive<TOutput> | undefined
  /** Answers of `respond` that are being stored. */
  readonly #answers = new UnderWay()
  readonly #results = new NextResult<ThreadResult<TOutput>>()
  #closing: Promise<void> | undefined

  /** Made by `agent.thread`. */
  constructor(agent: AgentDefinition, threadId: string, options: ThreadOptions) {
    checkThreadOptions(options)
    this.id = parseThreadId(threadId)
    this.agent = agent
    this.#options = options
    this.#views = new ThreadViews(this.id, options.channel, options.onListenerError)
    this.#kept = new ThreadJournal(this.id, options.store, this.#views)
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
    return this.#kept.during(async () => {
      await this.#open()
      const first = await firstOpenRequest(this.#kept.now)
      this.#shown.look(first ? [first] : [])
      return first
    })
  }

  /** Calls a listener with each event, beginning with the requests that are open now. Returns a function that unsubscribes. */
  subscribe(listener: AgentListener): () => void {
    this.#requireUnclosed()
    return this.#views.subscribe(listener, this.#kept.openRequests)
  }

  /** The thread as it is stored now, for `toUIMessages` and others that read. Throws `ThreadNotFound` if it has had no run. */
  async state(): Promise<RunState> {
    this.#requireUnclosed()
    return RunState.load(this.agent, { store: this.#kept.store, threadId: this.id, messages: true })
  }

  /** Resolves with the result of the call that drives the thread now, or of the next one. Rejects if that call does, and if the thread is closed. */
  async nextResult(): Promise<ThreadResult<TOutput>> {
    this.#requireUnclosed()
    return this.#results.next()
  }

  /** Gives the conversation new input and drives it until it settles. */
  prompt(input: Input, given: PromptOptions<TContext> = {}): Promise<ThreadResult<TOutput>> {
    return this.#told(() => this.#prompt(input, given))
  }

  /** Resumes the thread after a restart, a failure or a decision made elsewhere. */
  resume(options: DriveOptions = {}): Promise<ThreadResult<TOutput>> {
    return this.#told(async () => {
      this.#requireFree('resume')
      checkDriveOptions('thread.resume()', options)
      return this.#drive(options, () => undefined)
    })
  }

  /**
   * Answers what the thread waits for, and returns the next result. The answer is stored first: if resuming fails then, responding again goes on.
   * If another process drives the thread, this call follows it to its end. An answer that names no request is for what this thread has shown; the
   * same answer again returns the settled result and never reaches the next question.
   */
  respond(response: ThreadAnswer): Promise<ThreadResult<TOutput>> {
    return this.#told(() => this.#respond(response))
  }

  #told(call: () => Promise<ThreadResult<TOutput>>): Promise<ThreadResult<TOutput>> {
    return this.#results.of(this.#kept.during(call), () => this.#active !== undefined)
  }

  async #prompt(input: Input, given: PromptOptions<TContext>): Promise<ThreadResult<TOutput>> {
    this.#requireFree('prompt')
    const options = given as PromptOptions // Whatever its type: it is checked as JSON.
    checkDriveOptions('thread.prompt()', options, ['context', 'whilePaused', 'maxRejections'])
    const messages = toMessages(input)
    this.#shown.forget()
    const execution = toolExecutionOf(this.#options.toolExecution, this.channel ? 'settled' : 'cleared')
    const joins = options.whilePaused !== undefined && this.#active !== undefined
    // The drive under way waits for people, and this call would wait for it: add the input without driving.
    if (joins && (await joinWaiting(this.#kept.now, messages, { ...options, ...execution }))) {
      const follow = () => this.#drive(options, () => undefined, 'follow')
      return this.#active ? this.#active.joined(follow) : follow()
    }
    return this.#drive(options, (loop, trace) => enterRun(loop.parts, messages, { ...options, ...execution, trace }))
  }

  async #respond(response: ThreadAnswer): Promise<ThreadResult<TOutput>> {
    this.#requireFree('respond')
    const { signal, maxTurns, ...answer } = response ?? {}
    const turns = maxTurns === undefined ? {} : { maxTurns }
    checkDriveOptions(RESPOND, signal === undefined ? turns : { signal, ...turns })
    // What is shown now: later requests are not what this answers.
    const { requests: shown } = this.#shown
    const live = this.#views.shownLive(this.#active && this.#kept.now.state)
    const requests = live && !shown?.length ? [live] : shown
    await this.#open()
    const active = this.#active
    if (active?.loop.isDetached) await active.settled.catch(() => undefined)
    await this.#answers.add(this.#answer(answer as GivenAnswers, requests))
    // The application asked outside of any run, or the thread was closed: there is nothing to resume here.
    const resumable = this.#kept.now.state.run !== null && this.#closing === undefined
    if (!this.#active && !resumable) return this.#result({ kind: 'stopped' })
    const follow = () => this.#drive(response, () => undefined, 'follow')
    if (!this.#active) return follow()
    const joined = this.#active.joined(follow)
    if (!signal) return joined
    return untilAborted(joined, signal).catch((error: unknown) => {
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
    if (!this.channel) throw new HitlChannelMissing('detach')
    const active = this.#active
    if (!active) return
    const { journal, presenter } = active.loop.parts
    const waits = (): boolean => storedRequests(journal.state).length > 0 || this.#views.asksUnstored
    if (!waits()) return
    // Answers that were given before still count.
    await Promise.allSettled([presenter?.drained(), ...this.#answers.all])
    await journal.catchUp()
    if (active !== this.#active || active.left || !waits()) return
    const [stored] = storedRequests(journal.state)
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
  async abortPending(options: AbortOptions = {}): Promise<ThreadResult<TOutput>> {
    const abort = checkAbort(options)
    this.#requireUnclosed()
    return this.#kept.during(async () => {
      await this.#open()
      const stop = new HitlAborted(abort.reason)
      this.#active?.loop.parts.waiting.rejectAll(stop)
      await abortRun(this.#kept.now, abort)
      this.#views.events.emit({ type: 'agent_aborted', reason: abort.reason })
      const active = this.#active
      active?.stop.abort(stop)
      if (!this.#isAwaited()) await active?.settled.catch(() => undefined)
      return this.#result({ kind: 'settled' })
    })
  }

  #answer(given: GivenAnswers, requests: readonly ShownRequest[] | undefined): Promise<void> {
    const { now: journal } = this.#kept
    const place = { journal, desk: threadDesk(journal, this.agent, this.#newId), shown: this.#shown }
    return answerThread({ ...place, channel: this.channel }, given, { what: RESPOND, requests })
  }

  #result(ending: Ending): Promise<ThreadResult<TOutput>> {
    const parts = { journal: this.#kept.now, agent: this.agent, shown: this.#shown }
    return toThreadResult(parts, ending) as Promise<ThreadResult<TOutput>>
  }

  /** Drives in its turn. If another process drives: refuses, or follows it to its end once an answer is stored. */
  #drive(options: DriveOptions, enter: Enter, whenBusy: WhenBusy = 'refuse'): Promise<ThreadResult<TOutput>> {
    const scope = scopeOf(this)
    const begin = async () => {
      await this.#ready()
      const own = { id: this.id, agent: this.agent, options: this.#options, views: this.#views, newId: this.#newId }
      const left = (over: Promise<void>) => void this.#kept.during(() => over)
      const ends = { left, toResult: (ending: Ending) => this.#result(ending) }
      const drive = new Drive({ ...own, ...ends, journal: this.#kept.now, owner: this, scope }, options)
      this.#active = drive
      try {
        return await drive.begin(enter, whenBusy)
      } finally {
        scope.over = true
        this.#active = undefined
      }
    }
    // The call that it is made for may be over before it, by its signal.
    return this.#kept.during(() => this.#turns.run(begin))
  }

  async #ready(): Promise<void> {
    await this.#kept.open((journal, id) => {
      // A request is on the channel before listeners hear of it: they may answer at once.
      this.#active?.loop.parts.presenter?.show(journal.state, journal.now(), id)
    })
    // It may have been closed meanwhile, when there was no drive yet that could be stopped.
    this.#requireUnclosed()
  }

  /** For calls that drive nothing. A drive tells listeners what is open once the channel shows it. */
  async #open(): Promise<void> {
    await this.#ready()
    if (!this.#active) this.#views.events.tellOpen(this.#kept.now.state)
  }

  async #close(): Promise<void> {
    const active = this.#active
    active?.stop.abort(new ThreadClosed(this.id))
    this.#views.close()
    if (!this.#isAwaited()) await Promise.allSettled([active?.settled, this.#turns.over, ...this.#answers.all])
    this.#results.fail(new ThreadClosed(this.id))
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
