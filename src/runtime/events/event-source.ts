import { findCall, findOpenRequest, openRequests, placeOf } from '../../core/queries.ts'
import { noEntries, put, without } from '../../core/shared-map.ts'
import type { Call, ThreadState } from '../../core/state.ts'
import { toInterruption } from '../../core/views/request-view.ts'
import type { ChannelObserver, WaitEnding } from '../../ports/channel.ts'
import { type ListenerErrorHandler, tellListener } from '../../ports/listeners.ts'
import type { Entry, EntryOf } from '../../protocol/entries/entry.ts'
import type { AgentEvent, EventPlace, HitlEvent, LiveEvent, LoopEvent } from '../../protocol/event.ts'
import { type CallKey, frameOf } from '../../protocol/ids.ts'
import type { JsonValue } from '../../protocol/json/json.ts'
import type { HitlRequest } from '../../protocol/request.ts'

type NewEvent = HitlEvent | LoopEvent | LiveEvent

/** Called with each event of a thread. Its errors and rejections go to `onListenerError` and affect nothing else. */
export type AgentListener = (event: AgentEvent) => unknown

/**
 * A thread's events: those of journal entries, emitted as they are folded, and the few that are live only. Events have one order and are numbered.
 * Every request has exactly one terminal event.
 */
export class EventSource implements ChannelObserver {
  #listeners: Set<AgentListener> | undefined
  #questions: ReadonlyMap<string, string> = noEntries()
  #calls: ReadonlyMap<CallKey, { toolCallId: string; toolName: string }> = noEntries()
  /** Open questions that come from the channel and not from the journal, by id. */
  #live: ReadonlyMap<string, HitlRequest> = noEntries()
  readonly #onListenerError: ListenerErrorHandler<AgentEvent> | undefined
  #seq = 0
  /** Ids of requests that were open before this process joined the thread, and that listeners were not told of since. */
  #untold: readonly string[] | undefined
  /** Listeners that heard of these when they subscribed. */
  #knowing: Set<AgentListener> | undefined

  constructor(onListenerError?: ListenerErrorHandler<AgentEvent>) {
    this.#onListenerError = onListenerError
  }

