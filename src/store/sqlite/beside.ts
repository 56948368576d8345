import type { OutboxStore } from '../../ports/outbox.ts'
import type { RecordStore } from '../../ports/records.ts'
import { outboxAge, rowNumber } from '../shared/outbox.ts'
import { checkRecords } from '../shared/records.ts'
import type { Connection } from './connection/connection.ts'
import type { Follower } from './connection/follow.ts'
import { readOutbox } from './outbox.ts'
import { findRecords, readRecord } from './records.ts'
import type { CommitQueue } from './writing/commit-queue.ts'

/** The parts of a store that its records and the outbox need. */
export interface Besides {
  readonly tenant: string
  readonly follower: Follower
  now(): number
  read<T>(run: (connection: Connection) => T): Promise<T>
  readonly write: CommitQueue['push']
}

/** What a store keeps beside its journals. */
export function besideJournals({ tenant, follower, now, read, write }: Besides): RecordStore & OutboxStore {
  return {
    async writeRecords(changes) {
      checkRecords(changes)
      return write({ op: 'records', tenant, changes })
    },
    readRecord: (kind, id) => read((connection) => readRecord({ connection, tenant, now: now() }, kind, id)),
    readRecords: (kind, ids) =>
      read((connection) => {
        const place = { connection, tenant, now: now() }
        return [...new Set(ids)].flatMap((id) => readRecord(place, kind, id) ?? [])
      }),
    findRecords: (query) => read((connection) => findRecords({ connection, tenant, now: now() }, query)),
    outbox: (query) => read((connection) => readOutbox(connection, query)),
    async outboxChanged({ after, signal }) {
      const number = rowNumber(after)
      if (signal.aborted) return
      const woken = await read((connection) => follower.followOutbox(connection, { after: number, signal }))
      await woken()
    },
    async prune(options) {
      return write({ op: 'prune', outboxMs: outboxAge(options) })
    },
  }
}
