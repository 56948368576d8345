import type { Store } from '../../../ports/store.ts'
import type { ChainedEntry } from '../../../ports/stored-entry.ts'
import type { AuditLine } from '../../../protocol/api/records.ts'
import { toHex } from '../../../protocol/chain/chain.ts'
import { iso } from '../views/request-item.ts'

/** Of which time entries are exported: from one on, and before the other. ISO 8601. */
export interface AuditTimes {
  readonly from?: string
  readonly to?: string
}

/** The lines of an export, thread by thread. One thread is read at a time, when the lines before it were taken. */
export async function* auditLines(
  store: Store,
  threads: AsyncIterable<string> | Iterable<string>,
  { from, to }: AuditTimes,
): AsyncGenerator<AuditLine, void, void> {
  const earliest = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from)
  const end = to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to)
  for await (const thread of threads) {
    for (const entry of await store.readChain(thread))
      if (entry.at >= earliest && entry.at < end) yield { thread, ...toAuditEntry(entry) }
  }
}

/** An entry of a journal, as people get it. */
export function toAuditEntry({ seq, at, hash, body }: ChainedEntry): Omit<AuditLine, 'thread'> {
  return { seq, at: iso(at), hash: toHex(hash), entry: JSON.parse(body) }
}
