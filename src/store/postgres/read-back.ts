import type { PartQuery, ThreadPart } from '../../ports/thread-part.ts'
import { CHAIN_START } from '../../protocol/chain/chain.ts'
import { ThreadErased } from '../../protocol/errors/errors.ts'
import { checkSigned } from '../shared/audit.ts'
import { lastBefore, pageLimit, rangeBefore } from '../shared/page.ts'
import { isSoundPart, type Verify } from '../shared/verify.ts'
import { addJoined, type LinkedEntries } from '../sql/joined-entries.ts'
import { prefixOf } from './connection/place.ts'
import type { Run } from './connection/run.ts'
import { END_COLUMNS, joinEntries } from './load.ts'
import { addEntries, readThread, toEnd, type View } from './read.ts'
import type { StoreTime } from './time.ts'

/** Reads the last entries of a thread before a number, with one statement. */
export async function readBack(
  run: Run,
  view: View,
  { threadId, time, ...query }: PartQuery & { threadId: string; time: StoreTime },
): Promise<ThreadPart> {
  const { schema, tenant, trust } = view
  const values = [lastBefore(query.before), pageLimit(query.limit), tenant, threadId]
  const [row] = await run.kept(selectPart(schema, trust.verify), values)
  const end = toEnd(row)
  checkSigned(trust.auditKeys, { store: trust.store, tenant, threadId }, end, 'read')
  if ((row?.erased_at ?? null) !== null) throw new ThreadErased(threadId)
  const { version } = end
  const { from, to } = rangeBefore(version, query)
  const found: LinkedEntries = { entries: [], links: [] }
  const place = { schema, verify: trust.verify, no: row?.no, from, to }
  if (to > from && !addJoined(found, row?.joined, from, to)) await addEntries(found, run, place)
  const part = { tenant, threadId, after: from, previous: from === 0 ? CHAIN_START : hashOf(row?.previous), ...found }
  if (isSoundPart(trust.verify, part, { to, head: end })) return { version, entries: found.entries }
  // Throws if the break is one. A later `erased` entry may account for it.
  const { entries } = await readThread(run, view, { threadId, after: 0, time })
  return { version, entries: entries.slice(from, to) }
}

/** A thread with its last entries before a number, which are found by the index however many come before them. */
function selectPart(schema: string, verify: Verify): string {
  const prefix = prefixOf(schema)
  const upTo = 'least($1::bigint, t.version)'
  const after = `greatest(${upTo} - $2::bigint, 0)`
  return `SELECT t.no, ${END_COLUMNS}, t.erased_at,
      (SELECT encode(e.hash, 'hex') FROM ${prefix}entries e WHERE e.thread = t.no AND e.seq = ${after}) AS previous,
      (${joinEntries(schema, verify, { thread: 't.no', after, upTo })}) AS joined
    FROM ${prefix}threads t WHERE t.tenant = $3 AND t.id = $4`
}

/** A hash. `undefined`: the row of its entry is missing. */
function hashOf(hex: unknown): Uint8Array | undefined {
  return typeof hex === 'string' ? Buffer.from(hex, 'hex') : undefined
}
