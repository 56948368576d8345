import type { AgentEvent, DecisionType, HitlRequest, JsonValue, ToolCall, ToolResult } from '../../index.ts'
import { toolNameOf, toolPart } from '../ai-sdk-page/ui-message.ts'
import { decidedChunk, endChunk, isDenial } from './call-end.ts'
import { descriptorOf, type UiMessageChunk } from './chunk.ts'
import { type Step, wordsOf } from './steps.ts'

type Live = Extract<AgentEvent, { type: 'model_part' }>

/** What the page knows of a call. */
interface ShownCall {
  ended: boolean
  /** The request that it shows as open. */
  asked?: string
  /** The page has answered it, and waits: how it is shown if nothing comes of that. */
  answered?: Extract<UiMessageChunk, { type: 'tool-input-available' }>
}

/** What is stored of a run. */
export interface StoredRun {
  steps: readonly Step[]
  /** Why calls of its own were refused, by call id. */
  refused: ReadonlyMap<string, string>
  /** The requests of its thread that are known, open or settled, newest first. Those of earlier runs may be among them. */
  requests: readonly HitlRequest[]
}

/**
 * A run as chunks of one UI message: what is stored, then what happens. It says each thing once, however often it is told, and leaves out what the page's
 * message has. A tool chunk comes only after the chunk that introduces its call, else the page would fail.
 */
export class Projection {
  readonly #calls = new Map<string, ShownCall>()
  /** Who made which of the root's own calls, by id: a nested agent's model may use the same ids. */
  readonly #own = new Map<string, string>()
  /** The requests for calls of nested agents, by agent and call. Each is a part of its own, with the request's id. */
  readonly #nested = new Map<string, HitlRequest>()
  /** The questions that the page shows, by id, with their status. */
  readonly #asked = new Map<string, string>()
  /** Whether the page has a message that goes on, of which this was not told. */
  #goesOn = false
  #steps = 0
  #hasStarted = false
  #isStepOpen = false
  #isNestedStep = false
  #words: { type: 'text' | 'reasoning'; id: string } | undefined
  #hasWords = false
  #nextWords = 0

  /** `has`: the parts of the message that the page goes on with. */
  constructor(has: readonly object[] = []) {
    for (const [index, part] of has.entries()) {
      if ((part as { type?: unknown }).type === 'step-start' && !isNestedPart(has[index + 1])) this.#steps++
      this.#readAsk(part)
      const tool = toolPart(part)
      if (!tool) continue
      const { toolCallId, state, approval } = tool
      const asked = state === 'approval-requested' && approval ? { asked: approval.id } : {}
      const chunk = { type: 'tool-input-available', toolCallId, toolName: toolNameOf(tool), dynamic: true } as const
      const answered =
        state === 'approval-responded' ? { answered: { ...chunk, input: (tool.input ?? {}) as JsonValue } } : {}
      this.#calls.set(toolCallId, { ended: state.startsWith('output-'), ...answered, ...asked })
    }
  }

  /** The page has the message so far, with these steps. What was open before is known from events that are replayed. */
  goOn(steps: readonly Step[]): void {
    this.#goesOn = true
    for (const { calls } of steps) for (const { id, name, agent } of calls) this.#own.set(id, `${agent}/${name}`)
  }

