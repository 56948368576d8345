import { z } from 'zod'
import type { RecordChange, StoredRecord } from '../../ports/records.ts'
import { lazy } from '../../protocol/checks/lazy.ts'

/** The kind of the records of threads that are not driven any more. Each belongs to its thread's tenant. */
export const STUCK = 'stuck'

const deadLetter = lazy(() =>
  z.object({
    error: z.object({ code: z.string().exactOptional(), message: z.string() }),
    tries: z.number(),
    agent: z.string(),
    version: z.string().nullable(),
    /** The length of the journal then: once it is longer, somebody has moved the thread. */
    length: z.number(),
  }),
)

/** Why a thread is not driven any more. */
export type DeadLetter = z.infer<ReturnType<typeof deadLetter>>

/** The record of a dead letter. */
export function putDeadLetter(threadId: string, letter: DeadLetter): RecordChange {
  return { op: 'put', kind: STUCK, id: threadId, value: JSON.stringify(letter) }
}

/** Removes the record of a thread that is driven again. */
export function deleteDeadLetter(threadId: string): RecordChange {
  return { op: 'delete', kind: STUCK, id: threadId }
}

/** Reads a dead letter. */
export function readDeadLetter({ value }: StoredRecord): DeadLetter {
  return deadLetter().parse(JSON.parse(value))
}
