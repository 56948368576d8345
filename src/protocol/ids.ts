import { TenantIdInvalid, ThreadIdInvalid } from './errors/errors.ts'
import { isWellFormed } from './json/json.ts'

declare const brand: unique symbol
type Branded<T, B extends string> = T & { readonly [brand]: B }

/** The id of a conversation. */
export type ThreadId = Branded<string, 'ThreadId'>

/** A frame: the run's id for the root, the calling {@link CallKey} for a nested run. */
export type FrameKey = string

/**
 * A call's identity inside holdpoint: `frame/turn.index`, e.g. `run/1.0` at the root and `run/1.0/2.1` one level down.
 * Everything refers to a call by this key, never by the model's id: models reuse ids.
 */
export type CallKey = Branded<string, 'CallKey'>

const THREAD_ID = /^[A-Za-z0-9._:@/+=~-]{1,200}$/

const NOTES = '~notes/'

/** The thread that keeps the notes on a request. No run has such a name. */
export function notesThread(request: string): string {
  return `${NOTES}${request}`
}

/** Whether a thread keeps the notes on a request. Lists for people leave it out. */
function isNotesThread(threadId: string): boolean {
  return threadId.startsWith(NOTES)
}

/** The thread that records what was erased in a tenant, by whom and why. */
export const ERASURES_THREAD = '~erasures'

/** Whether holdpoint itself keeps a thread: notes on a request, or the record of erasures. No run has such a name. */
export function isOwnThread(threadId: string): boolean {
  return isNotesThread(threadId) || threadId === ERASURES_THREAD
}

/** Whether a run may have this name. */
export function isThreadId(value: unknown): value is ThreadId {
  return typeof value === 'string' && THREAD_ID.test(value) && !isOwnThread(value)
}

/** Parses a thread id from outside. */
export function parseThreadId(value: unknown): ThreadId {
  if (!isThreadId(value)) throw new ThreadIdInvalid(String(value))
  return value
}

/** The same for auditors, who also read the threads that holdpoint itself keeps. */
export function parseAuditedId(value: string): string {
  return isOwnThread(value) ? value : parseThreadId(value)
}

const LONGEST_TENANT_ID = 200

/** Parses a tenant id from outside. The rules are the same in every store and for all message streams. */
export function parseTenantId(value: unknown): string {
  const isName = typeof value === 'string' && value !== '' && value.length <= LONGEST_TENANT_ID
  // Databases refuse U+0000, and lone surrogates would all become the same character.
  if (!isName || !isWellFormed(value) || value.includes('\0')) throw new TenantIdInvalid(value)
  return value
}

/** The key of call number `index` of turn number `turn` in a frame. */
export function callKey(frame: FrameKey, turn: number, index: number): CallKey {
  return `${frame}/${turn}.${index}` as CallKey
}

/** The frame of a call. */
export function frameOf(call: CallKey): FrameKey {
  return call.slice(0, call.lastIndexOf('/'))
}
