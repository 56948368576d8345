import type { OutboxStore } from '../../ports/outbox.ts'
import type { RecordStore } from '../../ports/records.ts'
import { StoreClosed } from '../../protocol/errors/errors.ts'
import { outboxAge } from '../shared/outbox.ts'
import { checkRecords } from '../shared/records.ts'
import type { Salts } from '../sql/salts.ts'
import type { Follower } from './connection/follow.ts'
import type { Run } from './connection/run.ts'
import { parsePosition, prune, readOutbox } from './outbox.ts'
import type { View } from './read.ts'
import { findRecords, readRecord, readRecords, writeRecords } from './records.ts'
import type { StoreTime } from './time.ts'

/** The parts of a store that its records and the outbox need. */
export interface Besides {
  readonly view: View
  readonly time: StoreTime
  readonly timeoutMs: number
  readonly salts: Salts
  readonly follower: Follower
  isClosed(): boolean
  tried<T>(work: (run: Run) => Promise<T>): Promise<T>
}

/** What a store keeps beside its journals. */
export function besideJournals({
  view,
  time,
  timeoutMs,
  salts,
  follower,
  isClosed,
  tried,
}: Besides): RecordStore & OutboxStore {
  const { schema } = view
  return {
    async writeRecords(changes) {
      checkRecords(changes)
      const id = salts.next()
      return tried((run) => writeRecords(run, view, { id, changes, time, timeoutMs }))
    },
    readRecord: (kind, id) => tried((run) => readRecord(run, view, { kind, id, time })),
    readRecords: (kind, ids) => tried((run) => readRecords(run, view, { kind, ids, time })),
    findRecords: (query) => tried((run) => findRecords(run, view, { ...query, time })),
    outbox: (query) => tried((run) => readOutbox(run, schema, query)),
    async outboxChanged({ after, signal }) {
      parsePosition(after)
      if (isClosed()) throw new StoreClosed()
      if (!signal.aborted) await follower.followOutbox({ after, signal })
    },
    async prune(options) {
      const outboxMs = outboxAge(options)
      return tried((run) => prune(run, schema, { time, outboxMs }))
    },
  }
}
