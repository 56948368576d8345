import { type CallScope, inside, isAwaited } from '../../ports/call-scope.ts'
import { ThreadBusy, ThreadNotFound, ThreadReentered } from '../../protocol/errors/errors.ts'
import type { SpanLink } from '../../protocol/trace-context.ts'
import type { IdSource } from '../../protocol/uuid.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { Journal } from '../journal/journal.ts'
import { isDue } from '../journal/mark-wake.ts'
import { idleBehind } from '../loop/idle.ts'
import { type Ending, Loop, leftAs } from '../loop/loop.ts'
import type { DriveOptions, ThreadOptions } from './thread-options.ts'
import type { ThreadResult } from './thread-result.ts'
import type { ThreadViews } from './thread-views.ts'

/** Brings input into the thread, or does nothing. */
export type Enter = (loop: Loop, trace: SpanLink | undefined) => Promise<void> | undefined

/** What to do if another process drives: throw `ThreadBusy`, or follow it to its end. */
export type WhenBusy = 'refuse' | 'follow'

/** The thread that is driven. */
interface DrivenThread<TOutput> {
  readonly id: string
  readonly agent: AgentDefinition
  /** The thread as code inside it sees it. */
  readonly owner: object
  readonly journal: Journal
  readonly views: ThreadViews
  readonly newId: IdSource
  readonly scope: CallScope & { readonly holders: Set<string> }
  readonly options: ThreadOptions
  /** A loop is over, except for bodies that take longer. */
  left(over: Promise<void>): void
  toResult(ending: Ending): Promise<ThreadResult<TOutput>>
}

/**
 * One call that drives a thread to its next result.
 *
 * D1  If another process takes the thread over, this one follows it: their end is the result here too, unless they leave it unfinished.
 * D2  Whatever happens, the channel shows nothing of the thread when the drive is over.
 */
export class Drive<TOutput> {
  /** Ends the drive. */
  readonly stop = new AbortController()
  /** Whether the thread was detached. */
  left = false
  readonly #thread: DrivenThread<TOutput>
  readonly #options: DriveOptions
  #loop: Loop
  #settled: Promise<ThreadResult<TOutput>> | undefined

  constructor(thread: DrivenThread<TOutput>, options: DriveOptions) {
    this.#thread = thread
    this.#options = options
    this.#loop = this.#newLoop()
  }

  /** The loop that drives now. */
  get loop(): Loop {
    return this.#loop
  }

  /** The result, when there is one. */
  get settled(): Promise<ThreadResult<TOutput>> {
    if (!this.#settled) throw new Error('a drive that has not begun has no result')
    return this.#settled
  }

  /** For a call that has written something: the result, unless the drive had no step left before it saw that. Then it is driven again. */
  async joined(again: () => Promise<ThreadResult<TOutput>>): Promise<ThreadResult<TOutput>> {
    const result = await this.settled
    const isMissed = result.status === 'suspended' && !this.stop.signal.aborted && isDue(this.#thread.journal)
    return isMissed ? again() : result
  }

  /** Brings input in and drives. Called once. */
  begin(enter: Enter, whenBusy: WhenBusy): Promise<ThreadResult<TOutput>> {
    this.#settled = inside(this.#thread.scope, () => this.#settle(enter, whenBusy))
    return this.#settled
  }

  async #settle(enter: Enter, whenBusy: WhenBusy): Promise<ThreadResult<TOutput>> {
    const { id, agent, journal, views } = this.#thread
    const loop = this.#loop
    await journal.catchUp()
    const trace = views.spans?.begin(journal.state)
    const settle = async () => {
      loop.parts.presenter?.show(journal.state, journal.now())
      views.events.tellOpen(journal.state)
      await enter(loop, trace)
      const { run } = journal.state
      if (!run) throw new ThreadNotFound(id)
      agent.requireIdentity(run.agent.id)
      return this.#toEnd(whenBusy)
    }
    try {
      return await (views.spans ? views.spans.inRun(settle) : settle())
    } finally {
      loop.parts.presenter?.close()
      views.spans?.end(loop.parts.signal.aborted ? 'aborted' : 'detached')
    }
  }

  async #toEnd(whenBusy: WhenBusy): Promise<ThreadResult<TOutput>> {
    const { journal, toResult, left } = this.#thread
    for (let then = whenBusy; ; then = 'follow') {
      const loop = this.#loop
      const ending = await loop.drive().catch((error: unknown): Ending => {
        if (error instanceof ThreadBusy) this.#requireOutside(error, whenBusy)
        if (then === 'follow' && error instanceof ThreadBusy) return { kind: 'overtaken' }
        throw error
      })
      left(loop.over)
      const ended = journal.state.run?.status !== 'open'
      if (ended && (ending.kind === 'stopped' || ending.kind === 'overtaken')) return toResult({ kind: 'settled' })
      if (ending.kind !== 'overtaken') return toResult(ending)
      await idleBehind(loop.parts)
      if (loop.parts.signal.aborted) return toResult({ kind: 'stopped' })
      if (this.left) return toResult(leftAs(journal))
      this.#loop = this.#newLoop()
    }
  }

  /** Throws if the lease is held by a drive that waits for this very call: following it would be a deadlock. */
  #requireOutside({ holder }: ThreadBusy, whenBusy: WhenBusy): void {
    const { id, owner } = this.#thread
    if (!isAwaited(({ thread, holders }) => thread !== owner && holders.has(holder))) return
    throw whenBusy === 'follow'
      ? new ThreadReentered(id, 'respond', { answerStored: true })
      : new ThreadReentered(id, 'resume')
  }

  #newLoop(): Loop {
    const { agent, journal, views, newId, scope, options } = this.#thread
    const { signal, maxTurns } = this.#options
    const { deps, channel, toolErrorFormatter } = options
    const { spans } = views
    return new Loop(agent, journal, {
      ...{ newId, deps, maxTurns, toolErrorFormatter, channel, scope },
      inCall: spans && ((key, work) => spans.inCall(key, work)),
      signal: signal ? AbortSignal.any([signal, this.stop.signal]) : this.stop.signal,
      onTurn: (turn, place) => views.events.emit({ type: 'turn_start', turn, ...place }),
      // An answer that was not streamed is emitted as its message.
      onPart: ({ whole, ...heard }) => !whole && views.events.emit({ type: 'model_part', ...heard }),
    })
  }
}
