import { InputInvalid, LimitExceeded } from '../errors/errors.ts'
import { requireKnown } from './known-options.ts'

/** How much one answer of a model, and what comes of it, may be. `null` is no limit. */
export interface AgentLimits {
  /** Calls in one answer. An answer with more is refused, and nothing of it runs. Default 10,000. */
  callsPerAnswer?: number | null
  /** Bytes of one call's arguments, as JSON. A call with more does not run, and the model is told; an edit with more is refused. Default 1,048,576. */
  argsBytes?: number | null
  /** Bytes of one result, as JSON. Of a longer one the model is told that it was too long: the call stays finished. Default 16,777,216. */
  resultBytes?: number | null
}

/** How much a store takes. */
export interface StoreLimits {
  /** Bytes of one entry. What would write a longer one is refused, and nothing of it is stored. At least 65,536; default 67,108,864. */
  entryBytes?: number
}

/** Limits with their defaults filled in; `Infinity` is none. */
export type Limits<T> = { readonly [Key in keyof T]-?: number }

const AGENT_DEFAULTS: Limits<AgentLimits> = { callsPerAnswer: 10_000, argsBytes: 1_048_576, resultBytes: 16_777_216 }
const STORE_DEFAULTS: Limits<StoreLimits> = { entryBytes: 67_108_864 }
/** Room for what the engine itself has to write. */
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
      throw new InputInvalid(`limits.${key} must be a whole number, ${least} or more.`)
  }
  const numbers = set.map(([key, value]) => [key, value === null ? Number.POSITIVE_INFINITY : value])
  return Object.freeze({ ...defaults, ...Object.fromEntries(numbers) })
}

/** The bytes of a text in UTF-8, if they are more than a limit. */
export function bytesOver(text: string, limit: number): number | undefined {
  // No character takes more than three bytes for each of its code units.
  if (text.length * 3 <= limit) return undefined
  const bytes = Buffer.byteLength(text)
  return bytes > limit ? bytes : undefined
}

/** Refuses an entry that is too long for a store. */
export function requireEntrySize(body: string, { entryBytes }: Limits<StoreLimits>): void {
  const bytes = bytesOver(body, entryBytes)
  if (bytes !== undefined) throw new LimitExceeded('entryBytes', { limit: entryBytes, found: bytes })
}
