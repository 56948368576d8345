import assert from 'node:assert/strict'
import type { Append } from '../../../../ports/store.ts'
import { HoldpointError } from '../../../../protocol/errors/errors.ts'
import type { StoreCase } from '../../store-case.ts'
import { accepted, assertBodies, entry, onFreshStore, refused, requestId, requestRow } from '../../tools.ts'

/** Appending and reading: order, guards, atomicity. */
export const appendCases: readonly StoreCase[] = [
  {
    name: 'an unknown thread is at version 0, without entries or lease',
    guarantee: 'S3',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const { head } = await store.read('elsewhere')
        assert.deepEqual(await store.read('nowhere'), {
          version: 0,
          head,
          follows: head,
          entries: [],
          lease: null,
          wake: { at: null, tries: 0, agent: null, agentVersion: null },
          now: harness.clock.now(),
        })
        assert.deepEqual(await store.readChain('nowhere'), [])
      }),
  },
  {
    name: 'entries are numbered 1, 2, 3 … in the order of the append',
    guarantee: 'S3',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        assert.equal((await accepted(store, { threadId: 't', entries: [entry(1), entry(2)] })).version, 2)
        assert.equal((await accepted(store, { threadId: 't', entries: [entry(3)] })).version, 3)
        assert.equal((await accepted(store, { threadId: 'other', entries: [entry('x')] })).version, 1)
        await assertBodies(store, 't', [entry(1), entry(2), entry(3)])
        await assertBodies(store, 'other', [entry('x')])
      }),
  },
  {
    name: 'a long append is stored whole and in order',
    guarantee: 'S3',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const bodies = Array.from({ length: 137 }, (_, n) => entry(n))
        await accepted(store, { threadId: 't', entries: bodies })
        await assertBodies(store, 't', bodies)
      }),
  },
  {
    name: 'reading after a version returns only later entries',
    guarantee: 'S3',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        // Enough entries that a store may read them in batches.
        const numbers = Array.from({ length: 150 }, (_, index) => index + 1)
        await accepted(store, { threadId: 't', entries: numbers.map(entry) })
        const beyond = [999, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]
        for (const after of [0, 1, 2, 63, 64, 65, 149, 150, ...beyond, -1, -100, 0.5]) {
          const slice = await store.read('t', { after })
          assert.equal(slice.version, 150)
          assert.deepEqual(
            slice.entries.map(({ seq, body }) => [seq, body]),
            numbers.filter((seq) => seq > after).map((seq) => [seq, entry(seq)]),
          )
        }
      }),
  },
  {
    name: 'a fulfilled append can be read at once',
    guarantee: 'S2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        for (let n = 1; n <= 5; n++) {
          await accepted(store, { threadId: 't', entries: [entry(n)] })
          assert.equal((await store.read('t')).version, n)
        }
      }),
  },
  {
    name: 'an append without entries is accepted and leaves the version',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        assert.equal((await accepted(store, { threadId: 't', entries: [], version: 0 })).version, 0)
        await accepted(store, { threadId: 't', entries: [entry(1)], version: 0 })
        assert.equal((await accepted(store, { threadId: 't', entries: [], version: 1 })).version, 1)
        await assertBodies(store, 't', [entry(1)])
      }),
  },
  {
    name: 'the head changes with every entry and with nothing else, and identifies the history',
    guarantee: 'S8',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const heads = [(await store.read('t')).head]
        for (let n = 1; n <= 3; n++)
          heads.push((await accepted(store, { threadId: 't', entries: [entry('same')] })).head)
        await accepted(store, { threadId: 't', entries: [], lease: { op: 'take', holder: 'a', ttlMs: 1000 } })
        const two = await accepted(store, { threadId: 't', entries: [entry(4), entry(5)], version: 3, head: heads[3]! })
        assert.equal(new Set([...heads, two.head]).size, 5, `heads repeat: ${heads} ${two.head}`)
        for (const [after, head] of heads.entries()) {
          const slice = await store.read('t', { after })
          assert.deepEqual([slice.head, slice.follows], [two.head, head])
        }
        for (const after of [5, 6, Number.MAX_SAFE_INTEGER]) {
          const slice = await store.read('t', { after })
          assert.deepEqual([slice.head, slice.follows], [two.head, two.head])
        }
      }),
  },
  {
    name: 'an append to another head of the same version is refused and writes nothing, as after a restored backup',
    guarantee: 'S8',
    run: (harness) =>
      onFreshStore(harness, (store) =>
        onFreshStore(harness, async (restored) => {
          await accepted(store, { threadId: 't', entries: [entry(1), entry('lost')] })
          await accepted(restored, { threadId: 't', entries: [entry(1), entry('new')] })
          const { head } = await store.read('t')
          for (const version of [undefined, 2]) {
            const guard = version === undefined ? { head } : { head, version }
            const conflict = await refused(restored, { threadId: 't', entries: [entry('no')], ...guard }, 'version')
            assert.equal(conflict.version, 2)
          }
          await refused(
            store,
            { threadId: 't', entries: [entry('no')], head: (await store.read('new')).head },
            'version',
          )
          await assertBodies(restored, 't', [entry(1), entry('new')])
          await accepted(store, { threadId: 't', entries: [entry(3)], head })
        }),
      ),
  },
  {
    name: 'an append at another version is refused with the current version and writes nothing',
    guarantee: 'S1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [entry(1), entry(2)], version: 0 })
        for (const version of [0, 1, 3, 100]) {
          const row = requestRow(1)
          const conflict = await refused(
            store,
            {
              threadId: 't',
              entries: [entry('no')],
              version,
              lease: { op: 'take', holder: 'a', ttlMs: 1000 },
              requests: [{ op: 'open', entry: 0, row }],
            },
            'version',
          )
          assert.equal(conflict.version, 2)
        }
        await assertBodies(store, 't', [entry(1), entry(2)])
        assert.equal((await store.read('t')).lease, null)
        assert.equal(await store.getRequest(requestId(1)), undefined)
        assert.equal((await refused(store, { threadId: 'new', entries: [entry(1)], version: 1 }, 'version')).version, 0)
        assert.equal((await store.read('new')).version, 0)
      }),
  },
  {
    name: 'guards of another type are refused, and nothing is written',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const taken = await accepted(store, {
          threadId: 't',
          entries: [entry(1)],
          lease: { op: 'take', holder: 'a', ttlMs: 1000 },
        })
        const claim = { holder: 'a', token: taken.lease!.token }
        const guards = [
          { version: '1' },
          { head: 1 },
          { head: null },
          { lease: { op: 'take', holder: undefined, ttlMs: 1000, over: claim } },
          { lease: { op: 'take', holder: 'b', ttlMs: 1000, over: claim.token } },
          { lease: { op: 'hold', ...claim, token: String(claim.token) } },
          { lease: { op: 'drop', token: claim.token } },
        ] as unknown as Partial<Append>[]
        for (const guard of guards) {
          const append = { threadId: 't', entries: [entry('no')], ...guard }
          await assert.rejects(store.append(append), { code: 'input_invalid' }, JSON.stringify(guard))
        }
        const renewal = { ...claim, holder: undefined, ttlMs: 5000 } as never
        await assert.rejects(store.renewLease('t', renewal), { code: 'input_invalid' })
        await assertBodies(store, 't', [entry(1)])
        assert.deepEqual((await store.read('t')).lease, taken.lease)
      }),
  },
  {
    name: 'of 50 racing appends at one version exactly one is accepted',
    guarantee: 'S1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [entry(0)] })
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_, n) =>
            store.append({ threadId: 't', entries: [entry(`racer ${n}`)], version: 1 }),
          ),
        )
        const winners = outcomes.flatMap((outcome, n) => (outcome.ok ? [n] : []))
        assert.equal(winners.length, 1)
        await assertBodies(store, 't', [entry(0), entry(`racer ${winners[0]}`)])
      }),
  },
  {
    name: 'a refused append does not disturb its neighbours of the same tick',
    guarantee: 'S1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [entry(0)] })
        const outcomes = await Promise.all([
          store.append({ threadId: 't', entries: [entry(1)] }),
          store.append({ threadId: 't', entries: [entry('no')], version: 77 }),
          store.append({ threadId: 't', entries: [entry('no')], lease: { op: 'hold', holder: 'a', token: 5 } }),
          store.append({ threadId: 'u', entries: [entry('u')] }),
          store.append({
            threadId: 't',
            entries: [entry('no'), entry('no')],
            requests: [
              { op: 'open', entry: 0, row: requestRow(1) },
              { op: 'change', entry: 1, id: requestId(9), from: 1, status: 'decided' },
            ],
          }),
          store.append({ threadId: 't', entries: [entry(2), entry(3)] }),
        ])
        assert.deepEqual(
          outcomes.map((outcome) => outcome.ok),
          [true, false, false, true, false, true],
        )
        await assertBodies(store, 't', [0, 1, 2, 3].map(entry))
        await assertBodies(store, 'u', [entry('u')])
        assert.equal(await store.getRequest(requestId(1)), undefined)
      }),
  },
  {
    name: 'an append that throws does not disturb its neighbours of the same tick',
    guarantee: 'S1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const outcomes = await Promise.allSettled([
          store.append({ threadId: 't', entries: [entry(1)] }),
          store.append({ threadId: 't', entries: [], requests: [{ op: 'open', entry: 0, row: requestRow(1) }] }),
          store.append({ threadId: 't', entries: [entry(2)] }),
        ])
        assert.deepEqual(
          outcomes.map((outcome) => outcome.status),
          ['fulfilled', 'rejected', 'fulfilled'],
        )
        assert.ok(outcomes[1]?.status === 'rejected' && HoldpointError.isInstance(outcomes[1].reason))
        assert.equal(outcomes[1].reason.code, 'input_invalid')
        await assertBodies(store, 't', [entry(1), entry(2)])
      }),
  },
  {
    name: 'appends of one tick to one thread are numbered in the order of the calls',
    guarantee: 'S3',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const outcomes = await Promise.all(
          Array.from({ length: 100 }, (_, n) => accepted(store, { threadId: 't', entries: [entry(n)] })),
        )
        assert.deepEqual(
          outcomes.map((outcome) => outcome.version),
          Array.from({ length: 100 }, (_, n) => n + 1),
        )
        await assertBodies(
          store,
          't',
          Array.from({ length: 100 }, (_, n) => entry(n)),
        )
      }),
  },
  {
    name: 'a reader that is ahead of the store gets the stored version, and an append at the reader’s version is refused with it',
    guarantee: 'S3',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [entry(1), entry(2)] })
        const slice = await store.read('t', { after: 5 })
        assert.deepEqual([slice.version, slice.entries], [2, []])
        assert.equal((await store.read('other', { after: 5 })).version, 0)
        const conflict = await refused(store, { threadId: 't', version: 5, entries: [entry(6)] }, 'version')
        assert.equal(conflict.version, 2)
      }),
  },
]
