import { InputInvalid, LimitExceeded } from '../errors/errors.ts'
import { requireKnown } from './known-options.ts'

/** Size limits for a model's answer and what follows from it. `null`: no limit. */
export interface AgentLimits {
  /** Calls in one answer. An answer with more is refused, and none of its calls run. Default 10,000. */
  callsPerAnswer?: number | null
  /**
   * Bytes of one call's arguments, as JSON. A call with more does not run, and the model is told. An edit with more is
   * refused. Default 1,048,576.
   */
  argsBytes?: number | null
  /**
   * Bytes of one result, as JSON. For a longer result the model is told that it was too long; the call stays finished.
   * Default 16,777,216.
   */
  resultBytes?: number | null
}

/** Size limits of a store. */
export interface StoreLimits {
  /** Bytes of one entry. An append with a longer entry is refused as a whole. At least 65,536; default 67,108,864. */
  entryBytes?: number
}

/** Limits with their defaults. `Infinity`: no limit. */
export type Limits<T> = { readonly [Key in keyof T]-?: number }

const AGENT_DEFAULTS: Limits<AgentLimits> = { callsPerAnswer: 10_000, argsBytes: 1_048_576, resultBytes: 16_777_216 }
const STORE_DEFAULTS: Limits<StoreLimits> = { entryBytes: 67_108_864 }
/** The smallest limit that leaves room for the engine's own entries. */
const LEAST_ENTRY_BYTES = 65_536

/** Checks the limits of an agent. */
export function agentLimits(given: AgentLimits | undefined): Limits<AgentLimits> {
  return checked(given, AGENT_DEFAULTS, 1)
}

/** Checks the limits of a store. */
export function storeLimits(given: StoreLimits | undefined): Limits<StoreLimits> {
  const limits = checked(given, STORE_DEFAULTS, LEAST_ENTRY_BYTES)
  if (limits.entryBytes === Number.POSITIVE_INFINITY) throw new InputInvalid('limits.entryBytes must be a number.')
  return limits
}

function checked<T extends { [key: string]: number }>(given: object | undefined, defaults: T, least: number): T {
  requireKnown('limits', given, Object.keys(defaults))
  const set = Object.entries(given ?? {}).filter(([, value]) => value !== undefined)
  for (const [key, value] of set) {
    if (value !== null && !(Number.isSafeInteger(value) && (value as number) >= least))
      throw new InputInvalid(`limits.${key} must be an integer, ${least} or more.`)
  }
  const numbers = set.map(([key, value]) => [key, value === null ? Number.POSITIVE_INFINITY : value])
  return Object.freeze({ ...defaults, ...Object.fromEntries(numbers) })
}

/** The number of UTF-8 bytes of a string, if it exceeds a limit. */
export function bytesOver(text: string, limit: number): number | undefined {
  // A UTF-16 code unit takes at most three bytes.
  if (text.length * 3 <= limit) return undefined
  const bytes = Buffer.byteLength(text)
  return bytes > limit ? bytes : undefined
}

/** Refuses an entry that is too long for the store. */
export function requireEntrySize(body: string, { entryBytes }: Limits<StoreLimits>): void {
  const bytes = bytesOver(body, entryBytes)
  if (bytes !== undefined) throw new LimitExceeded('entryBytes', { limit: entryBytes, found: bytes })
}
