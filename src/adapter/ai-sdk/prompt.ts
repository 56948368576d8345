import type { ModelRequest } from '../../ports/model.ts'
import { isApprovalRequest } from '../../ports/provider-approval.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import type { AssistantMessage, Content, Message, Part, ToolCall } from '../../protocol/message.ts'
import { type AnswerRecord, optionsFor, type RecordedPart, recordFor } from './answer-record.ts'
import { contentOf, type ReadBlob, readFileContent, toSdkData } from './file-data.ts'
import { approvalCalls, toApprovalParts } from './hosted-tools.ts'
import type { SdkMessage, SdkPromptPart, SdkVersion } from './specification.ts'
import { partText, toToolOutput } from './tool-output.ts'

/** The receiver of a prompt, and its format. */
export interface PromptTarget {
  version: SdkVersion
  provider: string
  systemMessages: 'first' | 'anywhere'
  readBlob: ReadBlob | undefined
}

/** Converts a request to a prompt: instructions first, then the conversation. */
export async function toPrompt(
  { instructions, messages }: Pick<ModelRequest, 'instructions' | 'messages'>,
  target: PromptTarget,
): Promise<SdkMessage[]> {
  const prompt: SdkMessage[] = instructions ? [{ role: 'system', content: instructions }] : []
  let asked = new Map<string, ToolCall>()
  for (const message of messages) {
    if (message.role !== 'tool') asked = approvalCalls(message)
    const late = prompt.some(({ role }) => role !== 'system')
    const next = await toSdkMessage(message, { ...target, late, asked })
    const last = prompt.at(-1)
    // The results of one turn go into one message.
    if (next.role === 'tool' && last?.role === 'tool') last.content.push(...next.content)
    else if (next.role === 'system' || next.content.length > 0) prompt.push(next)
  }
  return prompt
}

/** The position of a message in the prompt: whether it is the first, and the provider's approval requests before it. */
interface Place extends PromptTarget {
  late: boolean
  asked: ReadonlyMap<string, ToolCall>
}

async function toSdkMessage(message: Message, target: Place): Promise<SdkMessage> {
  switch (message.role) {
    case 'system': {
      if (filesOf(message.content).length > 0)
        throw new InputInvalid('A system message cannot have a file: put it into a user message.')
      const text = wordsOf(message.content)
      if (!target.late || target.systemMessages === 'anywhere') return { role: 'system', content: text }
      return { role: 'user', content: [{ type: 'text', text: `<system>\n${text}\n</system>` }] }
    }
    case 'user':
      return { role: 'user', content: await toParts(message.content, target) }
    case 'assistant':
      return { role: 'assistant', content: await toAnswerParts(message, target) }
    case 'tool': {
      const { toolCallId, toolName } = message
      const asked = target.asked.get(toolCallId)
      if (asked) return { role: 'tool', content: toApprovalParts(asked, message, target) }
      const output = await toToolOutput(message, target.version, target.readBlob)
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }
    }
    default:
      return message satisfies never
  }
}

/** An answer as sent back: to its own provider as that wrote it; to another one, only the common parts. */
async function toAnswerParts(message: AssistantMessage, target: PromptTarget): Promise<SdkPromptPart[]> {
  const record = recordFor(target.provider, message.providerData)
  const parts = record && fitting(record, message)
  if (parts) return replay(parts, message, target)
  return [
    ...(await toParts(message.content, target)).filter((part) => part.type !== 'text' || part.text !== ''),
    ...toCallParts(message, target),
  ]
}

/** The recorded order of the parts, if it still matches the message: a hook may have changed it. */
function fitting({ parts }: AnswerRecord, message: AssistantMessage): RecordedPart[] | undefined {
  const reasoning = wordsOf(message.reasoning ?? [])
  const calls = ownCalls(message)
  if (!parts) {
    const order: RecordedPart[] = []
    if (reasoning) order.push({ type: 'reasoning', chars: reasoning.length })
    if (typeof message.content !== 'string') return undefined
    return [...order, { type: 'text', chars: message.content.length }, ...calls.map(() => ({ type: 'call' as const }))]
  }
  const chars = { text: 0, reasoning: 0 }
  const count = { call: 0, file: 0, own: 0 }
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'reasoning') chars[part.type] += part.chars
    else count[part.type]++
  }
  const fits =
    chars.text === wordsOf(message.content).length &&
    chars.reasoning === reasoning.length &&
    count.call === calls.length &&
    count.file === filesOf(message.content).length
  return fits ? parts : undefined
}

async function replay(
  order: readonly RecordedPart[],
  message: AssistantMessage,
  target: PromptTarget,
): Promise<SdkPromptPart[]> {
  const left = { text: wordsOf(message.content), reasoning: wordsOf(message.reasoning ?? []) }
  const files = filesOf(message.content)
  const calls = toCallParts(message, target)
  const parts: SdkPromptPart[] = []
  for (const recorded of order) {
    switch (recorded.type) {
      case 'text':
      case 'reasoning': {
        const { type, chars, providerOptions } = recorded
        const text = left[type].slice(0, chars)
        left[type] = left[type].slice(chars)
        // Skip a part without text and without a signature.
        if (text !== '' || providerOptions) parts.push({ type, text, ...(providerOptions ? { providerOptions } : {}) })
        break
      }
      case 'file': {
        const { providerOptions } = recorded
        const [file] = await toParts(files.splice(0, 1), target)
        if (file) parts.push({ ...file, ...(providerOptions ? { providerOptions } : {}) })
        break
      }
      case 'call':
        parts.push(...calls.splice(0, 1))
        break
      case 'own': {
        const part = recorded.part as unknown as SdkPromptPart
        if (part.type !== 'reasoning-file') parts.push(part)
        else parts.push({ ...part, data: toSdkData(contentOf(String(part.data)), target.version) })
        break
      }
      default:
        recorded satisfies never
    }
  }
  return parts
}

/** The calls without the provider's approval requests: those are in the record. */
function ownCalls({ toolCalls = [] }: AssistantMessage): ToolCall[] {
  return toolCalls.filter((call) => !isApprovalRequest(call))
}

function toCallParts(message: AssistantMessage, { provider }: PromptTarget): SdkPromptPart[] {
  return ownCalls(message).map(({ id, name, args, providerData }) => {
    const providerOptions = optionsFor(provider, providerData)
    return {
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      input: args,
      ...(providerOptions ? { providerOptions } : {}),
    }
  })
}

async function toParts(content: Content, target: PromptTarget): Promise<SdkPromptPart[]> {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Promise.all(
    content.map(async (part): Promise<SdkPromptPart> => {
      if (part.type !== 'file') return { type: 'text', text: partText(part) }
      return {
        type: 'file',
        mediaType: part.mediaType,
        ...(part.name === undefined ? {} : { filename: part.name }),
        data: toSdkData(await readFileContent(part, target.readBlob), target.version),
      }
    }),
  )
}

function filesOf(content: Content): Part[] {
  return typeof content === 'string' ? [] : content.filter(({ type }) => type === 'file')
}

function wordsOf(content: Content): string {
  return typeof content === 'string' ? content : content.map(partText).join('')
}
