import type { StoredEntry } from '../../ports/stored-entry.ts'
import type { Link } from '../../protocol/chain/find-break.ts'
import type { Verify } from '../shared/verify.ts'
import type { Dialect } from './dialect.ts'

/** Separates entries: JSON never contains this character unescaped. */
const SEPARATOR = '\u001e'

/** Longer bodies are not joined, so that a joined string stays far below the size limit of strings. */
export const LONGEST_JOINED = 65_536

/**
 * The code by which SQL joins entries: transferring rows one by one costs more than finding them. A body that is too long leaves a separator
 * instead, so that the parts are more than the entries.
 */
export const JOINED_CODE = SEPARATOR.charCodeAt(0)

/** One entry as a string: time, link, body. The link is left out if it is not verified. */
export function joinedEntry({ hex }: Dialect, verify: Verify): string {
  const link = verify === 'chain' ? `${hex('salt')} || ${hex('hash')}` : `''`
  return `at || ' ' || ${link} || ' ' || body`
}

/** Entries, and what ties each to the one before it. */
export interface LinkedEntries {
  readonly entries: StoredEntry[]
  readonly links: Link[]
}

/**
 * Splits the joined entries after `from` and up to `to`, and adds them. `false`: one is too long or contains the separator (a store takes any
 * string), or rows are missing because the tables were tampered with. Then read them one by one.
 */
export function addJoined({ entries, links }: LinkedEntries, joined: unknown, from: number, to: number): boolean {
  const parts = typeof joined === 'string' ? joined.split(SEPARATOR) : []
  if (parts.length !== to - from) return false
  let seq = from
  for (const part of parts) {
    const first = part.indexOf(' ')
    const second = part.indexOf(' ', first + 1)
    entries.push({ seq: ++seq, at: Number(part.slice(0, first)), body: part.slice(second + 1) })
    if (second > first + 1) links.push(toLink(part.slice(first + 1, second)))
  }
  return true
}

const SALT_BYTES = 16

/** A salt and a hash, in hexadecimal. */
export function toLink(hex: string): Link {
  const bytes = Buffer.from(hex, 'hex')
  return { salt: bytes.subarray(0, SALT_BYTES), hash: bytes.subarray(SALT_BYTES) }
}
