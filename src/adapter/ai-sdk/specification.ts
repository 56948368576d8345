import type { JsonObject } from '../../protocol/json/json.ts'

/**
 * The used part of the AI SDK's language models, as a structural type. Nothing of the SDK is loaded, so models of the
 * specifications 2, 3 and 4 work with any installed version.
 */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  doGenerate(options: never): PromiseLike<object>
  doStream(options: never): PromiseLike<{ stream: SdkStream }>
}

/** The used part of a web stream. */
interface SdkStream {
  getReader(): SdkReader
}

/** Reads a stream. */
export interface SdkReader {
  read(): Promise<{ done: boolean; value?: unknown }>
  cancel(reason?: unknown): Promise<void>
}

/** The supported specifications. */
export type SdkVersion = 'v2' | 'v3' | 'v4'

/** Provider data, by provider name. Received as metadata, sent back as options. */
export type ProviderOptions = Record<string, JsonObject>

/** Which tool the model must call. */
export type SdkToolChoice = { type: 'auto' | 'none' | 'required' } | { type: 'tool'; toolName: string }

/** Call options besides the prompt, the same in all versions. */
export interface SdkSettings {
  tools?: ({ type: 'function'; name: string; description: string; inputSchema: JsonObject } | SdkProviderTool)[]
  toolChoice?: SdkToolChoice
  responseFormat?: { type: 'json'; schema: JsonObject }
  abortSignal: AbortSignal
  [setting: string]: unknown
}

/** A tool that the provider runs itself. */
export interface SdkProviderTool {
  type: 'provider' | 'provider-defined'
  id: string
  name: string
  args: object
}

/** All options of a call. */
export interface SdkCallOptions extends SdkSettings {
  prompt: SdkMessage[]
}

/** One message of a prompt. */
export type SdkMessage =
  | { role: 'system'; content: string }
  | { role: 'user' | 'assistant' | 'tool'; content: SdkPromptPart[] }

/** A part of a prompt message. The form of files and outputs depends on the version. */
export type SdkPromptPart = { providerOptions?: ProviderOptions } & (
  | { type: 'text' | 'reasoning'; text: string }
  | { type: 'file'; data: unknown; mediaType: string; filename?: string }
  | { type: 'reasoning-file'; data: unknown; mediaType: string }
  | { type: 'custom'; kind: string }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown; providerExecuted?: true }
  | { type: 'tool-result'; toolCallId: string; toolName: string; output: SdkToolOutput }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string }
)

/** The result of a tool call. */
export type SdkToolOutput = {
  type: 'text' | 'json' | 'error-text' | 'error-json' | 'content'
  value: unknown
}

interface Marked {
  providerMetadata?: ProviderOptions | undefined
}

/** A piece of an answer that is the same in a stream and in a whole answer. */
type SdkContent =
  | (Marked & { type: 'file' | 'reasoning-file'; mediaType: string; data: unknown })
  | (Marked & { type: 'source' })
  | (Marked & { type: 'custom'; kind: string })
  | (Marked & { type: 'tool-approval-request'; approvalId: string; toolCallId: string })
  | (Marked & {
      type: 'tool-call'
      toolCallId: string
      toolName: string
      input: string
      providerExecuted?: boolean | undefined
    })
  | (Marked & {
      type: 'tool-result'
      toolCallId: string
      toolName: string
      result: unknown
      isError?: boolean | undefined
      preliminary?: boolean | undefined
    })

/** A part of a streamed answer. */
export type SdkStreamPart =
  | SdkContent
  | (Marked & { type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; id: string })
  | (Marked & { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string })
  | { type: 'tool-input-start'; id: string; toolName: string; providerExecuted?: boolean | undefined }
  | { type: 'tool-input-delta' | 'tool-input-end' | 'response-metadata' | 'raw' }
  | { type: 'stream-start'; warnings?: readonly unknown[] | undefined }
  | (Marked & { type: 'finish'; usage: unknown; finishReason: unknown })
  | { type: 'error'; error: unknown }

interface SdkWords extends Marked {
  type: 'text' | 'reasoning'
  text: string
}

/** A whole answer. */
export interface SdkGenerated extends Marked {
  content: (SdkContent | SdkWords)[]
  finishReason: unknown
  usage: unknown
  warnings?: readonly unknown[] | undefined
}

/** Converts a whole answer to stream parts. */
export function* asStream(answer: SdkGenerated): Generator<SdkStreamPart> {
  yield { type: 'stream-start', warnings: answer.warnings }
  for (const [index, piece] of answer.content.entries()) {
    if (!isWords(piece)) {
      yield piece
      continue
    }
    const id = String(index)
    yield { type: `${piece.type}-start`, id, providerMetadata: piece.providerMetadata }
    yield { type: `${piece.type}-delta`, id, delta: piece.text }
  }
  const { usage, finishReason, providerMetadata } = answer
  yield { type: 'finish', usage, finishReason, providerMetadata }
}

function isWords(piece: SdkContent | SdkWords): piece is SdkWords {
  return piece.type === 'text' || piece.type === 'reasoning'
}
