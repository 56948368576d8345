import { decisionOutcomes } from '../../core/outcome.ts'
import { callsOf, decidedIn, decisionSpans, findCall, openRequests } from '../../core/queries.ts'
import type { Call, ThreadState } from '../../core/state.ts'
import type { ChannelObserver, WaitEnding } from '../../ports/channel.ts'
import type { Span, SpanAttributes, Tracer } from '../../ports/tracer.ts'
import type { Decision } from '../../protocol/decision.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { type CallKey, frameOf } from '../../protocol/ids.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import type { SpanLink } from '../../protocol/trace-context.ts'

type Outcome = 'approved' | 'denied' | 'edited' | 'answered' | 'cancelled' | 'timed_out' | 'aborted' | 'detached'

/** The data of a request that its span needs. */
interface Asked {
  id: string
  questionId: string
  kind: HitlRequest['kind']
  toolName?: string | undefined
  toolCallId?: string | undefined
  /** The run's call that the request is about, if any. */
  call?: CallKey | undefined
  openedAt: number
}

/**
 * Traces a thread. Each activation has a span, with a child for each tool call. Below a tool call are spans for each wait for a person
 * (`hitl.approve`, `hitl.confirm`, `hitl.ask`) and for each call of a nested run. A pause ends all spans. The spans of a process that resumes go below
 * the run's first one, so that a run is one trace, and are linked to the decisions that they act on.
 */
export class Spans implements ChannelObserver {
  readonly #tracer: Tracer
  /** By call key, since calls of nested runs may share an id. Requests from outside the run use the tool call id that they name. */
  readonly #tools = new Map<string, Span>()
  readonly #waits = new Map<string, { span: Span; asked: Asked }>()
  /** The spans of requests that are being written. If the write is refused, they are dropped. */
  readonly #unwritten = new Map<string, Span>()
  /** Requests that were open before this process joined the thread. */
  readonly #earlier = new Map<string, Asked>()
  #run: Span | undefined
  #links: SpanLink[] = []

  constructor(tracer: Tracer) {
    this.#tracer = tracer
  }

  /** Reads the trace link and the requests that were open before this process joined the thread. */
  learn(state: ThreadState): void {
    const first = firstSpan(state)
    this.#links = first ? [first] : []
    for (const { opened, openedAt } of openRequests(state)) this.#earlier.set(opened.id, { ...opened, openedAt })
  }