  /** The open questions of tool bodies that only the channel knows. */
  get unstored(): HitlRequest[] {
    return [...this.#live.values()].filter(({ agent }) => agent !== '')
  }

  /** Adds a listener and sends it the open requests: those that are stored, and those that only the channel knows. */
  subscribe(listener: AgentListener, stored: readonly HitlRequest[]): () => void {
    this.listen(listener)
    const open = [...stored.filter(({ id }) => !this.#live.has(id)), ...this.#live.values()]
    if (open.some(({ id }) => this.#untold?.includes(id))) this.#knowing = (this.#knowing ?? new Set()).add(listener)
    for (const request of open) this.#tell(listener, this.#number({ type: 'hitl_request', request }, true))
    return () => this.#listeners?.delete(listener)
  }

  /** Adds a listener for future events. */
  listen(listener: AgentListener): void {
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
  }

  /** Removes all listeners. */
  close(): void {
    this.#listeners?.clear()
  }

  /** Reads the open requests and calls from before this process joined the thread. */
  begin(state: ThreadState): void {
    const open = openRequests(state)
    if (open.length > 0) this.#untold = open.map(({ opened }) => opened.id)
    for (const { opened } of open) {
      if (!this.#live.has(opened.id)) this.#questions = put(this.#questions, opened.id, opened.questionId)
    }
    for (const frame of state.run?.frames.values() ?? []) {
      for (const call of frame.calls) this.#learn(call)
    }
  }

  /** Emits, once, the requests that were open before this process joined the thread: to listeners that have not heard of them. */
  tellOpen(state: ThreadState): void {
    const untold = this.#untold
    const knowing = this.#knowing
    this.#untold = undefined
    this.#knowing = undefined
    for (const request of untold ? openRequests(state) : []) {
      const { id } = request.opened
      if (!untold?.includes(id) || this.#live.has(id)) continue
      this.emit({ type: 'hitl_request', request: toInterruption(state, request) }, true, knowing)
    }
  }

  /** `knowing`: listeners that it is no news for. */
  emit(event: NewEvent, replayed = false, knowing?: ReadonlySet<AgentListener>): void {
    if (!this.#listeners?.size) return
    // A listener that another one adds here hears what is open at once: this event is no news for it.
    const listeners = [...this.#listeners].filter((listener) => !knowing?.has(listener))
    if (listeners.length === 0) return
    const numbered = this.#number(event, replayed)
    for (const listener of listeners) if (this.#listeners.has(listener)) this.#tell(listener, numbered)
  }

  /** Emits the events of an entry that was just folded. */
  folded(state: ThreadState, entry: Entry): void {
    for (const event of this.#eventsOf(state, entry)) this.emit(event)
  }

  asked(request: HitlRequest): void {
    this.#live = put(this.#live, request.id, request)
    this.emit({ type: 'hitl_request', request })
  }

  /** Emits the end of a question that only the channel knew. A detached question ends too, since nobody can answer it any more. */
  settled(request: HitlRequest, ending: WaitEnding): void {
    if (!this.#live.has(request.id)) return
    this.#live = without(this.#live, request.id)
    const answer = 'answer' in ending ? ending.answer : null
    const cancelled = 'ended' in ending && ending.ended !== 'timed_out'
    const timedOut = 'ended' in ending && ending.ended === 'timed_out'
    this.emit({ type: 'hitl_answer', questionId: request.questionId, answer, cancelled, timedOut })
  }

  #tell(listener: AgentListener, event: AgentEvent): void {
    tellListener(listener, structuredClone(event), this.#onListenerError)
  }

  #number(event: NewEvent, replayed: boolean): AgentEvent {
    this.#seq += 1
    return { ...event, seq: this.#seq, replayed }
  }

  #eventsOf(state: ThreadState, entry: Entry): NewEvent[] {
    switch (entry.type) {
      case 'run.opened':
        return [{ type: 'agent_start', runId: entry.run, input: entry.input }]
      case 'model.answered':
        return [
          { type: 'message', message: entry.message, ...placeAt(state, entry.frame) },
          ...(entry.message.toolCalls?.length || entry.byTools
            ? []
            : [{ type: 'turn_end', turn: entry.turn, ...placeAt(state, entry.frame) } as const]),
        ]
      case 'call.judged': {
        const call = findCall(state, entry.call)
        if (call) this.#learn(call)
        return []
      }
      case 'call.started': {
        const call = findCall(state, entry.call)
        if (call?.phase.at !== 'started') return []
        return [
          {
            type: 'tool_start',
            ...this.#call(entry.call),
            args: call.phase.release.args,
            attempt: entry.attempt,
            ...placeAt(state, frameOf(entry.call)),
          },
        ]
      }
      case 'call.finished':
      case 'call.refused':
        return this.#ended(state, entry)
      case 'request.opened':
      case 'request.reopened':
        return this.#opened(state, entry.id, entry.type === 'request.opened' ? entry.run : entry.id)
      case 'request.decided':
        return this.#answered(entry, entry.decision as JsonValue, {})
      case 'request.answered':
        return this.#answered(entry, entry.answer, {})
      case 'request.closed':
        return this.#answered(entry, null, entry.status === 'expired' ? { timedOut: true } : { cancelled: true })
      case 'agent.changed':
        return [{ type: 'agent_changed', agent: entry.agent.id, ...placeAt(state, entry.frame) }]
      case 'run.settled':
        return [{ type: 'agent_end', runId: entry.run, status: entry.status }]
      default:
        return []
    }
  }

  #ended(state: ThreadState, entry: EntryOf<'call.finished' | 'call.refused'>): NewEvent[] {
    const { call, result } = entry
    const refused = entry.type === 'call.refused' ? { refused: entry.cause } : {}
    const ended = {
      type: 'tool_end',
      ...this.#call(call),
      result,
      ...refused,
      ...placeAt(state, frameOf(call)),
    } as const
    return [ended, ...this.#turnEnd(state, call)]
  }

  /** Skips requests outside the run: the application asked those itself, and the channel reports them. */
  #opened(state: ThreadState, id: string, inside: string | undefined): NewEvent[] {
    const request = inside === undefined ? undefined : findOpenRequest(state, id)
    if (!request) return []
    this.#untold = this.#untold?.filter((other) => other !== id)
    this.#questions = put(this.#questions, id, request.opened.questionId)
    return [{ type: 'hitl_request', request: toInterruption(state, request) }]
  }

  #answered(entry: { id: string }, answer: JsonValue, how: { cancelled?: boolean; timedOut?: boolean }): NewEvent[] {
    const questionId = this.#questions.get(entry.id)
    if (questionId === undefined) return []
    this.#questions = without(this.#questions, entry.id)
    return [
      { type: 'hitl_answer', questionId, answer, cancelled: how.cancelled ?? false, timedOut: how.timedOut ?? false },
    ]
  }

  #learn({ key, id, tool }: Call): void {
    this.#calls = put(this.#calls, key, { toolCallId: id, toolName: tool })
  }

  #call(key: CallKey): { toolCallId: string; toolName: string } {
    return this.#calls.get(key) ?? { toolCallId: '', toolName: '' }
  }

  #turnEnd(state: ThreadState, key: CallKey): NewEvent[] {
    const frame = state.run?.frames.get(frameOf(key))
    if (!frame || frame.calls.length > 0) return []
    for (const known of [...this.#calls.keys()])
      if (frameOf(known) === frame.key) this.#calls = without(this.#calls, known)
    return [{ type: 'turn_end', turn: frame.turn, ...placeAt(state, frame.key) }]
  }
}

function placeAt({ run }: ThreadState, frame: string): EventPlace {
  return run ? placeOf(run, frame) : { path: [], depth: 0 }
}
