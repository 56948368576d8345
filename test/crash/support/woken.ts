import { expect } from 'vitest'
import { apply } from '../../../src/core/fold/fold.ts'
import { emptyState } from '../../../src/core/state.ts'
import { wakeAt } from '../../../src/core/wake.ts'
import { parseBody } from '../../../src/protocol/entries/versions.ts'
import { storeAt } from '../../support/stores/stored-at.js'

/** Longer than any lease of a dead process. */
const LATER_MS = 60_000

/**
 * Asserts that a store, once the leases of the dead have expired, finds every one of these threads that has something to do. A mark may be too
 * early, since whoever died could not clear it. Returns how many threads had something to do.
 */
export async function verifyWoken(path: string, threads: readonly string[]): Promise<number> {
  const store = storeAt(path, { clock: { now: () => Date.now() + LATER_MS } })
  try {
    const { threads: found } = await store.ready({ limit: 500 })
    const ready = new Set(found.map(({ threadId }) => threadId))
    let busy = 0
    for (const threadId of threads) {
      const { entries, now } = await store.read(threadId)
      const state = emptyState(store.tenantId, threadId)
      for (const { body, seq, at } of entries) apply(state, parseBody(body, { threadId, seq }), at)
      if (wakeAt(state, now) === null) continue
      busy++
      expect(ready.has(threadId), `${threadId} has something to do and is ready`).toBe(true)
    }
    return busy
  } finally {
    await store.close()
  }
}

/** Asserts that a store finds none of these threads, whose runs are over or wait for people. */
export async function verifyQuiet(path: string, threads: readonly string[]): Promise<void> {
  const store = storeAt(path, { clock: { now: () => Date.now() + LATER_MS } })
  try {
    const { threads: found } = await store.ready({ limit: 500 })
    expect(found.filter(({ threadId }) => threads.includes(threadId))).toEqual([])
    for (const threadId of threads) expect((await store.read(threadId)).wake.at).toBe(null)
  } finally {
    await store.close()
  }
}
