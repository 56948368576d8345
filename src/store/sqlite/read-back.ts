import type { PartQuery, ThreadPart } from '../../ports/thread-part.ts'
import { CHAIN_START } from '../../protocol/chain/chain.ts'
import { ThreadErased } from '../../protocol/errors/errors.ts'
import { checkSigned } from '../shared/audit.ts'
import { rangeBefore } from '../shared/page.ts'
import { isSoundPart } from '../shared/verify.ts'
import type { Connection } from './connection/connection.ts'
import { toBytes } from './connection/driver.ts'
import { readHead } from './heads.ts'
import { readBetween, readThread, type View } from './read.ts'

/** Reads the last entries of a thread before a number. */
export function readBack(view: View, threadId: string, query?: PartQuery): ThreadPart {
  const { connection, tenant, trust } = view
  const head = readHead(connection, tenant, threadId)
  checkSigned(trust.auditKeys, { store: trust.store, tenant, threadId }, head, 'read')
  if (head.erased) throw new ThreadErased(threadId)
  const { no, version } = head
  const { from, to } = rangeBefore(version, query)
  const found = readBetween(connection, { no, from, to, verify: trust.verify })
  const part = { tenant, threadId, after: from, previous: hashAt(connection, no, from), ...found }
  if (isSoundPart(trust.verify, part, { to, head })) return { version, entries: found.entries }
  // Throws if the break is one. A later `erased` entry may account for it.
  return { version, entries: readThread(view, { threadId, after: 0, time: 0 }).entries.slice(from, to) }
}

/** The hash of an entry. `undefined`: its row is missing. */
function hashAt(connection: Connection, no: number, seq: number): Uint8Array | undefined {
  if (seq === 0) return CHAIN_START
  const row = connection.list('SELECT hash FROM entries WHERE thread = ? AND seq = ?').get([no, seq])
  return row && toBytes(row[0])
}
