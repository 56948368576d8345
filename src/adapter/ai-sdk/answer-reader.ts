import type { HostedMcpServer, ModelPart } from '../../ports/model.ts'
import { ModelResponseInvalid } from '../../protocol/errors/errors.ts'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import { type AnswerRecord, meaningful, type RecordedPart, toCallData, toProviderData } from './answer-record.ts'
import { AnswerStopped, BROKEN_OFF } from './failure.ts'
import { fromSdkData } from './file-data.ts'
import { type FinishReason, isUnknown, toFinishReason, toUsage } from './finish.ts'
import { type OwnCall, toApprovalRequest } from './hosted-tools.ts'
import type { ProviderOptions, SdkStreamPart } from './specification.ts'
import { toOwnOutput } from './tool-output.ts'

type Block = Extract<RecordedPart, { type: 'text' | 'reasoning' }>

/**
 * Reads one answer, part by part. A part is converted at once to what is shown of it, if anything. Data that must go
 * back to the provider is collected and comes with the last part. A truncated answer is refused there, before its calls
 * can be acted on.
 */
export class AnswerReader {
  readonly #model: { provider: string; modelId: string }
  readonly #streamed: boolean
  readonly #warn: (warning: unknown) => void
  readonly #parts: RecordedPart[] = []
  readonly #blocks = new Map<string, Block>()
  readonly #last: { text?: Block; reasoning?: Block } = {}
  readonly #sources: JsonValue[] = []
  readonly #ids = new Set<string>()
  #calls = 0
  /** Calls whose arguments started to arrive. */
  readonly #begun = new Map<string, string>()
  /** The provider's own calls, and the servers that they may belong to. */
  readonly #own = new Map<string, OwnCall>()
  readonly #hosted: readonly HostedMcpServer[]

  constructor(
    model: { provider: string; modelId: string },
    options: { streamed: boolean; warn: (warning: unknown) => void; hosted: readonly HostedMcpServer[] },
  ) {
    this.#model = model
    this.#hosted = options.hosted
    this.#streamed = options.streamed
    this.#warn = options.warn
  }

