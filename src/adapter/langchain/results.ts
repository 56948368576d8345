import { isDeepStrictEqual } from 'node:util'
import type { ToolCall } from '@langchain/core/messages/tool'
import type { Command } from '@langchain/langgraph'
import type { ToolMessage } from 'langchain'
import type { JsonObject, JsonValue } from '../../index.ts'
import { loadPeers } from './peers.ts'

/** A result as it is stored, to be given back when the call is repeated. */
export type Stored =
  | { kind: 'message'; content: JsonValue; status: 'success' | 'error' }
  | { kind: 'command'; update: JsonObject; messages: JsonValue[]; goto: string[] }
  /** It has parts that are no plain data. */
  | { kind: 'lost' }

/** The stored form of what a tool returned. */
export function toStored(result: ToolMessage | Command): Stored {
  if (isToolMessage(result)) return storedMessage(result)
  const { update = {}, goto = [], graph } = result as { update?: unknown; goto?: unknown; graph?: unknown }
  const targets = [goto].flat()
  if (graph !== undefined || !isRecord(update) || !targets.every((one) => typeof one === 'string'))
    return { kind: 'lost' }
  const { messages = [], ...others } = update
  const stored = [messages]
    .flat()
    .map((message) => (isToolMessage(message) ? storedMessage(message) : { kind: 'lost' }))
  const plain = plainJson(others)
  if (!plain || stored.some(({ kind }) => kind === 'lost')) return { kind: 'lost' }
  return { kind: 'command', update: plain as JsonObject, messages: stored as JsonValue[], goto: targets as string[] }
}

/** What a tool returned, from its stored form. */
export async function fromStored(stored: Stored, toolCall: ToolCall): Promise<ToolMessage | Command> {
  const { Command } = await loadPeers()
  switch (stored.kind) {
    case 'message':
      return toolMessage(toolCall, stored)
    case 'command': {
      const messages = await Promise.all(stored.messages.map((one) => toolMessage(toolCall, one as never)))
      return new Command({ update: { ...stored.update, messages }, goto: stored.goto })
    }
    case 'lost':
      return toolMessage(toolCall, {
        content: `${toolCall.name} ran before. Its result cannot be given again.`,
        status: 'error',
      })
    default:
      return stored satisfies never
  }
}

/** A message with the result of a call. */
export async function toolMessage(
  { id = '', name }: ToolCall,
  { content, status }: { content: JsonValue; status: 'success' | 'error' },
): Promise<ToolMessage> {
  const { ToolMessage } = await loadPeers()
  return new ToolMessage({ content: content as string, status, name, tool_call_id: id })
}

function storedMessage({ content, status = 'success' }: ToolMessage): Stored {
  const plain = plainJson(content)
  return plain === undefined ? { kind: 'lost' } : { kind: 'message', content: plain, status }
}

function isToolMessage(value: unknown): value is ToolMessage {
  return (
    isRecord(value) && typeof value.getType === 'function' && (value as { getType: () => string }).getType() === 'tool'
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy of plain data. `undefined` for anything else: what JSON would drop or change must not be given back changed. */
function plainJson(value: unknown): JsonValue | undefined {
  try {
    const copy = JSON.parse(JSON.stringify(value)) as JsonValue
    return isDeepStrictEqual(copy, value) ? copy : undefined
  } catch {
    return undefined
  }
}
