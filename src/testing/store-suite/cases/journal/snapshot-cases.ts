import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { SnapshotWrite } from '../../../../ports/snapshot.ts'
import type { Append, Store, ThreadSlice } from '../../../../ports/store.ts'
import { accountFor, ERASED_BODY } from '../../../../protocol/chain/erase-chain.ts'
import type { HarnessOptions, StoreCase, StoreHarness, Tampering } from '../../store-case.ts'
import { accepted, entry, onFreshStore, refused } from '../../tools.ts'

const FOLD = 7
const KEY = { id: 'k1', secret: 'a secret for tests' }

/** An append that leaves a snapshot of the state before it. */
function leaving(version: number, names: readonly string[], body: string): Append & { snapshot: SnapshotWrite } {
  return { threadId: 't', version, entries: names.map(entry), snapshot: { fold: FOLD, body } }
}

function begun(...names: readonly string[]): Append {
  return { threadId: 't', entries: names.map(entry) }
}

/** Fails unless a slice is a snapshot of this version and the entries after it; `null`: all entries and no snapshot. */
function assertFrom(slice: ThreadSlice, snapshot: { version: number; body: string } | null, names: unknown[]): void {
  assert.deepEqual(slice.snapshot ?? null, snapshot)
  const first = (snapshot?.version ?? 0) + 1
  assert.deepEqual(
    slice.entries.map(({ seq, body }) => ({ seq, body })),
    names.map((name, index) => ({ seq: first + index, body: entry(name as string) })),
  )
  assert.equal(slice.version, first - 1 + names.length)
}

/** Erases the thread `t`. */
export async function erase(store: Store): Promise<void> {
  const chain = await store.readChain('t')
  const salt = new Uint8Array(randomBytes(16))
  const entries = accountFor(chain, { salt, by: { kind: 'person', id: 'ann' }, reason: 'asked to' })
  await accepted(store, { threadId: 't', version: chain.length, entries, erase: { body: ERASED_BODY, salt } })
}

/** Snapshots: a cache that is never wrong. */
export const snapshotCases: readonly StoreCase[] = [
  {
    name: 'a read from a snapshot returns it and the entries after it, and any other read returns the entries',
    guarantee: 'C2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        assertFrom(await store.read('t', { snapshot: FOLD }), null, [])
        const { head } = await accepted(store, begun('a', 'b'))
        assertFrom(await store.read('t', { snapshot: FOLD }), null, ['a', 'b'])
        await accepted(store, leaving(2, [], 'state of b'))
        assertFrom(await store.read('t', { snapshot: FOLD }), { version: 2, body: 'state of b' }, [])
        await accepted(store, begun('c', 'd'))
        const slice = await store.read('t', { snapshot: FOLD })
        assertFrom(slice, { version: 2, body: 'state of b' }, ['c', 'd'])
        assert.equal(slice.follows, head)
        assert.equal(slice.head, (await store.read('t')).head)
        assertFrom(await store.read('t'), null, ['a', 'b', 'c', 'd'])
        assert.equal((await store.read('t', { after: 3 })).snapshot, undefined)
      }),
  },
  {
    name: 'a snapshot takes the place of the one before, and snapshots of other folds stay as they are',
    guarantee: 'C2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, begun('a'))
        await accepted(store, leaving(1, ['b'], 'first'))
        const snapshot = { fold: FOLD + 1, body: 'of another fold' }
        await accepted(store, { ...leaving(2, ['c'], ''), snapshot })
        await accepted(store, leaving(3, ['d'], 'second'))
        assertFrom(await store.read('t', { snapshot: FOLD }), { version: 3, body: 'second' }, ['d'])
        assertFrom(await store.read('t', { snapshot: FOLD + 1 }), { version: 2, body: 'of another fold' }, ['c', 'd'])
        assertFrom(await store.read('t', { snapshot: FOLD + 2 }), null, ['a', 'b', 'c', 'd'])
      }),
  },
  {
    name: 'a refused append leaves the snapshot as it was',
    guarantee: 'C2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, begun('a'))
        await accepted(store, leaving(1, ['b'], 'first'))
        await refused(store, leaving(1, ['c'], 'refused'), 'version')
        await refused(store, { ...leaving(2, ['c'], 'refused'), notBefore: Number.MAX_SAFE_INTEGER }, 'time')
        assertFrom(await store.read('t', { snapshot: FOLD }), { version: 1, body: 'first' }, ['b'])
      }),
  },
  {
    name: 'snapshots belong to the threads and tenants that they were written for',
    guarantee: 'C1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const other = store.tenant('other')
        await accepted(store, begun('a'))
        await accepted(store, leaving(1, ['b'], 'state'))
        for (const [place, threadId] of [[store, 'u'] as const, [other, 't'] as const]) {
          await accepted(place, { threadId, entries: [entry('a')] })
          assertFrom(await place.read(threadId, { snapshot: FOLD }), null, ['a'])
        }
        assertFrom(await store.read('t', { snapshot: FOLD }), { version: 1, body: 'state' }, ['b'])
      }),
  },
  {
    name: 'an append that does not say of which state its snapshot is, is refused as invalid',
    guarantee: 'C1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, begun('a'))
        const { version: _, ...anywhere } = leaving(1, ['b'], 'state')
        for (const append of [anywhere, { ...leaving(0, ['b'], 'state'), threadId: 'u' }]) {
          await assert.rejects(store.append(append), { code: 'input_invalid' })
        }
        assertFrom(await store.read('t', { snapshot: FOLD }), null, ['a'])
      }),
  },
  {
    name: 'an erased thread cannot be read from its snapshot',
    guarantee: 'C4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, begun('a secret'))
        await accepted(store, leaving(1, ['b'], 'with a secret'))
        await erase(store)
        await assert.rejects(store.read('t', { snapshot: FOLD }), { code: 'thread_erased' })
      }),
  },
  {
    name: 'signed snapshots are read with a key like others without',
    guarantee: 'C3',
    run: (harness) =>
      onFreshStore(
        harness,
        async (store) => {
          await accepted(store, begun('a'))
          await accepted(store, leaving(1, ['b'], 'signed'))
          assertFrom(await store.read('t', { snapshot: FOLD }), { version: 1, body: 'signed' }, ['b'])
          // An append that only changes the lease takes one along, too.
          for (const lease of [
            { op: 'take', holder: 'a', ttlMs: 60_000 },
            { op: 'drop', holder: 'a', token: 1 },
          ] as const) {
            await accepted(store, { ...leaving(2, [], `with ${lease.op}`), lease })
            assertFrom(await store.read('t', { snapshot: FOLD }), { version: 2, body: `with ${lease.op}` }, [])
          }
          await accepted(store, begun('c'))
          assertFrom(await store.read('t', { snapshot: FOLD }), { version: 2, body: 'with drop' }, ['c'])
        },
        { auditKey: KEY },
      ),
  },
]

