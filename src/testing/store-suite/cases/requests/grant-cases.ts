import assert from 'node:assert/strict'
import type { Append, GrantChange, Store } from '../../../../ports/store.ts'
import type { GrantStatus } from '../../../../ports/store-lists.ts'
import type { StoreCase } from '../../store-case.ts'
import { accepted, entry, giving, grantId, grantRow, onFreshStore, refused, spending } from '../../tools.ts'

async function left(store: Store, n: number): Promise<[GrantStatus, used: number, spent: number] | undefined> {
  const { grants } = await store.findGrants({ id: grantId(n), status: 'all' })
  const [grant] = grants
  return grant && [grant.status, grant.used, grant.spent]
}

const revoking = (n: number, threadId = 't'): Append => ({
  threadId,
  entries: [entry(`revoke ${n}`)],
  grants: [{ op: 'revoke', entry: 0, id: grantId(n) }],
})

/** Grants: every use is counted, and none is overspent. */
export const grantCases: readonly StoreCase[] = [
  {
    name: 'a grant is returned with the entry that created it and the entry that revoked it',
    guarantee: 'G1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [entry(0)] })
        const given = await accepted(store, {
          threadId: 't',
          entries: [entry(1), entry(2)],
          grants: [{ op: 'create', entry: 1, row: grantRow(1, { uses: 3, cap: 10.5, used: 1, spent: 0.5 }) }],
        })
        const numbers = { uses: 3, used: 1, cap: 10.5, spent: 0.5, expiresAt: null }
        const created = { seq: 3, at: given.at, body: entry(2) }
        const expected = { id: grantId(1), threadId: 't', status: 'active', ...numbers, created, revoked: null }
        assert.deepEqual(await store.findGrants({}), { grants: [expected] })
        harness.clock.advance(5)
        const taken = await accepted(store, revoking(1))
        assert.deepEqual(await store.findGrants({}), { grants: [] })
        assert.deepEqual((await store.findGrants({ status: 'all' })).grants, [
          { ...expected, status: 'revoked', revoked: { seq: 4, at: taken.at, body: entry('revoke 1') } },
        ])
      }),
  },
  {
    name: 'a grant can be spent from any thread up to its number of uses',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, giving('t', grantRow(1, { uses: 2 })))
        await accepted(store, spending('t', 1))
        await accepted(store, spending('other', 1))
        assert.equal((await refused(store, spending('third', 1), 'grant')).id, grantId(1))
        assert.deepEqual(await left(store, 1), ['used_up', 2, 0])
        assert.equal((await store.read('third')).version, 0)
        assert.deepEqual((await store.findGrants({})).grants, [])
      }),
  },
  {
    name: 'amounts add up to the cap at most, and a cap is not spent without an amount',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, giving('t', grantRow(1, { cap: 100 })))
        await accepted(store, spending('t', 1, 60.5))
        await refused(store, spending('t', 1, 39.75), 'grant')
        await refused(store, spending('t', 1), 'grant')
        await accepted(store, spending('u', 1, 39.5))
        assert.deepEqual(await left(store, 1), ['active', 2, 100])
        await accepted(store, spending('t', 1, 0))
        await refused(store, spending('t', 1, 0.001), 'grant')
        assert.deepEqual(await left(store, 1), ['active', 3, 100])
      }),
  },
  {
    name: 'changes of one append see those before them, and one that is refused undoes them all',
    guarantee: 'S1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const twice: GrantChange[] = [
          { op: 'spend', id: grantId(1), amount: 6 },
          { op: 'spend', id: grantId(2) },
          { op: 'spend', id: grantId(1), amount: 6 },
        ]
        await accepted(store, giving('t', grantRow(1, { cap: 10 })))
        await accepted(store, giving('t', grantRow(2)))
        const lease = { op: 'take', holder: 'a', ttlMs: 1000 } as const
        const both: Append = { threadId: 'new', entries: [entry('no')], lease, grants: twice }
        assert.equal((await refused(store, both, 'grant')).id, grantId(1))
        assert.deepEqual(await left(store, 1), ['active', 0, 0])
        assert.deepEqual(await left(store, 2), ['active', 0, 0])
        const { version, lease: held } = await store.read('new')
        assert.deepEqual([version, held], [0, null])
        await accepted(store, {
          threadId: 'new',
          entries: [entry('given'), entry('revoked')],
          grants: [
            { op: 'create', entry: 0, row: grantRow(3, { uses: 1 }) },
            { op: 'spend', id: grantId(3) },
            { op: 'revoke', entry: 1, id: grantId(3) },
          ],
        })
        assert.deepEqual(await left(store, 3), ['revoked', 1, 0])
      }),
  },
  {
    name: 'of 50 racing spends of the last use exactly one is accepted',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, giving('t', grantRow(1, { uses: 1 })))
        const outcomes = await Promise.all(Array.from({ length: 50 }, (_, n) => store.append(spending(`t${n % 7}`, 1))))
        assert.equal(outcomes.filter(({ ok }) => ok).length, 1)
        assert.deepEqual(await left(store, 1), ['used_up', 1, 0])
      }),
  },
  {
    name: 'a grant expires at its time, by the clock of the store',
    guarantee: 'S5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const { at } = await accepted(store, giving('t', grantRow(1), 1000))
        await accepted(store, giving('t', grantRow(2, { expiresAt: at + 500 })))
        harness.clock.advance(499)
        await accepted(store, spending('t', 2))
        harness.clock.advance(1)
        await refused(store, spending('t', 2), 'grant')
        assert.deepEqual(await left(store, 2), ['expired', 1, 0])
        harness.clock.advance(499)
        await accepted(store, spending('t', 1))
        assert.deepEqual(
          (await store.findGrants({})).grants.map(({ id, expiresAt }) => [id, expiresAt]),
          [[grantId(1), at + 1000]],
        )
        harness.clock.advance(1)
        await refused(store, spending('t', 1), 'grant')
        assert.deepEqual((await store.findGrants({})).grants, [])
        assert.equal((await store.findGrants({ status: 'all' })).grants.length, 2)
      }),
  },
  {
    name: 'a revoked grant cannot be spent; a grant is revoked once, in the thread where it was given',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, giving('t', grantRow(1)))
        await accepted(store, { threadId: 'other', entries: [entry(0)] })
        await refused(store, revoking(1, 'other'), 'grant')
        await refused(store, revoking(1, 'unknown'), 'grant')
        await refused(store, revoking(2), 'grant')
        await accepted(store, spending('other', 1))
        await accepted(store, revoking(1))
        assert.equal((await refused(store, revoking(1), 'grant')).id, grantId(1))
        await refused(store, spending('t', 1), 'grant')
        await refused(store, spending('t', 2), 'grant')
        assert.deepEqual(await left(store, 1), ['revoked', 1, 0])
        assert.equal((await store.read('t')).version, 2)
      }),
  },
  {
    name: 'a grant cannot be given twice',
    guarantee: 'S1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, giving('t', grantRow(1, { uses: 1 })))
        await refused(store, giving('t', grantRow(1)), 'grant')
        await refused(store, giving('other', grantRow(1)), 'grant')
        assert.equal((await store.read('other')).version, 0)
        assert.equal((await store.findGrants({})).grants[0]?.uses, 1)
      }),
  },
  {
    name: 'a grant change that no store could apply throws',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, giving('t', grantRow(1)))
        const wrong: GrantChange[] = [
          { op: 'create', entry: 1, row: grantRow(2) },
          { op: 'revoke', entry: -1, id: grantId(1) },
          { op: 'spend', id: grantId(1), amount: -1 },
          { op: 'spend', id: grantId(1), amount: Number.NaN },
          { op: 'spend', id: grantId(1), amount: Number.POSITIVE_INFINITY },
        ]
        for (const change of wrong) {
          const append = { threadId: 't', entries: [entry('no')], grants: [change] }
          await assert.rejects(store.append(append), { code: 'input_invalid' })
        }
        const silent: Append = { threadId: 't', entries: [], grants: [{ op: 'spend', id: grantId(1) }] }
        await assert.rejects(store.append(silent), { code: 'input_invalid' })
        assert.equal((await store.read('t')).version, 1)
      }),
  },
]
