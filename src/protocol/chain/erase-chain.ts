import type { Actor } from '../decision.ts'
import type { EntryOf } from '../entries/entry.ts'
import { bodyHash } from './chain.ts'

/** What stands in place of an erased body. Every build reads it as an entry that changes nothing. */
export const ERASED_BODY = '{"v":1,"type":"erased"}'

/** An entry whose body is erased. */
interface ErasableEntry {
  readonly seq: number
  readonly body: string
  readonly salt: Uint8Array
}

/**
 * The entries that account for erased bodies, one for each. The old salt must be destroyed together with the body: with it, a short body could be
 * guessed from its hash.
 */
export function accountFor(
  entries: readonly ErasableEntry[],
  { salt, by, reason }: { salt: Uint8Array; by: Actor; reason: string },
): string[] {
  const now = hex(bodyHash(salt, ERASED_BODY))
  return entries.map(({ seq, body, salt: old }) => {
    const was = hex(bodyHash(old, body))
    const entry: EntryOf<'erased'> = { v: 1, type: 'erased', entry: seq, was, now, by, reason }
    return JSON.stringify(entry)
  })
}

function hex(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('hex')
}
