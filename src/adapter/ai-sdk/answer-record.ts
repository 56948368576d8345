import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import type { ProviderOptions } from './specification.ts'

/**
 * The parts of an answer besides its text, reasoning, files and calls. Kept in the message's `providerData`, so that
 * the provider gets back its own parts, in order and with signatures. The text itself is stored once, in the message.
 */
export interface AnswerRecord {
  provider: string
  model: string
  /** The order of the parts. Left out if it is reasoning, text, calls, and no part has extra data. */
  parts?: RecordedPart[]
  /** The sources of the answer. Never sent back. */
  sources?: JsonValue[]
  /** The provider's metadata about the whole answer. Never sent back. */
  metadata?: ProviderOptions
  /** Why the model stopped, unless it was done. */
  finishReason?: string
}

/**
 * One part of an answer: the next `chars` characters, the next file, the next call, or a part of the provider's own.
 */
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

/** The record in a message's `providerData`, if this provider wrote it. Other providers cannot use its signatures. */
export function recordFor(provider: string, data: JsonObject | undefined): AnswerRecord | undefined {
  const record = data?.[KEY]
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return undefined
  return record.provider === provider ? (record as unknown as AnswerRecord) : undefined
}

/** A provider's metadata about one call, as the call's `providerData`. */
export function toCallData(provider: string, providerOptions: ProviderOptions): JsonObject {
  return { [KEY]: { provider, providerOptions } }
}

/** This provider's metadata about one call. */
export function optionsFor(provider: string, data: JsonObject | undefined): ProviderOptions | undefined {
  const said = data?.[KEY] as { providerOptions?: ProviderOptions } | undefined
  return isOf(provider, data) ? said?.providerOptions : undefined
}

/** Whether this provider wrote the data. */
export function isOf(provider: string, data: JsonObject | undefined): boolean {
  return (data?.[KEY] as { provider?: unknown } | undefined)?.provider === provider
}

/** The metadata, unless it is empty: most providers send their name with an empty object. */
export function meaningful(metadata: ProviderOptions | undefined): ProviderOptions | undefined {
  if (!metadata) return undefined
  const said = Object.entries(metadata).filter(([, value]) => value && Object.keys(value).length > 0)
  return said.length > 0 ? Object.fromEntries(said) : undefined
}
