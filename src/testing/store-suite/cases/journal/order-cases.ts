import assert from 'node:assert/strict'
import type { RequestRow, Store } from '../../../../ports/store.ts'
import type { RequestQuery } from '../../../../ports/store-lists.ts'
import type { RequestStatus } from '../../../../protocol/request.ts'
import type { StoreCase } from '../../store-case.ts'
import { accepted, allIds, entry, onFreshStore, opening, requestId, requestRow } from '../../tools.ts'

const open = (store: Store, n: number, row: Partial<RequestRow> = {}) =>
  accepted(store, opening(`t${n}`, requestRow(n, row)))

const change = (store: Store, n: number, { from = 1, status = 'decided' as RequestStatus } = {}) =>
  accepted(store, {
    threadId: `t${n}`,
    entries: [entry(`change ${n}`)],
    requests: [{ op: 'change', entry: 0, id: requestId(n), from, status }],
  })

/** Fails unless a list by changes, in pages of any size, is exactly this. */
async function ordered(store: Store, query: RequestQuery, numbers: readonly number[]): Promise<void> {
  for (const limit of [1, 2, 500]) {
    const found = await allIds(store, { ...query, order: 'changed', limit })
    assert.deepEqual(found, numbers.map(requestId), JSON.stringify({ ...query, limit }))
  }
}

/** Lists by changes, and requests with several reviewer lists. */
export const orderCases: readonly StoreCase[] = [
  {
    name: 'a list by changes begins with the request that was opened or changed last',
    guarantee: 'S9',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        for (const n of [1, 2, 3, 4, 5]) await open(store, n, { readers: n === 4 ? ['user:ann'] : null })
        harness.clock.advance(10)
        await change(store, 3)
        harness.clock.advance(10)
        await change(store, 1)
        await change(store, 4, { status: 'expired' })
        harness.clock.advance(10)
        await open(store, 6)
        await ordered(store, {}, [6, 4, 1, 3, 5, 2])
        await ordered(store, { status: 'closed' }, [4, 1, 3])
        await ordered(store, { status: 'decided' }, [1, 3])
        await ordered(store, { status: 'open' }, [6, 5, 2])
        await ordered(store, { status: 'closed', readers: ['*'] }, [1, 3])
        await ordered(store, { threadId: 't1' }, [1])
        harness.clock.advance(10)
        await change(store, 3, { from: 2, status: 'open' })
        await accepted(store, {
          threadId: 'notes',
          entries: [entry('x')],
          requests: [{ op: 'comment', id: requestId(1) }],
        })
        await ordered(store, {}, [3, 6, 4, 1, 5, 2])
        await ordered(store.tenant('other'), {}, [])
        await assert.rejects(store.findRequests({ order: 'changed', cursor: 'x' }), { code: 'input_invalid' })
      }),
  },
  {
    name: 'who may decide a request with several reviewer lists is known before it is listed or counted',
    guarantee: 'S9',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const several = (...lists: string[][]) => ({ readers: [...new Set(lists.flat())].sort(), lists })
        await open(store, 1)
        await open(store, 2, { readers: ['user:ann'] })
        await open(store, 3, several(['user:ann', 'user:bob'], ['group:ops']))
        await open(store, 4, several(['user:ann'], ['group:"x"', 'user:a,b'], ['user:ann', 'group:ops']))
        await open(store, 5, { readers: [] })
        const finds = async (satisfiedBy: string[], numbers: number[], query: RequestQuery = {}) => {
          for (const status of [{}, { status: 'open' }] as const) {
            const full = { ...query, ...status, satisfiedBy }
            assert.deepEqual(await allIds(store, { ...full, limit: 2 }), numbers.map(requestId), JSON.stringify(full))
            assert.deepEqual(await store.countRequests(full), { count: numbers.length, more: false })
          }
        }
        await finds([], [1])
        await finds(['user:ann'], [2, 1])
        await finds(['group:ops'], [1])
        await finds(['user:bob', 'group:ops'], [3, 1])
        await finds(['user:ann', 'group:ops'], [3, 2, 1])
        await finds(['user:ann', 'group:"x"'], [4, 2, 1])
        await finds(['user:ann', 'user:a'], [2, 1])
        await finds(['user:ann', 'group:ops'], [3, 2], { readers: ['user:ann'] })
      }),
  },
]
