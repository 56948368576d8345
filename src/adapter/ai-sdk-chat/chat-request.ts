import type { Part } from '../../index.ts'
import { InputInvalid } from '../../ports.ts'
import { type PageAnswer, pageAnswers } from '../ai-sdk-page/page-answer.ts'
import type { UiMessage } from '../ai-sdk-page/ui-message.ts'

/** What a `useChat` page posts, as far as it counts. Of its messages only the last does: the journal is the history. */
export interface ChatPost {
  chatId: string
  last: UiMessage
  isRepeat: boolean
  answers: PageAnswer[]
}

/** Reads a body that is not longer than allowed; `undefined` if it is. Throws `InputInvalid` if it is no JSON. */
export async function readBody(request: Request, maxBytes: number): Promise<{ json: unknown } | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return undefined
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  try {
    return { json: JSON.parse(text + decoder.decode()) as unknown }
  } catch {
    throw new InputInvalid('The body is not JSON.')
  }
}

/** Longer ids are no ids of chats. */
const MAX_ID = 200

/** Checks the id of a chat, which the page chooses. Throws `InputInvalid`. */
function chatIdOf(given: unknown): string {
  if (typeof given === 'string' && given !== '' && given.length <= MAX_ID) return given
  throw new InputInvalid(`The id of the chat must be a string of 1 to ${MAX_ID} characters.`)
}

/** The id of the chat in a path. Throws `InputInvalid`. */
export function chatIdIn(segment: string): string {
  try {
    return chatIdOf(decodeURIComponent(segment))
  } catch (error) {
    if (error instanceof URIError) throw new InputInvalid('The path is not encoded correctly.')
    throw error
  }
}

/** Reads the body of a page's request. Throws `InputInvalid`. */
export function chatPost(body: unknown): ChatPost {
  const { id, messages, trigger, holdpoint } = (body ?? {}) as Record<string, unknown>
  const chatId = chatIdOf(id)
  const last = Array.isArray(messages) ? (messages.at(-1) as Partial<UiMessage> | undefined) : undefined
  if (!last || !Array.isArray(last.parts) || (last.role !== 'user' && last.role !== 'assistant')) {
    throw new InputInvalid('The body needs messages, the last of them of the user or of the assistant.')
  }
  if (last.parts.some((part: unknown) => typeof part !== 'object' || part === null)) {
    throw new InputInvalid('Each part of a message must be an object.')
  }
  return {
    chatId,
    last: last as UiMessage,
    isRepeat: trigger === 'regenerate-message',
    answers: pageAnswers(holdpoint),
  }
}

interface FilePart {
  type?: unknown
  text?: unknown
  mediaType?: unknown
  url?: unknown
  filename?: unknown
}

/** What the user said, as the content of a message. Files must be in the message itself, as data URLs. Throws `InputInvalid`. */
export function saidBy({ parts = [] }: UiMessage): Part[] {
  const said = parts.flatMap((part): Part[] => {
    const { type, text, mediaType, url, filename } = part as FilePart
    if (type === 'text' && typeof text === 'string') return [{ type: 'text', text }]
    if (type !== 'file' || typeof mediaType !== 'string' || typeof url !== 'string') return []
    const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? []
    if (data === undefined) throw new InputInvalid('A file of a message must be a data URL in base64.')
    return [{ type: 'file', mediaType, data, ...(typeof filename === 'string' ? { name: filename } : {}) }]
  })
  if (said.length === 0) throw new InputInvalid('The message of the user is empty.')
  return said
}
