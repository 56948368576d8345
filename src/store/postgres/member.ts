import type { Append, RequestChange } from '../../ports/store.ts'
import { bodyHash, toHex } from '../../protocol/chain/chain.ts'
import { joinLists, joinReaders } from '../shared/request-filter.ts'
import { grantValues } from './grants.ts'
import { recordValues } from './records.ts'
import type { StoreTime } from './time.ts'
import { wakeValues } from './wake.ts'

/** One append as the SQL function `append_all` takes it. */
export interface Member {
  /** What is short, as a JSON object. */
  readonly json: string
  /** The id of the append, the salts and hashes of its entries, and what is long: entries, snapshot and chunks. */
  readonly data: Buffer
}

/** What makes a member of an append. */
export interface MemberContext {
  readonly tenant: string
  readonly time: StoreTime
  /** Names the append. */
  readonly id: Uint8Array
  /** The salts of its entries. */
  readonly salts: readonly Uint8Array[]
  /** The end of the thread will be signed. */
  readonly keyed: boolean
}

/** Numbers are strings, because JSON has no infinity. What is absent is left out. */
export function toMember(append: Append, { tenant, time, id, salts, keyed }: MemberContext): Member {
  const { threadId, version, head, entries, snapshot, erase } = append
  const [told, fixed] = time.values()
  const texts = snapshot ? [...entries, snapshot.body, ...(snapshot.chunks?.bodies ?? [])] : entries
  const sizes = texts.map((text) => Buffer.byteLength(text))
  const short = {
    tenant,
    thread: threadId,
    name: JSON.stringify([tenant, threadId]).slice(0, -1),
    time: `${told}`,
    fixed,
    version: version === undefined ? undefined : `${version}`,
    head,
    ...leaseFields(append),
    keyed,
    count: entries.length,
    sizes,
    erase: erase && { body: erase.body, salt: toHex(erase.salt) },
    snapshot: snapshot && { fold: snapshot.fold, first: snapshot.chunks?.first },
  }
  const changes = [
    ['requests', requestValues(append.requests)],
    ['grants', grantValues(threadId, append.grants)],
    ['records', recordValues(append.records)],
    ['wake', wakeValues(append)],
  ].flatMap(([name, json]) => (json === null ? [] : [`,"${name}":${json}`]))
  return {
    json: `${JSON.stringify(short).slice(0, -1)}${changes.join('')}}`,
    data: toData(id, salts, { entries, texts, sizes }),
  }
}

function toData(
  id: Uint8Array,
  salts: readonly Uint8Array[],
  { entries, texts, sizes }: { entries: readonly string[]; texts: readonly string[]; sizes: readonly number[] },
): Buffer {
  const hashes = entries.map((body, index) => bodyHash(salts[index]!, body)).join('')
  const fixed = id.length + salts.length * 16 + hashes.length
  const data = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + size, fixed))
  let at = 0
  for (const bytes of [id, ...salts]) {
    data.set(bytes, at)
    at += bytes.length
  }
  at += data.write(hashes, at, 'latin1')
  for (const text of texts) at += data.write(text, at)
  return data
}

/** Operation, holder, token, the other holder that `take` names, time to live, and whether the lease is free afterwards. */
function leaseFields({ lease }: Append): object {
  switch (lease?.op) {
    case undefined:
      return { drop: false }
    case 'take': {
      const { op, holder, over, ttlMs, thenDrop = false } = lease
      return { op, holder, token: over && `${over.token}`, over: over?.holder, ttl: `${ttlMs}`, drop: thenDrop }
    }
    case 'hold': {
      const { op, holder, token, thenDrop = false } = lease
      return { op, holder, token: `${token}`, drop: thenDrop }
    }
    case 'drop': {
      const { op, holder, token } = lease
      return { op, holder, token: `${token}`, drop: true }
    }
  }
}

function requestValues(changes: readonly RequestChange[] | undefined): string | null {
  if (!changes || changes.length === 0) return null
  return JSON.stringify(
    changes.map((change) =>
      change.op === 'open'
        ? {
            op: 'open',
            entry: change.entry,
            ...change.row,
            readers: joinReaders(change.row.readers),
            lists: joinLists(change.row.lists),
          }
        : change,
    ),
  )
}
