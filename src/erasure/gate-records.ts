import { allRecords } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import type { ThreadName } from '../ports/store-lists.ts'
import { besideBookmark, threadsBeside } from '../protocol/conversation.ts'
import { GATE_BOOKMARK, GATE_CALL, GATE_HANDED_OVER, GATE_USE } from '../protocol/record-kinds.ts'
import type { PendingErasure } from './pending.ts'

/** Removes the records about an erased call from outside. The bookmarks of its conversation go with the last of its calls. */
export async function forgetCall(
  store: Store,
  threadId: string,
  { slot, bookmark }: NonNullable<PendingErasure['gate']>,
): Promise<void> {
  if (slot !== undefined) await forgetSlot(store, threadId, slot)
  if (!(await hasOthers(store, threadId))) await forgetBookmarks(store, bookmark)
}

/** Removes the records that name erased calls which were handed over. They are few: the end of a call removes its own. */
export async function forgetHandOvers(store: Store, threads: ReadonlySet<string>): Promise<void> {
  for (const kind of [GATE_USE, GATE_HANDED_OVER]) {
    for await (const { id, value, version } of allRecords(store, { kind })) {
      // Another call may have the place by now.
      if (threads.has(value)) await store.writeRecords([{ op: 'delete', kind, id, expect: version }])
    }
  }
}

async function forgetBookmarks(store: Store, bookmark: string): Promise<void> {
  const remove = (id: string) => store.writeRecords([{ op: 'delete', kind: GATE_BOOKMARK, id }])
  await remove(bookmark)
  for await (const { id } of allRecords(store, { kind: GATE_BOOKMARK, prefix: besideBookmark(bookmark) }))
    await remove(id)
}

/** Equal calls without ids are found by counting, so a place before others is kept, without the name of the thread. */
async function forgetSlot(store: Store, threadId: string, id: string): Promise<void> {
  const record = await store.readRecord(GATE_CALL, id)
  // Another call may have the place by now.
  if (record?.value !== threadId) return
  const [key, ordinal] = id.split('/')
  const own = { kind: GATE_CALL, id, expect: record.version }
  const isLast =
    ordinal === undefined || (await store.readRecord(GATE_CALL, `${key}/${Number(ordinal) + 1}`)) === undefined
  // A call that takes the place meanwhile keeps it.
  await store.writeRecords([isLast ? { op: 'delete', ...own } : { op: 'put', ...own, value: '' }])
}

/** Whether the conversation of a call has calls that are not erased. */
async function hasOthers(store: Store, threadId: string): Promise<boolean> {
  const { tenantId } = store
  const start = threadsBeside(threadId)
  const isOf = (name: ThreadName) => name.tenantId === tenantId && name.threadId.startsWith(start)
  let after: ThreadName | undefined = { tenantId, threadId: start }
  while (after && (after.threadId === start || isOf(after))) {
    const page: Awaited<ReturnType<Store['threads']>> = await store.threads({ after, before: Number.MAX_SAFE_INTEGER })
    if (page.threads.some(isOf)) return true
    after = page.next
  }
  return false
}
