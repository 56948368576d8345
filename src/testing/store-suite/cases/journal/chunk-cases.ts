import assert from 'node:assert/strict'
import { FEW_CHUNKS, SHORT_CHUNK } from '../../../../ports/snapshot.ts'
import type { Append, Store } from '../../../../ports/store.ts'
import type { StoreCase } from '../../store-case.ts'
import { accepted, entry, onFreshStore, refused } from '../../tools.ts'
import { erase } from './snapshot-cases.ts'

const FOLD = 7

/** An append at this version that leaves a snapshot, and chunks from this number on. */
function leaving(version: number, first: number, bodies: readonly string[]): Append {
  return { threadId: 't', version, entries: [entry(`after ${version}`)], snapshot: snapshotOf(first, bodies) }
}

function snapshotOf(first: number, bodies: readonly string[], fold = FOLD): NonNullable<Append['snapshot']> {
  return { fold, body: `state, chunks up to ${first + bodies.length - 1}`, chunks: { first, bodies } }
}

async function chunksOf(store: Store, threadId = 't', fold = FOLD): Promise<string[] | undefined> {
  return (await store.read(threadId, { snapshot: fold, chunks: true })).snapshot?.chunks
}

const begun: Append = { threadId: 't', entries: [entry('a')] }

/** Chunks: what snapshots leave out. */
export const chunkCases: readonly StoreCase[] = [
  {
    name: 'chunks are read in the order of their numbers, with the snapshot and only if they are asked for',
    guarantee: 'C5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, begun)
        assert.equal(await chunksOf(store), undefined)
        await accepted(store, { threadId: 't', version: 1, entries: [], snapshot: { fold: FOLD, body: 'no chunks' } })
        assert.deepEqual(await chunksOf(store), [])
        const bodies = Array.from({ length: 12 }, (_, n) => `chunk ${n + 1}`)
        await accepted(store, leaving(1, 1, bodies.slice(0, 2)))
        for (const [index, body] of bodies.entries())
          if (index >= 2) await accepted(store, leaving(index, index + 1, [body]))
        assert.deepEqual(await chunksOf(store), bodies)
        const lean = await store.read('t', { snapshot: FOLD })
        assert.deepEqual(lean.snapshot, { version: 11, body: 'state, chunks up to 12' })
        assert.equal((await store.read('t')).snapshot, undefined)
      }),
  },
  {
    name: 'chunks are stored byte for byte, however long they are and whatever is in them',
    guarantee: 'C5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, begun)
        const bodies = ['', 'x'.repeat(300_000), 'a\u001eb', JSON.stringify('\u0000 "quoted" \n é 漢 😀'), "it's"]
        await accepted(store, leaving(1, 1, bodies))
        assert.deepEqual(await chunksOf(store), bodies)
        const more = Array.from({ length: 100 }, (_, n) => (n === 70 ? 'y'.repeat(100_000) : `chunk ${n}`))
        await accepted(store, leaving(2, bodies.length + 1, more))
        assert.deepEqual(await chunksOf(store), [...bodies, ...more])
        await accepted(store, { ...begun, threadId: 'u' })
        await accepted(store, { ...leaving(1, 1, more), threadId: 'u' })
        assert.deepEqual(await chunksOf(store, 'u'), more)
      }),
  },
  {
    name: 'a chunk that is written again takes the place of the one before, and the others stay as they are',
    guarantee: 'C5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, begun)
        await accepted(store, leaving(1, 1, ['one', 'two', 'three']))
        await accepted(store, leaving(2, 2, ['other two']))
        assert.deepEqual(await chunksOf(store), ['one', 'other two', 'three'])
        await accepted(store, { threadId: 't', version: 3, entries: [], snapshot: { fold: FOLD, body: 'no new ones' } })
        assert.deepEqual(await chunksOf(store), ['one', 'other two', 'three'])
      }),
  },
  {
    name: 'chunks that are asked for only if they are few and short are all there, or none is',
    guarantee: 'C6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const few = async (threadId = 't') => (await store.read(threadId, { snapshot: FOLD, chunks: 'few' })).snapshot
        const bodies = Array.from({ length: FEW_CHUNKS }, (_, n) =>
          `${n}`.padEnd(SHORT_CHUNK, 'é').slice(0, SHORT_CHUNK / 2),
        )
        await accepted(store, begun)
        assert.equal(await few(), undefined)
        await accepted(store, leaving(1, 1, bodies))
        const body = `state, chunks up to ${FEW_CHUNKS}`
        assert.deepEqual(await few(), { version: 1, body, chunks: bodies })
        await accepted(store, leaving(2, FEW_CHUNKS + 1, ['one more']))
        assert.deepEqual((await few())?.chunks, [])
        await accepted(store, { ...begun, threadId: 'u' })
        await accepted(store, { ...leaving(1, 1, ['short', 'é'.repeat(SHORT_CHUNK / 2 + 1)]), threadId: 'u' })
        assert.deepEqual((await few('u'))?.chunks, [])
        assert.deepEqual(await chunksOf(store, 'u'), ['short', 'é'.repeat(SHORT_CHUNK / 2 + 1)])
      }),
  },
  {
    name: 'a refused append leaves the chunks as they were',
    guarantee: 'C2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, begun)
        await accepted(store, leaving(1, 1, ['one']))
        await refused(store, leaving(1, 1, ['refused']), 'version')
        await refused(store, { ...leaving(2, 2, ['refused']), notBefore: Number.MAX_SAFE_INTEGER }, 'time')
        assert.deepEqual(await chunksOf(store), ['one'])
      }),
  },
  {
    name: 'chunks belong to the threads, tenants and folds that they were written for',
    guarantee: 'C5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const other = store.tenant('other')
        await accepted(store, begun)
        await accepted(store, leaving(1, 1, ['one']))
        await accepted(store, { ...leaving(2, 1, []), snapshot: snapshotOf(1, ['of another fold'], FOLD + 1) })
        for (const [place, threadId] of [[store, 'u'] as const, [other, 't'] as const]) {
          await accepted(place, { ...begun, threadId })
          await accepted(place, { ...leaving(1, 1, [`of ${place.tenantId} ${threadId}`]), threadId })
          assert.deepEqual(await chunksOf(place, threadId), [`of ${place.tenantId} ${threadId}`])
        }
        assert.deepEqual(await chunksOf(store), ['one'])
        assert.deepEqual(await chunksOf(store, 't', FOLD + 1), ['of another fold'])
      }),
  },
  {
    name: 'chunks are read with an audit key like others without',
    guarantee: 'C3',
    run: (harness) =>
      onFreshStore(
        harness,
        async (store) => {
          await accepted(store, begun)
          await accepted(store, leaving(1, 1, ['one']))
          await accepted(store, leaving(2, 2, ['two']))
          assert.deepEqual(await chunksOf(store), ['one', 'two'])
        },
        { auditKey: 'a secret for tests' },
      ),
  },
  {
    name: 'chunks without a number from 1 on are refused as invalid',
    guarantee: 'C5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, begun)
        for (const first of [0, -1, 1.5, Number.NaN])
          await assert.rejects(store.append(leaving(1, first, ['one'])), { code: 'input_invalid' })
        await assert.rejects(store.append(leaving(1, 1, [7 as unknown as string])), { code: 'input_invalid' })
        assert.equal((await store.read('t')).version, 1)
      }),
  },
  {
    name: 'an erased thread has no chunks',
    guarantee: 'C4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, begun)
        await accepted(store, leaving(1, 1, ['a secret']))
        await erase(store)
        await assert.rejects(chunksOf(store), { code: 'thread_erased' })
      }),
  },
]