/** Changes rows behind the store's back, and opens the store again. */
async function tampered(
  harness: StoreHarness,
  store: Store,
  { options, ...tampering }: Tampering & { options?: HarnessOptions },
): Promise<Store> {
  if (!harness.tamper || !harness.reopen)
    throw new Error('this harness has no tamper(): skip the case with a reason if nobody else can reach the data')
  await harness.tamper(store, tampering)
  return harness.reopen(store, options)
}

const FORGERIES = [
  ['was changed', 'forged'],
  ['is not signed', null],
] as const

/** Snapshots that somebody with database access changed, or that outlived their history. */
export const forgedSnapshotCases: readonly StoreCase[] = [
  ...FORGERIES.map(
    ([what, body]): StoreCase => ({
      name: `with an audit key, a snapshot that ${what} is ignored`,
      guarantee: 'C3',
      run: (harness) =>
        onFreshStore(
          harness,
          async (store) => {
            await accepted(store, begun('a', 'b'))
            await accepted(store, leaving(2, ['c'], 'state'))
            const again = await tampered(harness, store, {
              threadId: 't',
              op: 'snapshot',
              body,
              options: { auditKey: KEY },
            })
            assertFrom(await again.read('t', { snapshot: FOLD }), null, ['a', 'b', 'c'])
            await again.close()
          },
          { auditKey: KEY },
        ),
    }),
  ),
  {
    name: 'a snapshot of a history that was cut off is ignored, also once the thread is that long again',
    guarantee: 'C1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, begun('a', 'b', 'c'))
        await accepted(store, leaving(3, ['lost'], 'state of c'))
        const again = await tampered(harness, store, { threadId: 't', op: 'cut', version: 2 })
        assertFrom(await again.read('t', { snapshot: FOLD }), null, ['a', 'b'])
        await accepted(again, { threadId: 't', entries: ['d', 'e'].map(entry) })
        assertFrom(await again.read('t', { snapshot: FOLD }), null, ['a', 'b', 'd', 'e'])
        await again.close()
      }),
  },
]
