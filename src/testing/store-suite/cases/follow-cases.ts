import assert from 'node:assert/strict'
import type { StoreCase } from '../store-case.ts'
import { accepted, entry, isPending, onFreshStore, onTwoHandles, refused, soon } from '../tools.ts'

function signal(): AbortSignal {
  return new AbortController().signal
}

/** Waiting for a thread to grow. */
export const followCases: readonly StoreCase[] = [
  {
    name: 'waiting for a version that has passed ends at once',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [entry(1), entry(2)] })
        await soon(store.changed('t', { after: 0, signal: signal() }))
        await soon(store.changed('t', { after: 1, signal: signal() }))
      }),
  },
  {
    name: 'every waiter is woken when its thread grows past what it has seen, and none before',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const fromStart = [1, 2, 3].map(() => store.changed('t', { after: 0, signal: signal() }))
        const fromTwo = store.changed('t', { after: 2, signal: signal() })
        await accepted(store, { threadId: 'other', entries: [entry(1)] })
        await refused(store, { threadId: 't', entries: [entry(1)], version: 9 }, 'version')
        await accepted(store, { threadId: 't', entries: [] })
        assert.equal(await isPending(Promise.race(fromStart)), true)
        await accepted(store, { threadId: 't', entries: [entry(1)] })
        await soon(Promise.all(fromStart))
        await accepted(store, { threadId: 't', entries: [entry(2)] })
        assert.equal(await isPending(fromTwo), true)
        await accepted(store, { threadId: 't', entries: [entry(3)] })
        await soon(fromTwo)
      }),
  },
  {
    name: 'an append right after the wait began is not missed',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        for (let version = 0; version < 20; version++) {
          const waiting = store.changed('t', { after: version, signal: signal() })
          for (let turns = version % 4; turns > 0; turns--) await Promise.resolve()
          await Promise.all([accepted(store, { threadId: 't', entries: [entry(version)] }), soon(waiting)])
        }
      }),
  },
  {
    name: 'a wait ends when its signal fires, and does not disturb other waits',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await soon(store.changed('t', { after: 0, signal: AbortSignal.abort() }))
        const stop = new AbortController()
        const stopped = store.changed('t', { after: 0, signal: stop.signal })
        const other = store.changed('t', { after: 0, signal: signal() })
        assert.equal(await isPending(stopped, 20), true)
        stop.abort()
        await soon(stopped)
        assert.equal(await isPending(other, 20), true)
        await accepted(store, { threadId: 't', entries: [entry(1)] })
        await soon(other)
      }),
  },
  {
    name: 'a waiter is woken by an append through another handle',
    guarantee: 'S4',
    run: (harness) =>
      onTwoHandles(harness, async (first, second) => {
        await accepted(first, { threadId: 't', entries: [entry(1)] })
        const waiting = first.changed('t', { after: 1, signal: signal() })
        assert.equal(await isPending(waiting), true)
        await accepted(second, { threadId: 't', entries: [entry(2)] })
        await soon(waiting)
      }),
  },
]
