import assert from 'node:assert/strict'
import type { Append, LeaseClaim, Store } from '../../../../ports/store.ts'
import type { StoreCase } from '../../store-case.ts'
import { accepted, assertBodies, entry, onFreshStore, refused } from '../../tools.ts'

const TTL = 30_000

function taking(holder: string, more: { over?: LeaseClaim; thenDrop?: boolean } = {}): Append {
  return { threadId: 't', entries: [entry(holder)], lease: { op: 'take', holder, ttlMs: TTL, ...more } }
}

async function take(store: Store, holder: string, more: { over?: LeaseClaim } = {}): Promise<LeaseClaim> {
  const { lease } = await accepted(store, taking(holder, more))
  assert.ok(lease, 'no lease was given')
  assert.equal(lease.holder, holder)
  return { holder, token: lease.token }
}

/** Leases: one driver at a time, fenced by growing tokens, expiring by the store's clock. */
export const leaseCases: readonly StoreCase[] = [
  {
    name: 'taking a free lease returns a token that is valid until the lease expires',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const outcome = await accepted(store, taking('a'))
        assert.ok(outcome.lease && outcome.lease.token > 0)
        assert.deepEqual(outcome.lease, { holder: 'a', token: outcome.lease.token, until: outcome.at + TTL })
        assert.deepEqual((await store.read('t')).lease, outcome.lease)
        assert.equal((await store.read('other')).lease, null)
      }),
  },
  {
    name: 'taking a held lease is refused with its holder, and nothing is written',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const { token } = await take(store, 'a')
        assert.deepEqual((await refused(store, taking('b'), 'lease')).lease, {
          holder: 'a',
          token,
          until: harness.clock.now() + TTL,
        })
        await assertBodies(store, 't', [entry('a')])
        assert.equal((await store.read('t')).lease?.token, token)
      }),
  },
  {
    name: 'taking a held lease again under the same holder name is refused',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const { token } = await take(store, 'a')
        await refused(store, taking('a'), 'lease')
        assert.equal((await store.read('t')).lease?.token, token)
      }),
  },
  {
    name: 'of 20 racing takers exactly one gets the lease',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => store.append(taking(`worker ${n}`))))
        const winners = outcomes.flatMap((outcome, n) => (outcome.ok ? [`worker ${n}`] : []))
        assert.equal(winners.length, 1)
        assert.equal((await store.read('t')).lease?.holder, winners[0])
      }),
  },
  {
    name: 'a lease can be taken over only by naming its holder and token',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const gone = await take(store, 'a')
        await refused(store, taking('b', { over: { ...gone, token: gone.token + 1 } }), 'lease')
        await refused(store, taking('b', { over: { ...gone, holder: 'b' } }), 'lease')
        const { token } = await take(store, 'b', { over: gone })
        assert.ok(token > gone.token)
        await refused(store, taking('c', { over: gone }), 'lease')
        await refused(store, { threadId: 't', entries: [entry('late')], lease: { op: 'hold', ...gone } }, 'lease')
      }),
  },
  {
    name: 'tokens grow each time a lease is taken, however the last one ended',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const a = await take(store, 'a')
        await accepted(store, { threadId: 't', entries: [], lease: { op: 'drop', ...a } })
        const b = await take(store, 'b')
        harness.clock.advance(TTL)
        const c = await take(store, 'c')
        const d = await take(store, 'd', { over: c })
        await accepted(store, { threadId: 't', entries: [], lease: { op: 'hold', ...d, thenDrop: true } })
        const tokens = [a, b, c, d, await take(store, 'e')].map(({ token }) => token)
        tokens.forEach((token, i) => {
          assert.ok(i === 0 || token > tokens[i - 1]!, `tokens do not grow: ${tokens}`)
        })
      }),
  },
  {
    name: 'the holder may write, and writing does not extend the lease',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const claim = await take(store, 'a')
        const until = harness.clock.now() + TTL
        harness.clock.advance(1000)
        const held = await accepted(store, { threadId: 't', entries: [entry(2)], lease: { op: 'hold', ...claim } })
        assert.deepEqual(held.lease, { ...claim, until })
      }),
  },
  {
    name: 'an older token cannot write',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const old = await take(store, 'a')
        harness.clock.advance(TTL)
        const { token } = await take(store, 'b')
        const late = { threadId: 't', entries: [entry('late')] }
        assert.equal((await refused(store, { ...late, lease: { op: 'hold', ...old } }, 'lease')).lease?.token, token)
        await refused(store, { ...late, lease: { op: 'hold', holder: 'b', token: token + 1 } }, 'lease')
        await assertBodies(store, 't', [entry('a'), entry('b')])
      }),
  },
  {
    name: 'a token of another holder cannot write, renew or drop, as after a restored backup',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const claim = await take(store, 'a')
        const other = { ...claim, holder: 'b' }
        await refused(store, { threadId: 't', entries: [entry('no')], lease: { op: 'hold', ...other } }, 'lease')
        assert.equal(await store.renewLease('t', { ...other, ttlMs: TTL * 2 }), false)
        const left = await accepted(store, { threadId: 't', entries: [entry(2)], lease: { op: 'drop', ...other } })
        assert.deepEqual(left.lease, { ...claim, until: harness.clock.now() + TTL })
        await assertBodies(store, 't', [entry('a'), entry(2)])
      }),
  },
  {
    name: 'an expired token cannot write, even if nobody took the lease since',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const claim = await take(store, 'a')
        const late = { threadId: 't', entries: [entry('late')], lease: { op: 'hold', ...claim } } as const
        harness.clock.advance(TTL - 1)
        await accepted(store, late)
        harness.clock.advance(1)
        assert.equal((await refused(store, late, 'lease')).lease, null)
        assert.equal((await store.read('t')).lease, null)
        assert.equal((await store.read('t')).version, 2)
      }),
  },
  {
    name: 'a lease is free exactly when it expires by the clock of the store',
    guarantee: 'S5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await take(store, 'a')
        harness.clock.advance(TTL - 1)
        await refused(store, taking('b'), 'lease')
        harness.clock.advance(1)
        await take(store, 'b')
      }),
  },
  {
    name: 'dropping frees a lease and is never refused',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const old = await take(store, 'a')
        const freed = await accepted(store, { threadId: 't', entries: [entry(1)], lease: { op: 'drop', ...old } })
        assert.equal(freed.lease, null)
        const { token } = await take(store, 'b')
        const late = await accepted(store, { threadId: 't', entries: [entry(2)], lease: { op: 'drop', ...old } })
        assert.equal(late.lease?.token, token)
        await assertBodies(store, 't', [entry('a'), entry(1), entry('b'), entry(2)])
      }),
  },
  {
    name: 'an append can take or hold a lease and leave it free',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        assert.equal((await accepted(store, taking('a', { thenDrop: true }))).lease, null)
        assert.equal((await store.read('t')).lease, null)
        const claim = await take(store, 'b')
        await refused(store, taking('c', { thenDrop: true }), 'lease')
        const held: Append = { threadId: 't', entries: [], lease: { op: 'hold', ...claim, thenDrop: true } }
        assert.equal((await accepted(store, held)).lease, null)
        await refused(store, held, 'lease')
        await take(store, 'c')
      }),
  },
  {
    name: 'an append without a lease is accepted while another holds it, and does not change it',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const { token } = await take(store, 'a')
        assert.equal((await accepted(store, { threadId: 't', entries: [entry('door')] })).lease?.token, token)
        assert.equal((await store.read('t')).lease?.token, token)
      }),
  },
  {
    name: 'renewing extends a lease by its duration from now',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const claim = await take(store, 'a')
        harness.clock.advance(TTL - 1)
        assert.equal(await store.renewLease('t', { ...claim, ttlMs: TTL }), true)
        assert.equal((await store.read('t')).lease?.until, harness.clock.now() + TTL)
        harness.clock.advance(TTL - 1)
        await refused(store, taking('b'), 'lease')
        await accepted(store, { threadId: 't', entries: [entry(2)], lease: { op: 'hold', ...claim } })
        harness.clock.advance(1)
        await take(store, 'b')
      }),
  },
  {
    name: 'a lease that was lost is not renewed',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const renew = (claim: LeaseClaim) => store.renewLease('t', { ...claim, ttlMs: TTL })
        assert.equal(await renew({ holder: 'a', token: 0 }), false)
        assert.equal(await renew({ holder: 'a', token: 1 }), false)
        const first = await take(store, 'a')
        harness.clock.advance(TTL)
        assert.equal(await renew(first), false)
        assert.equal((await store.read('t')).lease, null)
        const second = await take(store, 'b')
        assert.equal(await renew(first), false)
        assert.equal(await renew(second), true)
        await accepted(store, { threadId: 't', entries: [], lease: { op: 'drop', ...second } })
        assert.equal(await renew(second), false)
        assert.equal(await store.renewLease('nowhere', { ...second, ttlMs: TTL }), false)
      }),
  },
  {
    name: 'a lease from a clock a day ahead does not lock others out, and its holder keeps it by holding it',
    guarantee: 'S5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const start = harness.clock.now()
        const hold = (threadId: string, { holder, token }: LeaseClaim): Append => ({
          threadId,
          entries: [],
          lease: { op: 'hold', holder, token },
        })
        harness.clock.set(start + DAY_MS)
        try {
          const gone = await take(store, 'gone')
          const kept = await accepted(store, { ...taking('alive'), threadId: 'kept' })
          const renewed = await accepted(store, { ...taking('alive'), threadId: 'renewed' })
          harness.clock.set(start)
          assert.equal((await store.read('t')).lease, null)
          const { token } = await take(store, 'b')
          assert.ok(token > gone.token)
          await refused(store, hold('t', gone), 'lease')
          assert.equal(await store.renewLease('t', { ...gone, ttlMs: TTL }), false)

          const held = await accepted(store, hold('kept', kept.lease!))
          assert.ok(held.lease && held.lease.until <= start + 300_000)
          await refused(store, { ...taking('b'), threadId: 'kept' }, 'lease')
          assert.equal(await store.renewLease('renewed', { ...renewed.lease!, ttlMs: TTL }), true)
          assert.equal((await store.read('renewed')).lease?.until, start + TTL)
        } finally {
          harness.clock.set(start)
        }
      }),
  },
  {
    name: 'a lease for longer than five minutes is refused',
    guarantee: 'S5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const lease = { op: 'take', holder: 'a', ttlMs: 300_001 } as const
        await assert.rejects(store.append({ threadId: 't', entries: [], lease }), { code: 'input_invalid' })
        const claim = await take(store, 'a')
        await assert.rejects(store.renewLease('t', { ...claim, ttlMs: Number.POSITIVE_INFINITY }), {
          code: 'input_invalid',
        })
      }),
  },
]

const DAY_MS = 86_400_000
