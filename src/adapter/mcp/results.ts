import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import type { Part } from '../../protocol/message.ts'
import { type ToolOutput, toolOutput } from '../../runtime/definition/tool/tool-output.ts'

/** A server's response to a call, as a tool result. A response marked as an error becomes an error result. */
export function toOutput(result: CallToolResult): ToolOutput {
  const { structuredContent, isError } = result
  const parts = result.content.map(toPart)
  const [only] = parts
  const text = parts.length === 1 && only?.type === 'text' ? only.text : undefined
  const nothing = parts.length === 0 ? JSON.stringify(structuredContent ?? '') : undefined
  return toolOutput({
    content: text ?? nothing ?? parts,
    ...(structuredContent === undefined ? {} : { data: structuredContent as JsonObject }),
    ...(isError ? { isError } : {}),
  })
}

function toPart(block: ContentBlock): Part {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
    case 'audio':
      return { type: 'file', mediaType: block.mimeType, data: block.data }
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return { type: 'text', text: resource.text }
      return {
        type: 'file',
        mediaType: resource.mimeType ?? 'application/octet-stream',
        name: resource.uri,
        data: resource.blob,
      }
    }
    case 'resource_link':
      return { type: 'json', value: JSON.parse(JSON.stringify(block)) as JsonValue }
    default:
      return block satisfies never
  }
}