  /** Converts a part to what is shown of it. */
  read(part: SdkStreamPart): ModelPart | undefined {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#blocks.set(`${kindOf(part.type)} ${part.id}`, this.#open(kindOf(part.type), part.providerMetadata))
        return undefined
      case 'text-delta':
      case 'reasoning-delta': {
        const type = kindOf(part.type)
        const block = this.#blockFor(type, part.id)
        block.chars += part.delta.length
        mark(block, part.providerMetadata)
        return part.delta === '' ? undefined : { type, text: part.delta }
      }
      case 'text-end':
      case 'reasoning-end': {
        const block = this.#blocks.get(`${kindOf(part.type)} ${part.id}`)
        if (block) mark(block, part.providerMetadata)
        return undefined
      }
      case 'file':
        this.#parts.push(mark<Extract<RecordedPart, { type: 'file' }>>({ type: 'file' }, part.providerMetadata))
        return { type: 'file', mediaType: part.mediaType, data: fromSdkData(part.data) }
      case 'reasoning-file':
        this.#keep({ type: part.type, mediaType: part.mediaType, data: fromSdkData(part.data) }, part.providerMetadata)
        return undefined
      case 'custom':
        this.#keep({ type: part.type, kind: part.kind }, part.providerMetadata)
        return undefined
      case 'source':
        this.#sources.push(part as unknown as JsonObject)
        return undefined
      case 'tool-input-start':
        if (!part.providerExecuted) this.#begun.set(part.id, part.toolName)
        return undefined
      case 'tool-call':
        return this.#readCall(part)
      case 'tool-result':
        return this.#readResult(part)
      case 'tool-approval-request':
        return this.#readApproval(part)
      case 'stream-start':
        for (const warning of part.warnings ?? []) this.#warn(warning)
        return undefined
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'response-metadata':
      case 'raw':
        return undefined
      case 'error':
        throw part.error
      case 'finish':
        return this.#finish(toFinishReason(part.finishReason), part)
      default:
        // A newer version may have more parts. An unknown part carries nothing that could run.
        part satisfies never
        return undefined
    }
  }

  #readResult(part: Extract<SdkStreamPart, { type: 'tool-result' }>): undefined {
    const { type, toolCallId, toolName, result, isError, preliminary } = part
    if (preliminary) return
    const output = toOwnOutput(result, isError) as unknown as JsonObject
    this.#keep({ type, toolCallId, toolName, output }, part.providerMetadata)
  }

  #readApproval(part: Extract<SdkStreamPart, { type: 'tool-approval-request' }>): ModelPart {
    this.#calls++
    const asker = { name: this.#name, provider: this.#model.provider, servers: this.#hosted }
    return { type: 'approval-request', request: toApprovalRequest(part, this.#own.get(part.toolCallId), asker) }
  }

  get #name(): string {
    return `${this.#model.provider}/${this.#model.modelId}`
  }

  #readCall(part: Extract<SdkStreamPart, { type: 'tool-call' }>): ModelPart | undefined {
    const { toolCallId, toolName, input, providerMetadata } = part
    if (part.providerExecuted) {
      this.#own.set(toolCallId, { toolName, input: typeof input === 'string' ? input : JSON.stringify(input ?? {}) })
      this.#keep(
        { type: 'tool-call', toolCallId, toolName, input: parsed(input), providerExecuted: true },
        providerMetadata,
      )
      return undefined
    }
    this.#begun.delete(toolCallId)
    this.#calls++
    // The engine merges a call that arrives twice.
    if (!this.#ids.has(toolCallId)) this.#parts.push({ type: 'call' })
    if (toolCallId) this.#ids.add(toolCallId)
    const said = meaningful(providerMetadata)
    const call = {
      id: toolCallId,
      name: toolName,
      ...(said ? { providerData: toCallData(this.#model.provider, said) } : {}),
    }
    // Some providers send nothing for a tool without parameters.
    const argsText = typeof input === 'string' ? input.trim() || '{}' : JSON.stringify(input ?? {})
    return { type: 'tool-call', call: { ...call, argsText } }
  }

  #finish(reason: FinishReason, part: Extract<SdkStreamPart, { type: 'finish' }>): ModelPart {
    const usage = toUsage(part.usage)
    if (reason.unified === 'error')
      throw new AnswerStopped(`stopped with an error${reason.raw ? ` (${reason.raw})` : ''}`, true)
    if (reason.unified === 'content-filter')
      throw new AnswerStopped('was stopped by a content filter, which this conversation will not pass as it is', false)
    // Some providers report a cut connection as a normal end.
    if (this.#streamed && isUnknown(reason) && Object.keys(usage).length === 0)
      throw new AnswerStopped(BROKEN_OFF, true)
    const [begun] = this.#begun.values()
    if (reason.unified === 'length' && (this.#calls > 0 || begun !== undefined))
      throw new ModelResponseInvalid(
        `${this.#name} reached its token limit during a call, so the call may be incomplete: raise maxOutputTokens`,
      )
    if (begun !== undefined)
      throw new ModelResponseInvalid(`${this.#name} started to call ${begun} and never finished the call`)
    const providerData = this.#record(reason, meaningful(part.providerMetadata))
    return {
      type: 'finish',
      ...(Object.keys(usage).length > 0 ? { usage } : {}),
      ...(providerData ? { providerData } : {}),
    }
  }

  #record(reason: FinishReason, metadata: ProviderOptions | undefined): JsonObject | undefined {
    const { provider, modelId: model } = this.#model
    const record: AnswerRecord = {
      provider,
      model,
      ...(isPlain(this.#parts) ? {} : { parts: this.#parts }),
      ...(this.#sources.length > 0 ? { sources: this.#sources } : {}),
      ...(metadata ? { metadata } : {}),
      ...(reason.unified === 'stop' || reason.unified === 'tool-calls' ? {} : { finishReason: reason.unified }),
    }
    const hasReasoning = this.#parts.some(({ type }) => type === 'reasoning')
    return hasReasoning || Object.keys(record).length > 2 ? toProviderData(record) : undefined
  }

  #open(type: Block['type'], metadata?: ProviderOptions): Block {
    const block = mark<Block>({ type, chars: 0 }, metadata)
    this.#parts.push(block)
    this.#last[type] = block
    return block
  }

  /**
   * The block for the next characters. A block that was interrupted by another continues as a new one, since the
   * characters of a block must be contiguous.
   */
  #blockFor(type: Block['type'], id: string): Block {
    const block = this.#blocks.get(`${type} ${id}`)
    if (block && block === this.#last[type]) return block
    const opened = this.#open(type)
    this.#blocks.set(`${type} ${id}`, opened)
    return opened
  }

  #keep(part: JsonObject, metadata: ProviderOptions | undefined): void {
    const said = meaningful(metadata)
    this.#parts.push({ type: 'own', part: said ? { ...part, providerOptions: said } : part })
  }
}

function kindOf(type: string): Block['type'] {
  return type.startsWith('text') ? 'text' : 'reasoning'
}

/** The latest metadata of a part wins. */
function mark<T extends { providerOptions?: ProviderOptions }>(part: T, metadata: ProviderOptions | undefined): T {
  const said = meaningful(metadata)
  if (said) part.providerOptions = said
  return part
}

/** Whether the parts have the default order (reasoning, text, calls) and no extra data. */
function isPlain(parts: readonly RecordedPart[]): boolean {
  const order = ['reasoning', 'text', 'call']
  const types = parts.map(({ type }) => type)
  if (
    parts.some(
      (part) => part.type === 'own' || part.type === 'file' || ('providerOptions' in part && part.providerOptions),
    )
  )
    return false
  return types.every((type, index) => index === 0 || order.indexOf(type) >= order.indexOf(types[index - 1] ?? ''))
}

function parsed(input: unknown): JsonValue {
  if (typeof input !== 'string') return (input ?? {}) as JsonValue
  try {
    return JSON.parse(input) as JsonValue
  } catch {
    return input
  }
}
