import assert from 'node:assert/strict'
import type { Store } from '../../../../ports/store.ts'
import type { DueRequest } from '../../../../ports/store-lists.ts'
import type { RequestStatus } from '../../../../protocol/request.ts'
import type { StoreCase } from '../../store-case.ts'
import { accepted, entry, onFreshStore, opening, requestId, requestRow } from '../../tools.ts'

/** Opens a request with a deadline. */
async function openDue(store: Store, n: number, expiresAt: number | null): Promise<DueRequest> {
  await accepted(store, opening(`t${n}`, requestRow(n, { expiresAt })))
  return { tenantId: store.tenantId, id: requestId(n), expiresAt: expiresAt ?? 0 }
}

async function change(
  store: Store,
  n: number,
  { from, status, dropDeadline }: { from: number; status: RequestStatus; dropDeadline?: true },
): Promise<void> {
  const changed = { op: 'change', entry: 0, id: requestId(n), from, status } as const
  await accepted(store, {
    threadId: `t${n}`,
    entries: [entry(`change ${n}`)],
    requests: [dropDeadline ? { ...changed, dropDeadline } : changed],
  })
}

/** Overdue requests, for sweepers, and the queue, for whoever watches it. */
export const dueCases: readonly StoreCase[] = [
  {
    name: 'the queue has the open requests of all tenants, and when the oldest of them was opened',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const start = harness.clock.now()
        const queue = async () => {
          const { now, ...rest } = await store.tenant('nobody’s').queue()
          assert.equal(now, harness.clock.now())
          return rest
        }
        assert.deepEqual(await queue(), { open: 0, more: false, oldestAt: null })
        await openDue(store.tenant('a'), 1, null)
        harness.clock.advance(1000)
        await openDue(store, 2, start)
        harness.clock.advance(1000)
        await openDue(store, 3, null)
        assert.deepEqual(await queue(), { open: 3, more: false, oldestAt: start })
        await change(store.tenant('a'), 1, { from: 1, status: 'decided' })
        assert.deepEqual(await queue(), { open: 2, more: false, oldestAt: start + 1000 })
        await change(store, 2, { from: 1, status: 'expired' })
        assert.deepEqual(await queue(), { open: 1, more: false, oldestAt: start + 2000 })
        await change(store.tenant('a'), 1, { from: 2, status: 'open' })
        assert.deepEqual(await queue(), { open: 2, more: false, oldestAt: start })
        await openDue(store.tenant('Z'), 1, null)
        assert.deepEqual(await queue(), { open: 3, more: false, oldestAt: start + 2000 }, 'the same id in two tenants')
        await openDue(store.tenant('b'), 1, null)
        await change(store.tenant('Z'), 1, { from: 1, status: 'decided' })
        assert.deepEqual(await queue(), { open: 3, more: false, oldestAt: start })
      }),
  },
  {
    name: 'the queue is counted up to ten thousand',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const open = (from: number, count: number) =>
          accepted(store, {
            threadId: 't',
            entries: [entry(`open ${count}`)],
            requests: Array.from({ length: count }, (_, n) => ({ op: 'open', entry: 0, row: requestRow(from + n) })),
          })
        for (let from = 0; from < 10_000; from += 1000) await open(from, 1000)
        const { now: _, ...full } = await store.queue()
        assert.deepEqual(full, { open: 10_000, more: false, oldestAt: harness.clock.now() })
        await open(10_000, 1)
        const { now: __, ...over } = await store.queue()
        assert.deepEqual(over, { open: 10_000, more: true, oldestAt: harness.clock.now() })
      }),
  },
  {
    name: 'a request is due from its deadline on, by the clock of the store, and the next deadline is returned',
    guarantee: 'S5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const now = harness.clock.now()
        assert.deepEqual(await store.due(), { requests: [], nextAt: null, now })
        const second = await openDue(store, 1, now + 2000)
        const first = await openDue(store, 2, now + 1000)
        await openDue(store, 3, null)
        harness.clock.advance(999)
        assert.deepEqual(await store.due(), { requests: [], nextAt: now + 1000, now: now + 999 })
        harness.clock.advance(1)
        assert.deepEqual(await store.due({}), { requests: [first], nextAt: now + 2000, now: now + 1000 })
        harness.clock.advance(1000)
        assert.deepEqual(await store.due(), { requests: [first, second], nextAt: null, now: now + 2000 })
        const found = await store.getRequest(requestId(1))
        assert.equal(found?.expiresAt, now + 2000)
      }),
  },
  {
    name: 'requests that are settled are not due, and one that is open again is',
    guarantee: 'S5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const at = harness.clock.now() + 10
        const due = await openDue(store, 1, at)
        for (const [n, status] of (['decided', 'expired', 'cancelled', 'aborted', 'superseded'] as const).entries()) {
          await openDue(store, n + 2, at)
          await change(store, n + 2, { from: 1, status })
        }
        harness.clock.advance(10)
        assert.deepEqual((await store.due()).requests, [due])
        await change(store, 1, { from: 1, status: 'decided' })
        assert.deepEqual((await store.due()).requests, [])
        await change(store, 1, { from: 2, status: 'open' })
        assert.deepEqual((await store.due()).requests, [due])
      }),
  },
  {
    name: 'a change can remove the deadline of a request for good',
    guarantee: 'S5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await openDue(store, 1, harness.clock.now())
        await change(store, 1, { from: 1, status: 'open', dropDeadline: true })
        assert.deepEqual(await store.due(), { requests: [], nextAt: null, now: harness.clock.now() })
        assert.equal((await store.getRequest(requestId(1)))?.expiresAt, null)
        await change(store, 1, { from: 2, status: 'decided' })
        await change(store, 1, { from: 3, status: 'open' })
        assert.deepEqual((await store.due()).requests, [])
        const { requests } = await store.findRequests({})
        assert.deepEqual(
          requests.map(({ version, expiresAt }) => [version, expiresAt]),
          [[4, null]],
        )
      }),
  },
  {
    name: 'due requests of all tenants are found from the view of any tenant',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const at = harness.clock.now()
        const due = [
          await openDue(store.tenant('a'), 9, at - 1),
          await openDue(store.tenant('a'), 1, at),
          await openDue(store.tenant('b'), 1, at),
          await openDue(store, 2, at),
        ]
        for (const view of [store, store.tenant('a'), store.tenant('nobody’s')]) {
          assert.deepEqual((await view.due()).requests, due)
        }
      }),
  },
  {
    name: 'due requests come in pages, longest overdue first, also with equal deadlines',
    guarantee: 'S5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const at = harness.clock.now()
        const due: DueRequest[] = []
        for (const back of [3, 2, 2, 2, 1, 0, 0]) due.push(await openDue(store, due.length + 1, at - back))
        await openDue(store, 99, at + 5)
        const seen: DueRequest[] = []
        for (;;) {
          const after = seen.at(-1)
          const page = await store.due({ limit: 2, ...(after ? { after } : {}) })
          assert.ok(page.requests.length <= 2)
          assert.equal(page.nextAt, due[seen.length + page.requests.length]?.expiresAt ?? at + 5)
          if (page.requests.length === 0) break
          seen.push(...page.requests)
        }
        assert.deepEqual(seen, due)
        for (const limit of [0, 501, 1.5]) await assert.rejects(store.due({ limit }), { code: 'input_invalid' })
      }),
  },
]
