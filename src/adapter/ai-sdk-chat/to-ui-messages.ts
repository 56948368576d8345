import { type Message, type Part, RunState } from '../../index.ts'
import { InputInvalid } from '../../ports.ts'
import { Projection } from './projection.ts'
import { stepsIn, stepsOf } from './steps.ts'
import { type ChatPart, partsOf } from './ui-parts.ts'

/** A message for `useChat({ messages })`: a `UIMessage` of the AI SDK. */
export interface ChatMessage {
  id: string
  role: 'user' | 'assistant'
  parts: ChatPart[]
}

/**
 * The whole conversation of a thread, for `useChat({ messages, resume: true })`: what users said, and one message of the assistant for each run, with the id
 * that it has in the stream. So a page that resumes the current run replaces its message. System messages are left out. It needs all entries of the thread: a
 * state that `run` returned for a long one needs `await state.loadMessages()` first.
 */
export function toUIMessages(state: RunState): ChatMessage[] {
  if (!(state instanceof RunState)) throw new InputInvalid('toUIMessages() needs a RunState.')
  const runs = state.threadRuns()
  return runs.flatMap(({ id, input, added, refused }, index) => {
    const isCurrent = index === runs.length - 1
    const open = isCurrent ? state.interruptions : []
    const steps = isCurrent ? stepsOf(state.newItems) : stepsIn(added)
    const projection = new Projection()
    const parts = partsOf([...projection.stored({ steps, refused, requests: open }), ...projection.end(open)])
    // The stream has a run as one message. So what users added meanwhile comes before it.
    const given = messagesOf([...input, ...added.filter(({ role }) => role === 'user')], id)
    return parts.length > 0 ? [...given, { id, role: 'assistant', parts } as const] : given
  })
}

/** The messages that a run was given. Among them may be answers of an earlier conversation. */
function messagesOf(messages: readonly Message[], runId: string): ChatMessage[] {
  return messages.flatMap((message, index): ChatMessage[] => {
    const id = `${runId}/${index}`
    switch (message.role) {
      case 'user':
        return withParts({ id, role: 'user', parts: saidIn(message.content) })
      case 'assistant': {
        const rest = messages.slice(index + 1)
        const end = rest.findIndex(({ role }) => role !== 'tool')
        const steps = stepsIn([message, ...(end < 0 ? rest : rest.slice(0, end))])
        const chunks = new Projection().stored({ steps, refused: new Map(), requests: [] })
        return withParts({ id, role: 'assistant', parts: partsOf(chunks) })
      }
      case 'system':
      case 'tool':
        return []
      default:
        return message satisfies never
    }
  })
}

function withParts(message: ChatMessage): ChatMessage[] {
  return message.parts.length > 0 ? [message] : []
}

function saidIn(content: string | readonly Part[]): ChatPart[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content
  return parts.flatMap((part): ChatPart[] => {
    switch (part.type) {
      case 'text':
        return part.text === '' ? [] : [{ type: 'text', text: part.text }]
      case 'json':
        return [{ type: 'text', text: JSON.stringify(part.value) }]
      case 'file': {
        const { mediaType, name, data } = part
        // A reference has no content that a page could show.
        if (typeof data !== 'string') return []
        const url = `data:${mediaType};base64,${data}`
        return [{ type: 'file', mediaType, url, ...(name === undefined ? {} : { filename: name }) }]
      }
      default:
        return part satisfies never
    }
  })
}