  /** Starts the spans of an activation. `lateMs`: a worker was woken, so long ago. Returns the link to store with a new run. */
  begin(state: ThreadState, { lateMs }: { lateMs?: number | undefined } = {}): SpanLink {
    this.learn(state)
    const first = firstSpan(state)
    const active = this.#tracer.active()
    const decisions = decisionSpans(state)
    const attributes = { 'holdpoint.thread_id': state.threadId }
    const woken = lateMs === undefined ? undefined : this.#wakeUp({ first, decisions, lateMs, attributes })
    const links = [...this.#links, ...decisions, ...(first && woken ? [woken.link] : [])]
    if (first && active && active.traceId !== first.traceId) links.push(active)
    this.#run = this.#tracer.start('holdpoint.run', { parent: first ?? woken, links, attributes })
    for (const call of callsOf(state)) if (call.nested && call.phase.at === 'started') this.#tool(call)
    for (const asked of this.#earlier.values()) this.#open(asked, true)
    return this.#run.link
  }

  /** Does the work of the activation with its span as the active one. */
  inRun<T>(work: () => T): T {
    return this.#run ? this.#tracer.inside(this.#run, work) : work()
  }

  /** Runs the body of a call with the call's span as the active one. */
  inCall<T>(key: CallKey, work: () => T): T {
    const span = this.#tools.get(key)
    return span ? this.#tracer.inside(span, work) : work()
  }

  /** Gives a request that is about to be written the span of its wait: who decides elsewhere links to it. */
  stamp(entry: Entry): Entry {
    if (entry.type !== 'request.opened' || entry.run === undefined || !this.#run) return entry
    const span = this.#unwritten.get(entry.id) ?? this.#start({ ...entry, openedAt: 0 }, {})
    this.#unwritten.set(entry.id, span)
    return { ...entry, trace: span.link }
  }

  /** Ends all spans of the activation. `outcome` is that of requests which are still open. */
  end(
    outcome: 'aborted' | 'detached',
    ending: { kind: string; error?: { code: string } } | undefined = undefined,
  ): void {
    for (const id of [...this.#waits.keys()]) this.#close(id, outcome)
    for (const span of this.#tools.values()) span.end()
    this.#tools.clear()
    this.#unwritten.clear()
    if (ending) this.#run?.set({ 'holdpoint.ending': ending.kind })
    if (ending?.error) {
      this.#run?.set({ 'holdpoint.error': ending.error.code })
      this.#run?.fail()
    }
    this.#run?.end()
    this.#run = undefined
  }

  /** Starts and ends spans for an entry that was folded. */
  folded(state: ThreadState, entry: Entry, at: number): void {
    switch (entry.type) {
      case 'request.opened':
        if (entry.run !== undefined) this.#open({ ...entry, openedAt: at }, false)
        return
      case 'request.decided':
        return this.#close(entry.id, decisionOutcomes[entry.decision.type])
      case 'request.answered':
        return this.#close(entry.id, 'answered')
      case 'request.closed':
        return this.#close(
          entry.id,
          entry.status === 'expired' ? 'timed_out' : entry.status === 'aborted' ? 'aborted' : 'cancelled',
        )
      case 'call.started': {
        const call = findCall(state, entry.call)
        if (call) this.#tool(call)
        return
      }
      case 'call.finished':
      case 'call.refused':
        return this.#endTool(entry.call)
      default:
        return
    }
  }

  asked(request: HitlRequest): void {
    // The question id of a body is the call key, a dot and a number.
    const call = request.questionId.slice(0, request.questionId.lastIndexOf('.'))
    const openedAt = Date.parse(request.createdAt)
    this.#open({ ...request, openedAt, ...(this.#tools.has(call) ? { call: call as CallKey } : {}) }, false)
  }

  settled(request: HitlRequest, ending: WaitEnding): void {
    if ('ended' in ending) return this.#close(request.id, ending.ended)
    const decision = request.kind === 'approve' ? (ending.answer as Decision) : undefined
    this.#close(request.id, decision ? decisionOutcomes[decision.type] : 'answered')
  }

  #open(asked: Asked, fromResume: boolean): void {
    const written = this.#unwritten.get(asked.id)
    this.#unwritten.delete(asked.id)
    const span = written ?? this.#start(asked, fromResume ? { fromResume } : { startTime: asked.openedAt })
    this.#waits.set(asked.id, { span, asked })
  }

  #start(asked: Asked, { fromResume = false, ...time }: { fromResume?: boolean; startTime?: number }): Span {
    const { toolName, toolCallId, kind } = asked
    const key = asked.call ?? toolCallId
    const parent =
      key === undefined ? this.#run : this.#tool({ key: key as CallKey, id: toolCallId ?? '', tool: toolName ?? '' })
    const attributes =
      kind === 'approve'
        ? { 'hitl.tool_name': toolName ?? '', 'hitl.tool_call_id': toolCallId ?? '', 'hitl.from_resume': fromResume }
        : { 'hitl.question_id': asked.questionId }
    return this.#tracer.start(`hitl.${kind}`, { parent, links: this.#links, attributes, ...time })
  }

  #close(id: string, outcome: Outcome): void {
    // The request was answered before this process drove the thread again: its wait still gets a span.
    const earlier = this.#earlier.get(id)
    if (!this.#waits.has(id) && earlier) this.#open(earlier, true)
    this.#earlier.delete(id)
    const wait = this.#waits.get(id)
    if (!wait) return
    this.#waits.delete(id)
    wait.span.set({
      'hitl.outcome': outcome,
      'hitl.duration_seconds': Math.max(0, Date.now() - wait.asked.openedAt) / 1000,
    })
    wait.span.end()
  }

  #tool(call: Pick<Call, 'key' | 'id' | 'tool'> & Partial<Pick<Call, 'phase'>>): Span {
    const known = this.#tools.get(call.key)
    if (known) return known
    const parent = this.#tools.get(frameOf(call.key)) ?? this.#run
    const attributes = { 'holdpoint.tool_name': call.tool, 'holdpoint.tool_call_id': call.id }
    const decision = call.phase && decidedIn({ phase: call.phase })
    const links = decision ? [...this.#links, decision] : this.#links
    const span = this.#tracer.start('holdpoint.tool_call', { parent, links, attributes })
    this.#tools.set(call.key, span)
    return span
  }

  #endTool(key: CallKey): void {
    this.#tools.get(key)?.end()
    this.#tools.delete(key)
  }

  /** How long the thread waited for a worker: from its wake time to now. */
  #wakeUp({ first, decisions, lateMs, attributes }: WakeUpSpan): Span {
    const startTime = Date.now() - lateMs
    const span = this.#tracer.start('holdpoint.wake_up', { parent: first, links: decisions, attributes, startTime })
    span.end()
    return span
  }
}

interface WakeUpSpan {
  readonly first: SpanLink | undefined
  readonly decisions: readonly SpanLink[]
  readonly lateMs: number
  readonly attributes: SpanAttributes
}

/** Where the open run began. */
function firstSpan({ run }: ThreadState): SpanLink | undefined {
  return run?.status === 'open' ? run.trace : undefined
}
