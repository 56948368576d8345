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

/** Reads the body of a page's request. Throws `InputInvalid`. */
export function chatPost(body: unknown): ChatPost {
  const { id, messages, trigger, holdpoint } = (body ?? {}) as Record<string, unknown>
  if (typeof id !== 'string' || id === '') throw new InputInvalid('The body needs the id of the chat.')
  const last = Array.isArray(messages) ? (messages.at(-1) as Partial<UiMessage> | undefined) : undefined
  if (!last || !Array.isArray(last.parts) || (last.role !== 'user' && last.role !== 'assistant')) {
    throw new InputInvalid('The body needs messages, the last of them of the user or of the assistant.')
  }
  if (last.parts.some((part: unknown) => typeof part !== 'object' || part === null)) {
    throw new InputInvalid('Each part of a message must be an object.')
  }
  return {
    chatId: id,
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

/** What the user said, as the content of a message. Files must be in the message itself, as data URLs. */
export function saidBy({ parts = [] }: UiMessage): Part[] {
  return parts.flatMap((part): Part[] => {
    const { type, text, mediaType, url, filename } = part as FilePart
    if (type === 'text' && typeof text === 'string') return [{ type: 'text', text }]
    if (type !== 'file' || typeof mediaType !== 'string' || typeof url !== 'string') return []
    const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? []
    if (data === undefined) throw new InputInvalid('A file of a message must be a data URL in base64.')
    return [{ type: 'file', mediaType, data, ...(typeof filename === 'string' ? { name: filename } : {}) }]
  })
}
