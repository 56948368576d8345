import type { JsonValue } from '../../protocol/json/json.ts'
import type { Part, ToolResult } from '../../protocol/message.ts'
import { type FileContent, type ReadBlob, readFileContent } from './file-data.ts'
import type { SdkToolOutput, SdkVersion } from './specification.ts'

/**
 * A tool result in a prompt. The model reads the content. Data is sent as JSON only if it says the same, since some
 * providers handle objects better than strings.
 */
export async function toToolOutput(
  { content, data, isError }: ToolResult,
  version: SdkVersion,
  readBlob: ReadBlob | undefined,
): Promise<SdkToolOutput> {
  if (typeof content === 'string') {
    const same = data !== undefined && content === JSON.stringify(data)
    return same ? jsonOutput(data, isError) : textOutput(content, isError)
  }
  const [first] = content
  if (content.length === 1 && first?.type === 'json') return jsonOutput(first.value, isError)
  if (content.every((part) => part.type !== 'file')) return textOutput(content.map(partText).join('\n'), isError)
  const value = await Promise.all(
    content.map(async (part) => {
      if (part.type !== 'file') return { type: 'text', text: partText(part) }
      return fileOutput(part, await readFileContent(part, readBlob), version)
    }),
  )
  return { type: 'content', value }
}

/** The result of a provider's own tool. */
export function toOwnOutput(result: unknown, isError: boolean | undefined): SdkToolOutput {
  return typeof result === 'string' ? textOutput(result, isError) : jsonOutput((result ?? null) as JsonValue, isError)
}

/** A part without a file, as a string. */
export function partText(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'json':
      return JSON.stringify(part.value)
    case 'file':
      return ''
    default:
      return part satisfies never
  }
}

function textOutput(value: string, isError: boolean | undefined): SdkToolOutput {
  return { type: isError ? 'error-text' : 'text', value }
}

function jsonOutput(value: JsonValue, isError: boolean | undefined): SdkToolOutput {
  return { type: isError ? 'error-json' : 'json', value }
}

function fileOutput(part: { mediaType: string; name?: string }, content: FileContent, version: SdkVersion): object {
  const { mediaType, name } = part
  const filename = name === undefined ? {} : { filename: name }
  const isImage = mediaType.startsWith('image/')
  switch (version) {
    case 'v2':
      // It has no field for a URL.
      return 'url' in content
        ? { type: 'text', text: content.url.href }
        : { type: 'media', data: content.base64, mediaType }
    case 'v3':
      if ('url' in content)
        return isImage
          ? { type: 'image-url', url: content.url.href }
          : { type: 'file-url', url: content.url.href, mediaType }
      return isImage
        ? { type: 'image-data', data: content.base64, mediaType }
        : { type: 'file-data', data: content.base64, mediaType, ...filename }
    case 'v4':
      return {
        type: 'file',
        mediaType,
        ...filename,
        data: 'url' in content ? { type: 'url', url: content.url } : { type: 'data', data: content.base64 },
      }
    default:
      return version satisfies never
  }
}
