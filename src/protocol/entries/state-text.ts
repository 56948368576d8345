import { z } from 'zod'
import { lazy } from '../checks/lazy.ts'
import { InputInvalid, JournalInvalid, StateInvalid, StateSignatureInvalid } from '../errors/errors.ts'
import { parseThreadId } from '../ids.ts'
import { canonicalJson, hmacSha256, macEqual } from '../json/canonical.ts'
import type { JsonValue } from '../json/json.ts'
import { type Entry, entry as entrySchema } from './entry.ts'
import { type BodyPlace, checkEnvelope } from './versions.ts'

/** A key that signs and verifies serialised states. The first key of an array signs; all of them verify. */
export interface SigningKey {
  id: string
  secret: string
}

/** Trace data for the application's own tracing. */
export interface Tracing {
  apiKey: string
}

/** One entry of a serialised state. */
interface TextEntry {
  at: number
  body: string
  entry: Entry
}

/** A serialised thread: everything that another process needs. */
export interface StateText {
  tenant: string
  threadId: string
  entries: TextEntry[]
  tracing?: Tracing
}

const KIND = 'holdpoint.state'
const envelope = lazy(() =>
  z.object({
    kind: z.literal(KIND),
    v: z.literal(1),
    tenant: z.string().min(1),
    threadId: z.string(),
    // The maximum is the latest time that a Date can hold.
    entries: z.array(z.tuple([z.number().min(0).max(8.64e15), z.unknown()])),
    tracing: z.object({ apiKey: z.string() }).exactOptional(),
    signature: z.object({ key: z.string(), mac: z.string() }).exactOptional(),
  }),
)

/** Serialises a thread. Entry bodies are copied as stored. */
export function writeStateText(
  thread: {
    tenant: string
    threadId: string
    entries: readonly { at: number; body: string }[]
    tracing?: Tracing | undefined
  },
  signingKeys?: readonly SigningKey[],
): string {
  const entries = thread.entries.map(({ at, body }) => `[${at},${body}]`).join(',')
  const head = `"kind":"${KIND}","v":1,"tenant":${JSON.stringify(thread.tenant)},"threadId":${JSON.stringify(thread.threadId)}`
  const tracing = thread.tracing ? `"tracing":${JSON.stringify({ apiKey: thread.tracing.apiKey })},` : ''
  const unsigned = `{${head},${tracing}"entries":[${entries}]}`
  const [key] = checkKeys(signingKeys)
  if (!key) return unsigned
  const mac = sign(JSON.parse(unsigned) as JsonValue, key)
  return `{${head},${tracing}"entries":[${entries}],"signature":${JSON.stringify({ key: key.id, mac })}}`
}

/**
 * Parses an untrusted state: checks the signature, then the shape, then every entry. Whitespace and key order do not
 * matter.
 */
export function readStateText(text: string, signingKeys?: readonly SigningKey[]): StateText {
  const keys = checkKeys(signingKeys)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new StateInvalid('it is not JSON', cause)
  }
  if (keys.length > 0) verify(value, keys)
  const parsed = envelope().safeParse(value)
  if (!parsed.success) throw new StateInvalid(explain(value))
  const { tenant, threadId, tracing } = parsed.data
  const thread = parseThreadId(threadId)
  const entries = parsed.data.entries.map(([at, raw], index) => {
    const read = readEntry(raw, { threadId, seq: index + 1 })
    if (typeof read === 'string') throw new StateInvalid(`entry ${index + 1}: ${read}`)
    return { at, ...read }
  })
  return { tenant, threadId: thread, entries, ...(tracing ? { tracing } : {}) }
}

/**
 * Reads an entry, or says what is wrong with it. Returns the value as read, not the schema's output, so that nothing is
 * dropped.
 */
function readEntry(raw: unknown, place: BodyPlace): { body: string; entry: Entry } | string {
  try {
    const entry = checkEnvelope(raw, place)
    const issue = entrySchema().safeParse(raw).error?.issues[0]
    return issue ? `${issue.path.join('.')} ${issue.message}` : { body: JSON.stringify(raw), entry }
  } catch (error) {
    return error instanceof JournalInvalid ? error.message : 'it is nested too deeply'
  }
}

/** Checks the keys. Empty keys, left by mistake, must not turn signatures off. */
function checkKeys(keys: readonly SigningKey[] | undefined): readonly SigningKey[] {
  if (keys === undefined) return []
  const isText = (value: unknown) => typeof value === 'string' && value !== ''
  if (keys.length === 0 || !keys.every((key) => isText(key?.id) && isText(key?.secret))) {
    throw new InputInvalid(
      'signingKeys must hold at least one key, each with an id and a secret; leave it out to not sign.',
    )
  }
  return keys
}

function explain(value: unknown): string {
  if (typeof value !== 'object' || value === null) return 'it is not an object'
  const { kind, v } = value as { kind?: unknown; v?: unknown }
  if (kind !== KIND) return `it is not a holdpoint state (kind ${JSON.stringify(kind)})`
  if (v !== 1)
    return `it has version ${JSON.stringify(v)} and this release reads version 1: restore it with the release that wrote it`
  return 'it is damaged'
}

function verify(value: unknown, keys: readonly SigningKey[]): void {
  if (typeof value !== 'object' || value === null) throw new StateSignatureInvalid('it is not signed')
  const { signature, ...signed } = value as { signature?: { key?: unknown; mac?: unknown } }
  if (typeof signature?.mac !== 'string') throw new StateSignatureInvalid('it is not signed, and signingKeys are set')
  const key = keys.find((known) => known.id === signature.key)
  if (!key)
    throw new StateSignatureInvalid(
      `it is signed with key ${JSON.stringify(signature.key)}, which is not among signingKeys`,
    )
  let expected: string
  try {
    expected = sign(signed as JsonValue, key)
  } catch {
    throw new StateSignatureInvalid('it contains values that cannot have been signed')
  }
  if (!macEqual(signature.mac, expected)) throw new StateSignatureInvalid('it was changed after it was signed')
}

function sign(value: JsonValue, key: SigningKey): string {
  return hmacSha256(key.secret, canonicalJson(value))
}
