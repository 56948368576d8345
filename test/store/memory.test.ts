import { expect, it } from 'vitest'
import { seededMemoryStore } from '../../src/store/memory/store.ts'
import { memoryHarness } from '../../src/testing/store-suite/memory-harness.ts'
import { entry, requestId, requestRow } from '../../src/testing/store-suite/tools.ts'
import { describeConformance } from './conformance.ts'

describeConformance('the memory store', memoryHarness())

it('a seeded memory store goes on where the seed ends', async () => {
  const store = seededMemoryStore({
    tenant: 'default',
    threadId: 't',
    entries: [1, 2, 3].map((n) => ({ at: 1000 + n, body: entry(n) })),
    requests: [
      { row: requestRow(2), status: 'open', version: 1, opened: 2, changed: null },
      { row: requestRow(1), status: 'decided', version: 2, opened: 1, changed: 3 },
    ],
  })
  expect((await store.read('t')).entries).toEqual([1, 2, 3].map((n) => ({ seq: n, at: 1000 + n, body: entry(n) })))
  expect((await store.findRequests({})).requests.map((request) => request.id)).toEqual([requestId(2), requestId(1)])
  expect(await store.getRequest(requestId(1))).toEqual({
    id: requestId(1),
    threadId: 't',
    status: 'decided',
    version: 2,
    expiresAt: null,
    assigned: null,
    comments: 0,
    opened: { seq: 1, at: 1001, body: entry(1) },
    changed: { seq: 3, at: 1003, body: entry(3) },
  })
  const decided = await store.append({
    threadId: 't',
    entries: [entry(4)],
    version: 3,
    requests: [{ op: 'change', entry: 0, id: requestId(2), from: 1, status: 'decided' }],
  })
  expect(decided).toMatchObject({ ok: true, version: 4 })
  expect(await store.tenant('other').read('t')).toMatchObject({ version: 0 })
})

it('a seed shares nothing with the store that was made from it', async () => {
  const seed = {
    tenant: 'default',
    threadId: 't',
    entries: [{ at: 1, body: entry(1) }],
    requests: [{ row: requestRow(1), status: 'open' as const, version: 1, opened: 1, changed: null }],
  }
  const stores = [seededMemoryStore(seed), seededMemoryStore(seed)] as const
  await stores[0].append({
    threadId: 't',
    entries: [entry(2)],
    requests: [{ op: 'change', entry: 0, id: requestId(1), from: 1, status: 'decided' }],
  })
  seed.entries[0]!.body = 'changed'
  seed.requests[0]!.row.tool = 'changed'
  expect((await stores[1].read('t')).entries).toEqual([{ seq: 1, at: 1, body: entry(1) }])
  expect((await stores[1].findRequests({ status: 'open', tool: 'refund' })).requests).toHaveLength(1)
})