  /** What is stored. */
  *stored({ steps, refused, requests }: StoredRun): Generator<UiMessageChunk> {
    for (const [index, step] of steps.entries()) {
      if (index >= this.#steps) {
        yield* this.#close()
        yield* this.#startStep()
        yield* this.#whole('reasoning', step.reasoning)
        yield* this.#whole('text', step.text)
      }
      for (const call of step.calls) yield* this.#ownCall(call, call.agent)
      for (const { toolCallId, output } of step.results)
        yield* this.#end(toolCallId, output, isDenial(refused.get(toolCallId)))
    }
    for (const request of requests) {
      const key = nestedKey(request)
      // Newest first: an older one is of an earlier run.
      if (request.kind === 'approve' && !this.#isOwn(request) && !this.#nested.has(key)) this.#nested.set(key, request)
      if (request.status === 'open' || this.#asked.has(request.id)) yield* this.#ask(request)
    }
  }

  /** What happens. */
  *event(event: AgentEvent): Generator<UiMessageChunk> {
    switch (event.type) {
      case 'turn_start':
        if (event.depth > 0) return
        yield* this.#close()
        yield* this.#startStep()
        return
      case 'model_part':
        if (event.depth === 0) yield* this.#part(event)
        return
      case 'message':
        if (event.depth > 0) return
        yield* this.#endWords()
        if (!this.#isStepOpen) yield* this.#startStep()
        if (!this.#hasWords) yield* this.#whole('text', wordsOf(event.message.content))
        for (const call of event.message.toolCalls ?? []) yield* this.#ownCall(call, event.path.at(-1)!)
        return
      case 'hitl_request':
        if (this.#goesOn && event.replayed) this.#knows(event.request)
        else yield* this.#ask(event.request)
        return
      case 'tool_end':
        yield* this.#toolEnd(event)
        return
      case 'agent_start':
      case 'tool_start':
      case 'agent_changed':
      case 'turn_end':
      case 'agent_end':
      case 'hitl_answer':
      case 'agent_suspended':
      case 'agent_aborted':
        return
      default:
        event satisfies never
    }
  }

  /**
   * The end of the message, for now. A call that the page has answered and that did not end is shown as it is: a page that sends answers automatically
   * would send this one for ever.
   */
  *end(open: readonly HitlRequest[]): Generator<UiMessageChunk> {
    // A message that goes on has those that were open before, and others came as events.
    if (!this.#goesOn) for (const request of open) yield* this.#ask(request)
    for (const { id, status, decision } of this.#nested.values()) {
      const shown = this.#calls.get(id)
      // What it returned is in the nested run: this one has only what was decided.
      if (shown && !shown.ended && status !== 'open') yield* this.#settled(id, decision?.type)
    }
    for (const { ended, answered } of this.#calls.values()) {
      // In an earlier step it would become a second part, and pages send only what the last step waits for.
      if (answered && !ended && !this.#hasStarted) yield answered
    }
    yield* this.#close()
  }

  /** The message that goes on shows this request. */
  #knows(request: HitlRequest): void {
    const { id, kind, status } = request
    if (kind !== 'approve') {
      this.#asked.set(id, status)
      return
    }
    const isOwn = this.#isOwn(request)
    if (!isOwn) this.#nested.set(nestedKey(request), request)
    this.#calls.set(isOwn ? request.toolCallId! : id, { ended: false, asked: id })
  }

  *#startStep(): Generator<UiMessageChunk> {
    this.#steps++
    this.#hasStarted = true
    this.#isStepOpen = true
    this.#hasWords = false
    yield { type: 'start-step' }
  }

  *#close(): Generator<UiMessageChunk> {
    yield* this.#endWords()
    if (this.#isStepOpen) yield { type: 'finish-step' }
    this.#isStepOpen = false
    this.#isNestedStep = false
  }

  /** Pages send answers once all calls of the last step have one. So what nested agents ask is not in the step of the call that waits for them. */
  *#startNestedStep(): Generator<UiMessageChunk> {
    if (this.#isNestedStep) return
    yield* this.#close()
    this.#hasStarted = true
    this.#isStepOpen = true
    this.#isNestedStep = true
    yield { type: 'start-step' }
  }

  *#part({ part }: Live): Generator<UiMessageChunk> {
    if (part.type !== 'text' && part.type !== 'reasoning') return
    // Without its beginning, an answer is shown when it is complete.
    if (part.text === '' || !this.#isStepOpen) return
    if (this.#words?.type !== part.type) {
      yield* this.#endWords()
      this.#words = { type: part.type, id: `w${this.#steps}-${this.#nextWords++}` }
      yield { type: `${part.type}-start`, id: this.#words.id }
    }
    if (part.type === 'text') this.#hasWords = true
    yield { type: `${part.type}-delta`, id: this.#words.id, delta: part.text }
  }

  *#endWords(): Generator<UiMessageChunk> {
    if (this.#words) yield { type: `${this.#words.type}-end`, id: this.#words.id }
    this.#words = undefined
  }

  *#whole(type: 'text' | 'reasoning', words: string): Generator<UiMessageChunk> {
    if (words === '') return
    const id = `w${this.#steps}-${this.#nextWords++}`
    yield { type: `${type}-start`, id }
    yield { type: `${type}-delta`, id, delta: words }
    yield { type: `${type}-end`, id }
  }

  *#call({ id, name, args }: Pick<ToolCall, 'id' | 'name' | 'args'>): Generator<UiMessageChunk> {
    if (this.#calls.has(id)) return
    this.#calls.set(id, { ended: false })
    yield { type: 'tool-input-available', toolCallId: id, toolName: name, input: args, dynamic: true }
  }

  *#ownCall(call: ToolCall, agent: string): Generator<UiMessageChunk> {
    this.#own.set(call.id, `${agent}/${call.name}`)
    yield* this.#call(call)
  }

  #isOwn({ toolCallId, agent, toolName }: HitlRequest): boolean {
    return toolCallId !== undefined && this.#own.get(toolCallId) === `${agent}/${toolName}`
  }

  #readAsk(part: object): void {
    const { type, id, data } = part as { type?: unknown; id?: unknown; data?: { status?: unknown } }
    if (type === 'data-holdpoint-ask' && typeof id === 'string') this.#asked.set(id, String(data?.status))
  }

  *#ask(request: HitlRequest): Generator<UiMessageChunk> {
    const { id, kind, status, toolName = '', args = {} } = request
    if (kind !== 'approve') {
      if (this.#asked.get(id) === status) return
      this.#asked.set(id, status)
      yield { type: 'data-holdpoint-ask', id, data: request }
      return
    }
    // A call of a nested agent is not in the root's answer: it gets a part of its own.
    const isOwn = this.#isOwn(request)
    const toolCallId = isOwn ? request.toolCallId! : id
    if (!isOwn) {
      this.#nested.set(nestedKey(request), request)
      if (!this.#calls.has(id)) yield* this.#startNestedStep()
    }
    if (!isOwn || !this.#goesOn) yield* this.#call({ id: toolCallId, name: toolName, args })
    const shown = this.#calls.get(toolCallId)
    if (shown && (shown.asked === id || shown.ended)) return
    this.#calls.set(toolCallId, { ended: false, asked: id })
    yield { type: 'tool-approval-request', approvalId: id, toolCallId, approvalDescriptor: descriptorOf(request) }
  }

  *#settled(toolCallId: string, decision: DecisionType | undefined): Generator<UiMessageChunk> {
    this.#calls.set(toolCallId, { ended: true })
    yield decidedChunk(toolCallId, decision)
  }

  *#toolEnd(event: Extract<AgentEvent, { type: 'tool_end' }>): Generator<UiMessageChunk> {
    const { toolCallId, toolName, depth, path, result, refused } = event
    const id = depth === 0 ? toolCallId : this.#nested.get(nestedKey({ path, toolName, toolCallId }))?.id
    const isShown = id !== undefined && (this.#calls.has(id) || (this.#goesOn && depth === 0))
    if (isShown) yield* this.#end(id, result, isDenial(refused))
  }

  *#end(toolCallId: string, result: ToolResult, denied: boolean): Generator<UiMessageChunk> {
    if (this.#calls.get(toolCallId)?.ended) return
    this.#calls.set(toolCallId, { ended: true })
    yield endChunk(toolCallId, result, denied)
  }
}

/** Whether a part is a call of a nested agent: it has the id of its request. */
function isNestedPart(part: object | undefined): boolean {
  const tool = part && toolPart(part)
  return tool !== undefined && tool.approval?.id === tool.toolCallId
}

function nestedKey({ path, toolName, toolCallId }: Pick<HitlRequest, 'path' | 'toolName' | 'toolCallId'>): string {
  return JSON.stringify([path, toolName, toolCallId])
}
