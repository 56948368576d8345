import { isSettled, openRequests } from '../../core/queries.ts'
import type { AskedRequest, Run, ThreadState } from '../../core/state.ts'
import { toInterruption } from '../../core/views/request-view.ts'
import { cloneJson, type JsonValue } from '../../protocol/json/json.ts'
import type { Content, Message, Part, ToolCall, ToolResult } from '../../protocol/message.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import type { AgentDefinition } from '../definition/definition.ts'

/** Something that a run added to the conversation of its root. `agent` is the id of the agent that made the call or gave the answer. */
export type RunItem =
  | { type: 'message_output_item'; agent: string; content: Content }
  | { type: 'reasoning_item'; agent: string; reasoning: Part[] }
  | { type: 'tool_call_item' | 'handoff_call_item'; agent: string; call: ToolCall }
  | {
      type: 'tool_call_output_item' | 'handoff_output_item'
      agent: string
      toolCallId: string
      toolName: string
      output: ToolResult
    }
  /** A call that waits for a person. */
  | { type: 'tool_approval_item'; agent: string; request: HitlRequest }

/** What the items of a run are made of, as it is at one moment. The journal only appends, so a length is enough. */
export interface ItemSource {
  readonly state: ThreadState
  readonly run: Pick<Run, 'agent' | 'from' | 'changes'>
  readonly end: number
  /** Results of a turn that is not settled. */
  readonly results: readonly Extract<Message, { role: 'tool' }>[]
  readonly open: readonly AskedRequest[]
}

/** Keeps what the items of a run are made of. Copies nothing. */
export function itemSource(state: ThreadState, run: Run): ItemSource {
  const calls = run.frames.get(run.id)?.calls ?? []
  const results = calls
    .filter(isSettled)
    .map(({ id, tool, phase }) => ({ role: 'tool' as const, toolCallId: id, toolName: tool, ...phase.result }))
  const open = openRequests(state).flatMap((asked) => (asked.opened.run === undefined ? [] : [{ ...asked }]))
  const { agent, from, changes } = run
  return { state, run: { agent, from, changes }, end: state.messages.length, results, open }
}

/** The items of a run, in order: messages, calls and results, then what waits for people. Input is left out. Copies. */
export function itemsOf({ state, run, end, results, open }: ItemSource, root: AgentDefinition): RunItem[] {
  const messages = [...state.messages.slice(run.from, end), ...results]
  const items = messages.flatMap((message, index): RunItem[] => {
    const changed = run.changes.findLast(({ at }) => at <= run.from + index)
    const agent = changed?.agent.id ?? run.agent.id
    const owner = changed && changed.agent.id !== root.id ? root.graph.require(changed.agent) : root
    return toItems(message, agent, owner)
  })
  const asked = open.map((one): RunItem => {
    const request = toInterruption(state, one)
    return { type: 'tool_approval_item', agent: request.agent, request }
  })
  return [...(cloneJson(items as unknown as JsonValue) as unknown as RunItem[]), ...asked]
}

function toItems(message: Message, agent: string, owner: AgentDefinition): RunItem[] {
  const isHandoff = (tool: string): boolean => owner.findTool(tool)?.special?.kind === 'handoff'
  if (message.role === 'tool') {
    const { role: _role, toolCallId, toolName, ...output } = message
    const type = isHandoff(toolName) && !output.isError ? 'handoff_output_item' : 'tool_call_output_item'
    return [{ type, agent, toolCallId, toolName, output }]
  }
  if (message.role !== 'assistant') return []
  const { reasoning, content, toolCalls = [] } = message
  return [
    ...(reasoning?.length ? [{ type: 'reasoning_item', agent, reasoning } as const] : []),
    ...(content.length > 0 ? [{ type: 'message_output_item', agent, content } as const] : []),
    ...toolCalls.map(
      (call): RunItem => ({
        type: isHandoff(call.name) ? 'handoff_call_item' : 'tool_call_item',
        agent,
        call,
      }),
    ),
  ]
}
