import type { ModelRequest } from '../../ports/model.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import type { BlobRef } from '../../protocol/message.ts'
import { type ToHostedTool, toProviderTools } from './hosted-tools.ts'
import type { ProviderOptions, SdkSettings, SdkToolChoice, SdkVersion } from './specification.ts'

/** Options of a model. Defaults are the provider's, unless stated. */
export interface AiSdkModelOptions {
  temperature?: number
  maxOutputTokens?: number
  topP?: number
  topK?: number
  presencePenalty?: number
  frequencyPenalty?: number
  stopSequences?: readonly string[]
  seed?: number
  /** `'required'` and a named tool apply until a tool has answered. Then the model is free, or it would never end. */
  toolChoice?: 'auto' | 'none' | 'required' | { type: 'tool'; toolName: string }
  /**
   * Describes a hosted MCP server of the agent (`hostedMcpTool`) to the provider. It must pass `requireApproval` on, or
   * the provider asks nobody.
   */
  hostedTool?: ToHostedTool
  /** Provider-specific options, by provider name. */
  providerOptions?: ProviderOptions
  /** Additional HTTP headers. */
  headers?: Record<string, string>
  /** Whether the answer is streamed. Default `true`. */
  stream?: boolean
  /** Retries after a transient failure, if nothing of the answer was shown yet. Default 2. */
  retries?: number
  /**
   * The delay before the first retry. It doubles each time, up to 30 s. A provider's `retry-after` takes precedence.
   * Default 1.
   */
  retryDelaySeconds?: number
  /**
   * How long the model may be silent: until the first part and between parts; without `stream`, for the whole answer.
   * Default: no limit.
   */
  timeoutSeconds?: number
  /**
   * Where the provider accepts system messages. Unless `'anywhere'`, later ones are sent as user messages that say what
   * they are.
   */
  systemMessages?: 'first' | 'anywhere'
  /** Reads the stored content that a message refers to. */
  readBlob?: (ref: BlobRef) => Promise<Uint8Array>
  /** Called for each setting that the provider ignored or changed. */
  onWarning?: (warning: unknown) => void
  /** Called before each retry. `attempt` counts from 1. */
  onRetry?: (retry: { attempt: number; delayMs: number; error: unknown }) => void
}

/** Settings that are passed on unchanged. */
const SETTINGS = [
  'temperature',
  'maxOutputTokens',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
  'providerOptions',
  'headers',
] as const

const KNOWN = [
  ...SETTINGS,
  'toolChoice',
  'hostedTool',
  'stream',
  'retries',
  'retryDelaySeconds',
  'timeoutSeconds',
  'systemMessages',
  'readBlob',
  'onWarning',
  'onRetry',
]

const NUMBERS = ['temperature', 'topP', 'topK', 'presencePenalty', 'frequencyPenalty', 'seed'] as const

/** Refuses invalid options. */
export function checkOptions(options: AiSdkModelOptions): void {
  requireKnown('aiSdkModel()', options, KNOWN)
  const wrong = NUMBERS.find((name) => options[name] !== undefined && !Number.isFinite(options[name]))
  if (wrong !== undefined) throw new InputInvalid(`aiSdkModel(): ${wrong} must be a number.`)
  const { retries = 0, retryDelaySeconds = 0, timeoutSeconds = 1, maxOutputTokens = 1, systemMessages } = options
  if (!Number.isInteger(retries) || retries < 0)
    throw new InputInvalid('aiSdkModel(): retries must be an integer, 0 or more.')
  if (!Number.isFinite(retryDelaySeconds) || retryDelaySeconds < 0)
    throw new InputInvalid('aiSdkModel(): retryDelaySeconds must be a number, 0 or more.')
  if (!Number.isFinite(timeoutSeconds) || timeoutSeconds <= 0)
    throw new InputInvalid('aiSdkModel(): timeoutSeconds must be a number above 0.')
  if (!Number.isInteger(maxOutputTokens) || maxOutputTokens < 1)
    throw new InputInvalid('aiSdkModel(): maxOutputTokens must be an integer, 1 or more.')
  if (systemMessages !== undefined && systemMessages !== 'first' && systemMessages !== 'anywhere')
    throw new InputInvalid(`aiSdkModel(): systemMessages must be 'first' or 'anywhere'.`)
  if (options.hostedTool !== undefined && typeof options.hostedTool !== 'function')
    throw new InputInvalid('aiSdkModel(): hostedTool must be a function.')
  toToolChoice(options.toolChoice)
}

/** All call options except the prompt. */
export function toCallOptions(options: AiSdkModelOptions, request: ModelRequest, version: SdkVersion): SdkSettings {
  const settings = SETTINGS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]))
  const call: SdkSettings = { ...Object.fromEntries(settings), abortSignal: request.signal }
  if (request.outputSchema) call.responseFormat = { type: 'json', schema: request.outputSchema }
  // Providers refuse an empty array of tools, and a tool choice without tools.
  const { tools, hostedTools = [] } = request
  if (tools.length + hostedTools.length === 0) return call
  const functions = tools.map(({ name, description, parameters }) => ({
    type: 'function' as const,
    name,
    description,
    inputSchema: parameters,
  }))
  call.tools = [...functions, ...toProviderTools(hostedTools, version, options.hostedTool)]
  const choice = toToolChoice(options.toolChoice)
  const forced = choice?.type === 'required' || choice?.type === 'tool'
  if (choice) call.toolChoice = forced && request.messages.at(-1)?.role === 'tool' ? { type: 'auto' } : choice
  return call
}

function toToolChoice(choice: AiSdkModelOptions['toolChoice']): SdkToolChoice | undefined {
  if (choice === undefined) return undefined
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice }
  if (choice?.type === 'tool' && typeof choice.toolName === 'string') return { type: 'tool', toolName: choice.toolName }
  throw new InputInvalid(
    `aiSdkModel(): toolChoice must be 'auto', 'none', 'required' or { type: 'tool', toolName: '…' }.`,
  )
}
