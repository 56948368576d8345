import { commit } from '../../desk/record/commit.ts'
import type { Store } from '../../ports/store.ts'
import { requireStore } from '../../protocol/checks/check-options.ts'
import { ThreadNotFound } from '../../protocol/errors/errors.ts'
import { parseThreadId } from '../../protocol/ids.ts'
import { deleteDeadLetter, STUCK } from './stuck.ts'

/**
 * Lets workers try a thread again, at once and as often as at first. Resolves to `false` if it has nothing to do: it waits for people, or its run is
 * over. Throws `ThreadNotFound` for an unknown thread.
 */
export async function redrive(store: Store, threadId: string): Promise<boolean> {
  requireStore('redrive()', store)
  const id = parseThreadId(threadId)
  return commit(`Thread ${id}`, async () => {
    const { version, wake, now } = await store.read(id, { after: Number.MAX_SAFE_INTEGER })
    if (version === 0) throw new ThreadNotFound(id)
    const letter = await store.readRecord(STUCK, id)
    if (!letter && wake.at === null) return { done: false }
    const { ok } = await store.append({ threadId: id, version, entries: [], wake: { op: 'set', at: now } })
    if (!ok) return undefined
    // After the mark: a stuck thread without a mark always has its letter.
    if (letter) await store.writeRecords([{ ...deleteDeadLetter(id), expect: letter.version }])
    return { done: true }
  })
}
