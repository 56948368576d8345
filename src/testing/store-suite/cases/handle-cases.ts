import assert from 'node:assert/strict'
import type { StoreCase } from '../store-case.ts'
import {
  accepted,
  allIds,
  assertBodies,
  entry,
  onFreshStore,
  onTwoHandles,
  opening,
  refused,
  reopen,
  requestId,
  requestRow,
} from '../tools.ts'

/** Several handles on the same data: acknowledged appends are visible to all, and their guards see each other. */
export const handleCases: readonly StoreCase[] = [
  {
    name: 'a reopened store has everything that was acknowledged',
    guarantee: 'G1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [entry(1)], lease: { op: 'take', holder: 'a', ttlMs: 60_000 } })
        await accepted(store, opening('t', requestRow(1, { assignee: 'ann' })))
        await accepted(store.tenant('other'), { threadId: 't', entries: [entry('theirs')] })
        await accepted(store, {
          threadId: 't',
          entries: [entry('decided')],
          requests: [{ op: 'change', entry: 0, id: requestId(1), from: 1, status: 'decided' }],
        })
        const slice = await store.read('t')
        const chain = await store.readChain('t')
        const request = await store.getRequest(requestId(1))
        await store.close()
        const again = await reopen(harness, store)
        try {
          assert.deepEqual(await again.read('t'), slice)
          assert.deepEqual(await again.readChain('t'), chain)
          assert.deepEqual(await again.getRequest(requestId(1)), request)
          assert.deepEqual(await allIds(again, { status: 'decided', assignee: 'ann' }), [requestId(1)])
          await assertBodies(again.tenant('other'), 't', [entry('theirs')])
          await refused(again, { threadId: 't', entries: [], lease: { op: 'take', holder: 'b', ttlMs: 1 } }, 'lease')
          await accepted(again, { threadId: 't', entries: [entry(4)], version: 3 })
        } finally {
          await again.close()
        }
      }),
  },
  {
    name: 'a second handle reads an acknowledged append at once',
    guarantee: 'G1',
    run: (harness) =>
      onTwoHandles(harness, async (first, second) => {
        for (let n = 1; n <= 10; n++) {
          const [writer, reader] = n % 2 === 0 ? [first, second] : [second, first]
          await accepted(writer, { threadId: 't', entries: [entry(n)], version: n - 1 })
          assert.equal((await reader.read('t')).version, n)
        }
      }),
  },
  {
    name: 'handles that write in turns number entries without gaps',
    guarantee: 'S3',
    run: (harness) =>
      onTwoHandles(harness, async (first, second) => {
        const bodies = Array.from({ length: 12 }, (_, n) => entry(n))
        for (const [n, body] of bodies.entries()) {
          await accepted(n % 3 === 0 ? second : first, { threadId: 't', entries: [body] })
        }
        await assertBodies(first, 't', bodies)
        await assertBodies(second, 't', bodies)
      }),
  },
  {
    name: 'of racing appends at one version through two handles exactly one is accepted',
    guarantee: 'S1',
    run: (harness) =>
      onTwoHandles(harness, async (first, second) => {
        for (let version = 0; version < 10; version++) {
          const outcomes = await Promise.all(
            [first, second, first, second].map((store) =>
              store.append({ threadId: 't', entries: [entry(version)], version }),
            ),
          )
          assert.equal(outcomes.filter((outcome) => outcome.ok).length, 1)
        }
        assert.equal((await first.read('t')).version, 10)
      }),
  },
  {
    name: 'leases taken, renewed and dropped through one handle count for the other',
    guarantee: 'G2',
    run: (harness) =>
      onTwoHandles(harness, async (first, second) => {
        const taking = (holder: string) =>
          ({ threadId: 't', entries: [entry(holder)], lease: { op: 'take', holder, ttlMs: 1000 } }) as const
        await accepted(second, { threadId: 't', entries: [entry(0)] })
        const { until, ...a } = (await accepted(first, taking('a'))).lease!
        assert.deepEqual((await refused(second, taking('b'), 'lease')).lease, { ...a, until })
        harness.clock.advance(999)
        assert.equal(await second.renewLease('t', { ...a, ttlMs: 1000 }), true)
        harness.clock.advance(999)
        await accepted(first, { threadId: 't', entries: [entry(1)], lease: { op: 'hold', ...a } })
        await accepted(second, { threadId: 't', entries: [], lease: { op: 'drop', ...a } })
        const b = (await accepted(first, taking('b'))).lease!
        assert.ok(b.token > a.token)
        await refused(second, { threadId: 't', entries: [entry('late')], lease: { op: 'hold', ...a } }, 'lease')
      }),
  },
  {
    name: 'a request that was decided through one handle cannot be decided through the other',
    guarantee: 'G4',
    run: (harness) =>
      onTwoHandles(harness, async (first, second) => {
        await accepted(first, opening('t', requestRow(1)))
        const deciding = {
          threadId: 't',
          entries: [entry('decided')],
          requests: [{ op: 'change', entry: 0, id: requestId(1), from: 1, status: 'decided' }],
        } as const
        await accepted(second, deciding)
        assert.equal((await refused(first, deciding, 'request')).id, requestId(1))
      }),
  },
]
