import { z } from 'zod'
import { commit } from '../desk/record/commit.ts'
import { allRecords, type StoredRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import { lazy } from '../protocol/checks/lazy.ts'
import type { EntryOf } from '../protocol/entries/entry.ts'
import { isThreadErased } from '../protocol/errors/errors.ts'
import { ERASURES_THREAD, notesThread } from '../protocol/ids.ts'
import { IDEMPOTENCY } from '../protocol/record-kinds.ts'
import { forgetDeliveries } from '../webhooks/forget.ts'
import { forgetPreviews } from '../worker/shared/preview-records.ts'
import { deleteDeadLetter } from '../worker/shared/stuck.ts'
import { replaceAll } from './erase-thread.ts'
import { forgetCall, forgetHandOvers } from './gate-records.ts'
import { ERASURE, type PendingErasure, pendingOf, readPending } from './pending.ts'

/**
 * Removes what is left of erased threads of the store's tenant elsewhere: notes, dead letters, idempotency keys, deliveries of webhooks, previews, records of gates. It can be
 * repeated: what was done is found done. The requests are gone by now, so that nobody can write such things about them any more.
 */
export async function removeTraces(store: Store): Promise<number> {
  const requests = new Set<string>()
  const calls = new Set<string>()
  let threads = 0
  for await (const record of pendingOf(store)) {
    threads += 1
    const erasure = readPending(record)
    for (const id of erasure.requests) {
      requests.add(id)
      await eraseNotes(store, id, erasure)
    }
    await store.writeRecords([deleteDeadLetter(record.id)])
    if (!erasure.gate) continue
    calls.add(record.id)
    await forgetCall(store, record.id, erasure.gate)
  }
  if (calls.size > 0) await forgetHandOvers(store, calls)
  if (requests.size > 0) {
    await forgetKeys(store, requests)
    await forgetDeliveries(store, requests)
    await forgetPreviews(store, requests)
  }
  return threads
}

async function eraseNotes(store: Store, request: string, { by, reason }: PendingErasure): Promise<void> {
  const threadId = notesThread(request)
  await commit(`Erasing thread ${threadId}`, async () => {
    try {
      const slice = await store.read(threadId)
      if (slice.version === 0) return { done: undefined }
      return (await replaceAll(store, { threadId, slice }, { by, reason })) ? { done: undefined } : undefined
    } catch (error) {
      if (isThreadErased(error)) return { done: undefined }
      throw error
    }
  })
}

const subject = lazy(() => z.object({ subject: z.string().exactOptional() }))

/** A key has a hash of what was sent, from which a short comment could be guessed. */
async function forgetKeys(store: Store, requests: ReadonlySet<string>): Promise<void> {
  for await (const { kind, id, value } of allRecords(store, { kind: IDEMPOTENCY })) {
    const about = subject().parse(JSON.parse(value)).subject
    if (about !== undefined && requests.has(about)) await store.writeRecords([{ op: 'delete', kind, id }])
  }
}

/** Puts what was erased on record for good. Each is recorded once, however many processes do this. */
export async function recordErasures(store: Store): Promise<void> {
  for await (const record of pendingOf(store)) await recordOne(store, record)
}

async function recordOne(store: Store, record: StoredRecord): Promise<void> {
  const { entries, requests, by, reason } = readPending(record)
  const { id: thread, at: erasedAt, version: expect } = record
  const own = { v: 1, type: 'thread.erased', thread } as const
  const entry: EntryOf<'thread.erased'> = { ...own, entries, requests: requests.length, erasedAt, by, reason }
  await store.append({
    threadId: ERASURES_THREAD,
    entries: [JSON.stringify(entry)],
    records: [{ op: 'delete', kind: ERASURE, id: thread, expect }],
  })
}
