import type { HitlRequest, JsonValue } from '../../index.ts'
import type { ApprovalDescriptor, UiMessageChunk } from './chunk.ts'

interface Call {
  type: 'dynamic-tool'
  toolName: string
  toolCallId: string
  input: JsonValue
}

type CallState =
  | { state: 'input-available' }
  | { state: 'approval-requested'; approval: { id: string; descriptor: ApprovalDescriptor } }
  | { state: 'output-available'; output: JsonValue }
  | { state: 'output-error'; errorText: string }
  | { state: 'output-denied'; approval: { id: string; approved: false } }

/** A part of a message of a `useChat` page. */
export type ChatPart =
  | { type: 'step-start' }
  | { type: 'text' | 'reasoning'; text: string; state?: 'done' }
  | { type: 'file'; mediaType: string; url: string; filename?: string }
  | (Call & CallState)
  /** A question that is no tool call: `confirm` or `ask`. */
  | { type: 'data-holdpoint-ask'; id: string; data: HitlRequest }

type CallChange = Extract<UiMessageChunk, { type: `tool-output-${string}` | 'tool-approval-request' }>

/** The parts that a page makes of the chunks of a stored message. */
export function partsOf(chunks: Iterable<UiMessageChunk>): ChatPart[] {
  const parts: ChatPart[] = []
  for (const chunk of chunks) add(parts, chunk)
  return parts
}

function add(parts: ChatPart[], chunk: UiMessageChunk): void {
  switch (chunk.type) {
    case 'start-step':
      parts.push({ type: 'step-start' })
      return
    // What is stored comes in one piece.
    case 'text-delta':
    case 'reasoning-delta':
      parts.push({ type: chunk.type === 'text-delta' ? 'text' : 'reasoning', text: chunk.delta, state: 'done' })
      return
    case 'tool-input-available': {
      const { toolName, toolCallId, input } = chunk
      parts.push({ type: 'dynamic-tool', toolName, toolCallId, input, state: 'input-available' })
      return
    }
    case 'tool-approval-request':
    case 'tool-output-available':
    case 'tool-output-error':
    case 'tool-output-denied':
      changeCall(parts, chunk)
      return
    case 'data-holdpoint-ask':
      parts.push(chunk)
      return
    case 'start':
    case 'finish-step':
    case 'finish':
    case 'error':
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
    case 'data-holdpoint-problem':
      return
    default:
      chunk satisfies never
  }
}

function changeCall(parts: ChatPart[], chunk: CallChange): void {
  const index = parts.findIndex((part) => part.type === 'dynamic-tool' && part.toolCallId === chunk.toolCallId)
  const { type, toolName, toolCallId, input } = parts[index] as Call
  parts[index] = { type, toolName, toolCallId, input, ...stateAfter(chunk) }
}

function stateAfter(chunk: CallChange): CallState {
  switch (chunk.type) {
    case 'tool-approval-request': {
      const { approvalId: id, approvalDescriptor: descriptor } = chunk
      return { state: 'approval-requested', approval: { id, descriptor } }
    }
    case 'tool-output-available':
      return { state: 'output-available', output: chunk.output }
    case 'tool-output-error':
      return { state: 'output-error', errorText: chunk.errorText }
    case 'tool-output-denied':
      // The SDK's own check wants an approval here, also if a policy denied the call and nobody was asked.
      return { state: 'output-denied', approval: { id: chunk.toolCallId, approved: false } }
    default:
      return chunk satisfies never
  }
}
