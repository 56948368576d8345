import { bodyHash, type ChainHeader, chainOf } from '../../protocol/chain/chain.ts'
import type { Link } from '../../protocol/chain/find-break.ts'
import type { Salts } from '../sql/salts.ts'
import type { Connection } from './connection/connection.ts'
import type { SqlValue } from './connection/driver.ts'

/** Links new entries to each other and to the end of a thread. `header` is that of the first. */
export function linkEntries(
  bodies: readonly string[],
  { header, previous, salts }: { header: ChainHeader; previous: Uint8Array; salts: Salts },
): Link[] {
  const { tenant, threadId, seq, at } = header
  const chain = chainOf(tenant, threadId)
  let last = previous
  return bodies.map((body, index) => {
    const salt = salts.next()
    last = chain({ seq: seq + index, at }, last, bodyHash(salt, body))
    return { salt, hash: last }
  })
}

const MAX_ROWS = 8

/** At index `n`, the statement for `n + 1` rows. */
const INSERTS: readonly string[] = Array.from({ length: MAX_ROWS }, (_, index) => {
  const rows = Array(index + 1).fill('(?, ?, ?, ?, ?, ?)')
  return `INSERT INTO entries (thread, seq, at, body, salt, hash) VALUES ${rows.join(', ')}`
})

/** Writes entries after a version, several with each statement. */
export function writeEntries(
  connection: Connection,
  place: { thread: number; after: number; at: number },
  bodies: readonly string[],
  links: readonly Link[],
): void {
  for (let from = 0; from < bodies.length; from += MAX_ROWS) {
    const to = Math.min(bodies.length, from + MAX_ROWS)
    const values: SqlValue[] = []
    for (let i = from; i < to; i++) {
      values.push(place.thread, place.after + 1 + i, place.at, bodies[i]!, links[i]!.salt, links[i]!.hash)
    }
    connection.statement(INSERTS[to - from - 1]!).run(values)
  }
}
