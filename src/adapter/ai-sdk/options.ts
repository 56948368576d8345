import type { ModelRequest } from '../../ports/model.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import type { BlobRef } from '../../protocol/message.ts'
import { type ToHostedTool, toProviderTools } from './hosted-tools.ts'
import type { ProviderOptions, SdkSettings, SdkToolChoice, SdkVersion } from './specification.ts'

/** How a model is asked. What is left out, the provider decides. */
export interface AiSdkModelOptions {
  temperature?: number
  maxOutputTokens?: number
  topP?: number
  topK?: number
  presencePenalty?: number
  frequencyPenalty?: number
  stopSequences?: readonly string[]
  seed?: number
  /** `'required'` and a named tool hold until a tool has answered; then the model is free, or it would never come to an end. */
  toolChoice?: 'auto' | 'none' | 'required' | { type: 'tool'; toolName: string }
  /** How the provider is told of a hosted MCP server of the agent (`hostedMcpTool`): `requireApproval` has to be passed on, or it asks nobody. */
  hostedTool?: ToHostedTool
  /** Options of the provider's own, by its name. */
  providerOptions?: ProviderOptions
  /** HTTP headers to send along. */
  headers?: Record<string, string>
  /** Whether the answer comes in parts. Default true. */
  stream?: boolean
  /** How often it is asked again after a failure that may pass, if nothing of the answer was shown yet. Default 2. */
  retries?: number
  /** The pause before it is asked again the first time; it doubles each time, up to 30 s. A provider's `retry-after` comes before it. Default 1. */
  retryDelaySeconds?: number
  /** How long the model may be silent: until the first part, and between parts; without `stream`, for the whole answer. Default: for ever. */
  timeoutSeconds?: number
  /** Where the provider takes system messages. Unless `'anywhere'`, later ones are sent as user messages that say what they are. */
  systemMessages?: 'first' | 'anywhere'
  /** Reads the content of a file that a message only refers to. */
  readBlob?: (ref: BlobRef) => Promise<Uint8Array>
  /** Is told of what the provider ignored or changed, such as a setting that it does not have. */
  onWarning?: (warning: unknown) => void
  /** Is told before the model is asked again. `attempt` counts from 1. */
  onRetry?: (retry: { attempt: number; delayMs: number; error: unknown }) => void
}

/** Settings that are handed on as they are. */
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

/** Refuses options that cannot be meant. */
export function checkOptions(options: AiSdkModelOptions): void {
  requireKnown('aiSdkModel()', options, KNOWN)
  const wrong = NUMBERS.find((name) => options[name] !== undefined && !Number.isFinite(options[name]))
  if (wrong !== undefined) throw new InputInvalid(`aiSdkModel(): ${wrong} must be a number.`)
  const { retries = 0, retryDelaySeconds = 0, timeoutSeconds = 1, maxOutputTokens = 1, systemMessages } = options
  if (!Number.isInteger(retries) || retries < 0)
    throw new InputInvalid('aiSdkModel(): retries must be a whole number from 0.')
  if (!Number.isFinite(retryDelaySeconds) || retryDelaySeconds < 0)
    throw new InputInvalid('aiSdkModel(): retryDelaySeconds must be a number from 0.')
  if (!Number.isFinite(timeoutSeconds) || timeoutSeconds <= 0)
    throw new InputInvalid('aiSdkModel(): timeoutSeconds must be a number above 0.')
  if (!Number.isInteger(maxOutputTokens) || maxOutputTokens < 1)
    throw new InputInvalid('aiSdkModel(): maxOutputTokens must be a whole number from 1.')
  if (systemMessages !== undefined && systemMessages !== 'first' && systemMessages !== 'anywhere')
    throw new InputInvalid(`aiSdkModel(): systemMessages must be 'first' or 'anywhere'.`)
  if (options.hostedTool !== undefined && typeof options.hostedTool !== 'function')
    throw new InputInvalid('aiSdkModel(): hostedTool must be a function.')
  toToolChoice(options.toolChoice)
}

/** All that a model is called with, but for the prompt. */
export function toCallOptions(options: AiSdkModelOptions, request: ModelRequest, version: SdkVersion): SdkSettings {
  const settings = SETTINGS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]))
  const call: SdkSettings = { ...Object.fromEntries(settings), abortSignal: request.signal }
  if (request.outputSchema) call.responseFormat = { type: 'json', schema: request.outputSchema }
  // Providers refuse an empty list, and a choice without tools.
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
