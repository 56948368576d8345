import assert from 'node:assert/strict'
import type { RequestRow, Store } from '../../../../ports/store.ts'
import type { RequestQuery } from '../../../../ports/store-lists.ts'
import type { RequestStatus } from '../../../../protocol/request.ts'
import type { StoreCase } from '../../store-case.ts'
import { accepted, allIds, allPages, entry, onFreshStore, opening, requestId, requestRow } from '../../tools.ts'

async function openMany(store: Store, from: number, to: number): Promise<void> {
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  await accepted(store, {
    threadId: 't',
    entries: numbers.map(entry),
    requests: numbers.map((n, position) => ({ op: 'open', entry: position, row: requestRow(n) })),
  })
}

function idsDown(from: number, to: number): string[] {
  return Array.from({ length: from - to + 1 }, (_, i) => requestId(from - i))
}

interface Sample {
  row: RequestRow
  threadId: string
  status: RequestStatus
}

/** 48 requests with every combination of the values. */
function samples(): Sample[] {
  const all: Sample[] = []
  for (const threadId of ['t1', 't2'])
    for (const status of ['open', 'decided', 'expired'] as const)
      for (const tool of ['refund', null])
        for (const agent of ['support', 'billing'])
          for (const assignee of ['ann', null]) {
            const n = all.length + 1
            all.push({ threadId, status, row: requestRow(n, { tool, agent, assignee, questionId: `call_${n % 5}` }) })
          }
  return all
}

async function fill(store: Store): Promise<Sample[]> {
  const all = samples()
  for (const { threadId, status, row } of all) {
    await accepted(store, opening(threadId, row))
    if (status === 'open') continue
    await accepted(store, {
      threadId,
      entries: [entry(status)],
      requests: [{ op: 'change', entry: 0, id: row.id, from: 1, status }],
    })
  }
  return all
}

/** Every combination of filters: 2 × 2 × … queries. */
function everyQuery(): RequestQuery[] {
  const filters: RequestQuery[] = [
    { status: 'open' },
    { threadId: 't1' },
    { tool: 'refund' },
    { agent: 'support' },
    { assignee: 'ann' },
    { questionId: 'call_1' },
  ]
  return Array.from({ length: 2 ** filters.length }, (_, bits) =>
    Object.assign({}, ...filters.filter((_, i) => bits & (1 << i))),
  )
}

function expected(all: readonly Sample[], query: RequestQuery): string[] {
  return all
    .filter(
      ({ row, threadId, status }) =>
        (query.status ?? status) === status &&
        (query.threadId ?? threadId) === threadId &&
        (query.tool === undefined || query.tool === row.tool) &&
        (query.agent ?? row.agent) === row.agent &&
        (query.assignee === undefined || query.assignee === row.assignee) &&
        (query.questionId ?? row.questionId) === row.questionId,
    )
    .map(({ row }) => row.id)
    .reverse()
}

/** Finding requests: filters, order, pages. */
export const pagingCases: readonly StoreCase[] = [
  {
    name: 'requests are found by every combination of filters, newest first',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const all = await fill(store)
        for (const query of everyQuery()) {
          assert.deepEqual(await allIds(store, { ...query, limit: 500 }), expected(all, query), JSON.stringify(query))
          assert.deepEqual(await allIds(store, { ...query, limit: 5 }), expected(all, query), JSON.stringify(query))
        }
        for (const query of [{ tool: 'none' }, { threadId: 'nowhere' }, { status: 'aborted' as const }]) {
          assert.deepEqual(await store.findRequests(query), { requests: [] })
        }
      }),
  },
  {
    name: 'pages do not overlap, miss nothing and end',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await openMany(store, 1, 20)
        for (const limit of [1, 3, 10, 19, 20, 21]) {
          const pages = await allPages(store, { status: 'open', limit })
          assert.equal(pages.length, Math.ceil(20 / limit))
          assert.deepEqual(
            pages.flatMap((page) => page.requests.map((request) => request.id)),
            idsDown(20, 1),
          )
        }
      }),
  },
  {
    name: 'pages stay stable while requests are opened and decided',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await openMany(store, 1, 10)
        const first = await store.findRequests({ status: 'open', limit: 4 })
        assert.deepEqual(
          first.requests.map((request) => request.id),
          idsDown(10, 7),
        )
        await openMany(store, 11, 15)
        await accepted(store, {
          threadId: 't',
          entries: [entry(9), entry(5), entry(7)],
          requests: [9, 5, 7].map((n, position) => ({
            op: 'change',
            entry: position,
            id: requestId(n),
            from: 1,
            status: 'decided',
          })),
        })
        const rest = await allIds(store, { status: 'open', limit: 4, cursor: first.next! })
        assert.deepEqual(
          rest,
          idsDown(6, 1).filter((id) => id !== requestId(5)),
        )
      }),
  },
  {
    name: 'requests are in the order of their ids, whatever order they were opened in',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        for (const n of [5, 1, 4, 2, 3]) await accepted(store, opening(`t${n % 2}`, requestRow(n)))
        assert.deepEqual(await allIds(store, { limit: 2 }), idsDown(5, 1))
        assert.deepEqual(await allIds(store, { threadId: 't1' }), [5, 3, 1].map(requestId))
      }),
  },
  {
    name: 'a page holds 50 requests by default and 500 at most',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await openMany(store, 1, 520)
        assert.equal((await store.findRequests({})).requests.length, 50)
        assert.equal((await store.findRequests({ limit: 500 })).requests.length, 500)
        for (const limit of [0, -1, 501, 1.5, Number.NaN]) {
          await assert.rejects(store.findRequests({ limit }), { code: 'input_invalid' })
        }
      }),
  },
]
