import type { DecisionType, JsonValue, ToolResult } from '../../index.ts'
import type { UiMessageChunk } from './chunk.ts'
import { wordsOf } from './steps.ts'

/** How a call ended. */
export function endChunk(toolCallId: string, result: ToolResult, denied: boolean): UiMessageChunk {
  if (denied) return { type: 'tool-output-denied', toolCallId }
  const words = wordsOf(result.content)
  if (result.isError) return { type: 'tool-output-error', toolCallId, errorText: words, dynamic: true }
  return { type: 'tool-output-available', toolCallId, output: outputOf(result, words), dynamic: true }
}

/** How a call ended of which only the decision is known. Without one, nobody let it run. */
export function decidedChunk(toolCallId: string, decision: DecisionType | undefined): UiMessageChunk {
  if (decision === undefined || isRejection(decision)) return { type: 'tool-output-denied', toolCallId }
  return { type: 'tool-output-available', toolCallId, output: { decision }, dynamic: true }
}

/** Whether somebody or something said no. An answer in place of the result is a result, and a call that made no sense has failed. */
export function isDenial(cause: string | undefined): boolean {
  return cause !== undefined && cause !== 'responded' && cause !== 'invalid' && cause !== 'unknown'
}

function outputOf({ data }: ToolResult, words: string): JsonValue {
  return data === undefined ? words : data
}

function isRejection(type: DecisionType): boolean {
  switch (type) {
    case 'reject':
      return true
    case 'approve':
    case 'edit':
    case 'respond':
      return false
    default:
      throw new TypeError(`A page cannot show the decision ${type satisfies never}.`)
  }
}
