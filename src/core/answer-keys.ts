import type { Actor } from '../protocol/decision.ts'
import { sha256 } from '../protocol/json/canonical.ts'
import type { ThreadState } from './state.ts'

/** How many characters of a key's hash are kept: two keys in 16 million have the same. */
const LENGTH = 6
/** How many keys are kept: 6 KB. */
const MOST = 1000

/** An answer that came with an idempotency key. */
interface KeyedAnswer {
  readonly by: Actor
  readonly idempotency?: { readonly key: string }
}

/** Keeps the key of an answer, so that another key is known to be new without a search in all entries. */
export function keepKey(state: ThreadState, { by, idempotency }: KeyedAnswer): void {
  if (idempotency === undefined || state.keys === null) return
  const mark = markOf(by, idempotency.key)
  // The answers of a batch have one key.
  if (state.keys.endsWith(mark)) return
  state.keys = state.keys.length < MOST * LENGTH ? state.keys + mark : null
}

/** Whether somebody may have used a key in the thread. `false` is certain. */
export function mayHaveUsed({ keys }: Pick<ThreadState, 'keys'>, by: Actor, key: string): boolean {
  if (keys === null) return true
  const mark = markOf(by, key)
  for (let place = 0; place < keys.length; place += LENGTH) if (keys.startsWith(mark, place)) return true
  return false
}

function markOf({ kind, id }: Actor, key: string): string {
  return sha256(JSON.stringify([kind, id, key])).slice(0, LENGTH)
}
