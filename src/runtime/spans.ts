import { type Call, callsOf, openRequests, type ThreadState } from '../core/state.ts'
import type { ChannelObserver, WaitEnding } from '../ports/channel.ts'
import type { Span, SpanLink, Tracer } from '../ports/tracer.ts'
import type { Decision } from '../protocol/decision.ts'
import type { Entry } from '../protocol/entry.ts'
import type { CallKey } from '../protocol/ids.ts'
import type { HitlRequest } from '../protocol/request.ts'

type Outcome = 'approved' | 'denied' | 'edited' | 'answered' | 'cancelled' | 'timed_out' | 'aborted' | 'detached'

/** What a span says of a request. */
interface Asked {
  id: string
  questionId: string
  kind: HitlRequest['kind']
  toolName?: string | undefined
  toolCallId?: string | undefined
  openedAt: number
}

const DECIDED: Record<Decision['type'], Outcome> = {
  approve: 'approved',
  reject: 'denied',
  edit: 'edited',
  respond: 'answered',
}

/**
 * Turns what happens in a thread into spans: one for each activation, under it one for each tool call, under that one for each wait for a person
 * (`hitl.approve`, `hitl.confirm`, `hitl.ask`). A pause ends them; those of the process that goes on are linked to the run's first.
 */
export class Spans implements ChannelObserver {
  readonly #tracer: Tracer
  readonly #tools = new Map<string, Span>()
  readonly #waits = new Map<string, { span: Span; asked: Asked }>()
  /** Requests that were open before this process took part. */
  readonly #earlier = new Map<string, Asked>()
  #run: Span | undefined
  #links: SpanLink[] = []

  constructor(tracer: Tracer) {
    this.#tracer = tracer
  }

  /** Learns what the thread stood at before this process took part. */
  learn(state: ThreadState): void {
    const first = state.run?.status === 'open' ? state.run.trace : undefined
    this.#links = first ? [first] : []
    for (const { opened, openedAt } of openRequests(state)) this.#earlier.set(opened.id, { ...opened, openedAt })
  }

  /** An activation begins. Returns what to store with a new run. */
  begin(state: ThreadState): SpanLink {
    this.learn(state)
    const attributes = { 'holdpoint.thread_id': state.threadId }
    this.#run = this.#tracer.start('holdpoint.run', { links: this.#links, attributes })
    for (const asked of this.#earlier.values()) this.#open(asked, true)
    return this.#run.link
  }

  /** The activation ended; whatever waits is left to others. */
  end(outcome: 'aborted' | 'detached'): void {
    for (const id of [...this.#waits.keys()]) this.#close(id, outcome)
    for (const span of this.#tools.values()) span.end()
    this.#tools.clear()
    this.#run?.end()
    this.#run = undefined
  }

  /** An entry was folded. */
  folded(state: ThreadState, entry: Entry, at: number): void {
    switch (entry.type) {
      case 'request.opened':
        if (entry.run !== undefined) this.#open({ ...entry, openedAt: at }, false)
        return
      case 'request.decided':
        return this.#close(entry.id, DECIDED[entry.decision.type])
      case 'request.answered':
        return this.#close(entry.id, 'answered')
      case 'request.closed':
        return this.#close(
          entry.id,
          entry.status === 'expired' ? 'timed_out' : entry.status === 'aborted' ? 'aborted' : 'cancelled',
        )
      case 'call.started': {
        const call = callsOf(state).find((one) => one.key === entry.call)
        if (call) this.#tool(call)
        return
      }
      case 'call.finished':
      case 'call.refused':
        return this.#endTool(entry.call, state)
      default:
        return
    }
  }

  asked(request: HitlRequest): void {
    this.#open({ ...request, openedAt: Date.parse(request.createdAt) }, false)
  }

  settled(request: HitlRequest, ending: WaitEnding): void {
    if ('ended' in ending) return this.#close(request.id, ending.ended)
    const decision = request.kind === 'approve' ? (ending.answer as Decision) : undefined
    this.#close(request.id, decision ? DECIDED[decision.type] : 'answered')
  }

  #open(asked: Asked, fromResume: boolean): void {
    const { toolName, toolCallId, kind } = asked
    const parent = toolCallId === undefined ? this.#run : this.#tool({ id: toolCallId, tool: toolName ?? '' })
    const about =
      kind === 'approve'
        ? { 'hitl.tool_name': toolName ?? '', 'hitl.tool_call_id': toolCallId ?? '', 'hitl.from_resume': fromResume }
        : { 'hitl.question_id': asked.questionId }
    const span = this.#tracer.start(`hitl.${kind}`, {
      parent,
      links: this.#links,
      attributes: about,
      ...(fromResume ? {} : { startTime: asked.openedAt }),
    })
    this.#waits.set(asked.id, { span, asked })
  }

  #close(id: string, outcome: Outcome): void {
    // Answered before this process drove the thread again: the wait still gets its span.
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

  #tool(call: Pick<Call, 'id' | 'tool'>): Span {
    const known = this.#tools.get(call.id)
    if (known) return known
    const attributes = { 'holdpoint.tool_name': call.tool, 'holdpoint.tool_call_id': call.id }
    const span = this.#tracer.start('holdpoint.tool_call', { parent: this.#run, links: this.#links, attributes })
    this.#tools.set(call.id, span)
    return span
  }

  /** The turn may be over by now and its calls with it, so the message that made the call is asked for its id. */
  #endTool(key: CallKey, state: ThreadState): void {
    const index = Number(key.slice(key.lastIndexOf('.') + 1))
    const made = state.messages.findLast((message) => message.role === 'assistant' && message.toolCalls?.length)
    const id = made?.role === 'assistant' ? made.toolCalls?.[index]?.id : undefined
    if (id === undefined) return
    this.#tools.get(id)?.end()
    this.#tools.delete(id)
  }
}
