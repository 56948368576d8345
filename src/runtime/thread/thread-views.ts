import type { ThreadState } from '../../core/state.ts'
import type { Channel, ChannelObserver, WaitEnding } from '../../ports/channel.ts'
import type { ListenerErrorHandler } from '../../ports/listeners.ts'
import type { AgentEvent } from '../../protocol/event.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import { loadOtel } from '../../tracing/otel.ts'
import { storedRequests } from '../answers/pending-request.ts'
import { type AgentListener, EventSource } from '../events/event-source.ts'
import { Spans } from '../events/spans.ts'
import type { Journal } from '../journal/journal.ts'

/**
 * What a thread tells of itself, as events and as spans: read off its journal, and off its channel for what is not stored.
 *
 * V1  A channel that many threads share keeps nothing of finished ones: it holds a thread only while that thread has subscribers.
 */
export class ThreadViews implements ChannelObserver {
  static readonly #forgotten = new FinalizationRegistry<() => void>((stop) => stop())
  readonly events: EventSource
  spans: Spans | undefined
  readonly #threadId: string
  readonly #channel: Channel | undefined
  readonly #unobserve: (() => void) | undefined
  #pins: Set<() => void> | undefined

  constructor(
    threadId: string,
    channel: Channel | undefined,
    onListenerError: ListenerErrorHandler<AgentEvent> | undefined,
  ) {
    this.#threadId = threadId
    this.#channel = channel
    this.events = new EventSource(onListenerError)
    this.#unobserve = channel && ThreadViews.#observeWeakly(channel, this)
  }

  /** Takes the thread's current state. */
  async begin(journal: Journal): Promise<void> {
    const tracer = loadOtel()
    if (tracer) this.spans = new Spans(tracer)
    await journal.loadToDrive()
    this.events.begin(journal.state)
    this.spans?.learn(journal.state)
  }

  /**
   * Emits events for later entries. `show` is called before a new request is announced. Returns a function that stops it: another journal that is
   * where this one was may go on.
   */
  watch(journal: Journal, show: (id: string) => void): () => void {
    const { spans } = this
    if (spans) journal.stampWith((entry) => spans.stamp(entry))
    return journal.observe((entry, at) => {
      if (entry.type === 'request.opened' || entry.type === 'request.reopened') show(entry.id)
      this.events.folded(journal.state, entry)
      spans?.folded(journal.state, entry, at)
    })
  }

  /** Adds a listener. As long as there is one, the channel keeps this object alive. */
  subscribe(listener: AgentListener, stored: readonly HitlRequest[]): () => void {
    const stop = this.events.subscribe(listener, stored)
    const unpin = this.#channel?.observe({ asked: () => void this, settled: () => void this })
    if (unpin) {
      this.#pins ??= new Set()
      this.#pins.add(unpin)
    }
    return () => {
      stop()
      unpin?.()
      if (unpin) this.#pins?.delete(unpin)
    }
  }

  /** Tells nobody any more. */
  close(): void {
    this.events.close()
    this.#unobserve?.()
    for (const unpin of this.#pins ?? []) unpin()
    this.#pins = undefined
  }

  /** Whether a tool body waits for an answer that only the channel knows of. */
  get asksUnstored(): boolean {
    const shown = this.#channel?.pending
    return this.events.unstored.length > 0 || (shown?.threadId === this.#threadId && shown.agent !== '')
  }

  /** What people were shown: on the channel, or, while the thread is driven (`state`), before that through its listeners. */
  shownLive(state: ThreadState | undefined): HitlRequest | undefined {
    const pending = this.#channel?.pending
    if (pending?.threadId === this.#threadId) return pending
    return state ? (storedRequests(state)[0] ?? this.events.unstored[0]) : undefined
  }

  asked(request: HitlRequest): void {
    if (!this.#isOurs(request)) return
    this.events.asked(request)
    this.spans?.asked(request)
  }

  settled(request: HitlRequest, ending: WaitEnding): void {
    if (!this.#isOurs(request)) return
    this.events.settled(request, ending)
    this.spans?.settled(request, ending)
  }

  /** Listens to a channel without being kept alive by it. */
  static #observeWeakly(channel: Channel, views: ThreadViews): () => void {
    const weak = new WeakRef(views)
    const stop = channel.observe({
      asked: (request) => weak.deref()?.asked(request),
      settled: (request, ending) => weak.deref()?.settled(request, ending),
    })
    ThreadViews.#forgotten.register(views, stop)
    return stop
  }

  #isOurs({ threadId }: HitlRequest): boolean {
    return threadId === '' || threadId === this.#threadId
  }
}
