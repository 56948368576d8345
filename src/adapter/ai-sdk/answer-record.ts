import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import type { ProviderOptions } from './specification.ts'

/**
 * What an answer had beside its text, reasoning, files and calls: kept in the message's `providerData`, so that the provider gets back what it
 * wrote, in its order and with its signatures. The words themselves are stored once, in the message.
 */
export interface AnswerRecord {
  provider: string
  model: string
  /** The order of the parts. Left out if it is reasoning, text, calls, and none of them carries anything. */
  parts?: RecordedPart[]
  /** What the answer was made from. Never sent back. */
  sources?: JsonValue[]
  /** What the provider said about the whole answer. Never sent back. */
  metadata?: ProviderOptions
  /** Why the model stopped, if it was not that it was done. */
  finishReason?: string
}

/** One part of an answer: the next so many characters, the next file, the next call, or something of the provider's own. */
export type RecordedPart =
  | { type: 'text' | 'reasoning'; chars: number; providerOptions?: ProviderOptions }
  | { type: 'file'; providerOptions?: ProviderOptions }
  | { type: 'call' }
  | { type: 'own'; part: JsonObject }

const KEY = 'aiSdk'

/** A record as `providerData`. */
export function toProviderData(record: AnswerRecord): JsonObject {
  return { [KEY]: record as unknown as JsonObject }
}

/** The record in a message's `providerData`, if this provider wrote it: what one signed means nothing to another. */
export function recordFor(provider: string, data: JsonObject | undefined): AnswerRecord | undefined {
  const record = data?.[KEY]
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return undefined
  return record.provider === provider ? (record as unknown as AnswerRecord) : undefined
}

/** What a provider said of one call, as the call's `providerData`. */
export function toCallData(provider: string, providerOptions: ProviderOptions): JsonObject {
  return { [KEY]: { provider, providerOptions } }
}

/** What this provider said of one call. */
export function optionsFor(provider: string, data: JsonObject | undefined): ProviderOptions | undefined {
  const said = data?.[KEY] as { providerOptions?: ProviderOptions } | undefined
  return isOf(provider, data) ? said?.providerOptions : undefined
}

/** Whether it was this provider that said something. */
export function isOf(provider: string, data: JsonObject | undefined): boolean {
  return (data?.[KEY] as { provider?: unknown } | undefined)?.provider === provider
}

/** Metadata that says something: most providers send their name with nothing in it. */
export function meaningful(metadata: ProviderOptions | undefined): ProviderOptions | undefined {
  if (!metadata) return undefined
  const said = Object.entries(metadata).filter(([, value]) => value && Object.keys(value).length > 0)
  return said.length > 0 ? Object.fromEntries(said) : undefined
}
