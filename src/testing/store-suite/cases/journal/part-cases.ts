import assert from 'node:assert/strict'
import type { Store } from '../../../../ports/store.ts'
import type { PartQuery } from '../../../../ports/thread-part.ts'
import type { StoreCase } from '../../store-case.ts'
import { accepted, entry, onFreshStore } from '../../tools.ts'

/** The numbers of what is read back, after comparing it with the whole thread. */
async function numbersOf(store: Store, query?: PartQuery): Promise<number[]> {
  const whole = await store.read('t')
  const { version, entries } = await store.readBack('t', query)
  assert.equal(version, whole.version)
  for (const stored of entries) assert.deepEqual(stored, whole.entries[stored.seq - 1])
  return entries.map(({ seq }) => seq)
}

/** Parts of threads, from their end backwards. */
export const partCases: readonly StoreCase[] = [
  {
    name: 'the last entries before a number are read back, in order, as many as there are',
    guarantee: 'S7',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        assert.deepEqual(await store.readBack('t'), { version: 0, entries: [] })
        await accepted(store, { threadId: 't', entries: [1, 2, 3].map(entry) })
        harness.clock.advance(5)
        await accepted(store, { threadId: 't', entries: [4, 5].map(entry) })
        assert.deepEqual(await numbersOf(store), [1, 2, 3, 4, 5])
        assert.deepEqual(await numbersOf(store, { limit: 2 }), [4, 5])
        assert.deepEqual(await numbersOf(store, { before: 4, limit: 2 }), [2, 3])
        assert.deepEqual(await numbersOf(store, { before: 2, limit: 2 }), [1])
        assert.deepEqual(await numbersOf(store, { before: 99, limit: 1 }), [5])
        for (const before of [1, 0, -3]) assert.deepEqual(await numbersOf(store, { before }), [])
      }),
  },
  {
    name: 'long parts, and parts with long bodies and any text, are read back as they were written',
    guarantee: 'S7',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const bodies = Array.from({ length: 600 }, (_, n) => entry(n))
        bodies[300] = entry('x'.repeat(100_000))
        bodies[400] = 'no JSON, \u001e and a line\n'
        await accepted(store, { threadId: 't', entries: bodies })
        const last = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n + 1)
        assert.deepEqual(await numbersOf(store, { limit: 500 }), last(100, 600))
        assert.deepEqual(await numbersOf(store), last(550, 600))
        assert.deepEqual(await numbersOf(store, { before: 402, limit: 130 }), last(271, 401))
      }),
  },
  {
    name: 'a limit that is no integer from 1 to 500 is refused',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [entry(1)] })
        for (const limit of [0, 501, 1.5, Number.NaN])
          await assert.rejects(async () => store.readBack('t', { limit }), { code: 'input_invalid' })
      }),
  },
  {
    name: 'a part of a chain is read by its place, with the same hashes',
    guarantee: 'S2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [1, 2, 3, 4, 5].map(entry) })
        const chain = await store.readChain('t')
        assert.deepEqual(await store.readChain('t', { after: 3 }), chain.slice(3))
        assert.deepEqual(await store.readChain('t', { after: 1, limit: 2 }), chain.slice(1, 3))
        assert.deepEqual(await store.readChain('t', { limit: 9 }), chain)
        assert.deepEqual(await store.readChain('t', { after: 5, limit: 1 }), [])
        await assert.rejects(async () => store.readChain('t', { limit: 0 }), { code: 'input_invalid' })
      }),
  },
]
