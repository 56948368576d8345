import type { StoredEntry } from '../../ports/store.ts'
import type { Link } from '../../protocol/chain/find-break.ts'
import type { Verify } from '../shared/verify.ts'
import type { Dialect } from './dialect.ts'

/** No text of JSON has this character as it is, so it tells where one ends. */
const SEPARATOR = '\u001e'

/** Bodies that are longer are not joined, so that a piece stays far from what a text can hold. */
export const LONGEST_JOINED = 65_536

/**
 * What SQL joins entries by, in their order: handing over each by itself costs more than finding it. A body that is too long leaves a separator
 * instead, so that the parts are more than the entries.
 */
export const JOINED_CODE = SEPARATOR.charCodeAt(0)

/** The text of one entry: time, link, body. The link is left out where nobody looks at it. */
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
 * Takes the joined entries after one number and up to another apart, and adds them. `false`: one is too long, or has a separator of its own, since a store
 * takes any text; or some are gone, if somebody changed the tables. Then they are to be read one by one.
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
