import assert from 'node:assert/strict'
import type { Store } from '../../../../ports/store.ts'
import type { ThreadName } from '../../../../ports/store-lists.ts'
import type { StoreCase } from '../../store-case.ts'
import { accepted, entry, onFreshStore } from '../../tools.ts'

async function fill(store: Store, tenantId: string, threadIds: readonly string[]): Promise<ThreadName[]> {
  for (const threadId of threadIds) await accepted(store.tenant(tenantId), { threadId, entries: [entry(threadId)] })
  return [...threadIds].sort().map((threadId) => ({ tenantId, threadId }))
}

/** The names of all threads, for auditors. */
export const threadCases: readonly StoreCase[] = [
  {
    name: 'every thread is listed once, whether a request points at it or not',
    guarantee: 'S3',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        assert.deepEqual(await store.threads(), { threads: [] })
        const names = await fill(store, store.tenantId, ['b', 'a', 'a/1', 'B', 'c'])
        await fill(store, store.tenantId, ['a'])
        await store.append({ threadId: 'a', entries: [entry('refused')], version: 9 })
        await store.append({ threadId: 'never', entries: [entry('refused')], version: 9 })
        assert.deepEqual(await store.threads({}), { threads: names })
      }),
  },
  {
    name: 'threads of all tenants are listed from the view of any tenant',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const names = [...(await fill(store, 'one', ['t', 'u'])), ...(await fill(store, 'two', ['a', 't']))]
        for (const view of [store, store.tenant('one'), store.tenant('elsewhere')])
          assert.deepEqual(await view.threads(), { threads: names })
      }),
  },
  {
    name: 'threads come in pages, by tenant and id, without gaps or repeats',
    guarantee: 'S3',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const ids = ['a', 'b', 'c', 'd', 'e']
        const names = [...(await fill(store, 'one', ids)), ...(await fill(store, 'two', ids))]
        for (const limit of [1, 3, 5, 10, 11]) {
          const listed: ThreadName[] = []
          let after: ThreadName | undefined
          do {
            const page = await store.threads({ limit, ...(after ? { after } : {}) })
            assert.ok(page.threads.length <= limit)
            listed.push(...page.threads)
            after = page.next
          } while (after)
          assert.deepEqual(listed, names)
        }
      }),
  },
  {
    name: 'threads are sorted by code point, also beyond the basic plane',
    guarantee: 'S3',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const ordered = [
          '',
          '\n',
          ' ',
          '%',
          'A',
          '_',
          'a',
          'a b',
          'aa',
          'e\u0301',
          '~',
          'é',
          '\ue000',
          '\uffff',
          '😀',
          '😀a',
          '\u{10ffff}',
        ]
        const tenants = ordered.filter((name) => name !== '')
        for (const tenantId of tenants.toReversed()) await fill(store, tenantId, ['t'])
        await fill(store, 'z', ordered)
        const names = tenants.map((tenantId) => ({ tenantId, threadId: 't' }))
        const inZ = ordered.map((threadId) => ({ tenantId: 'z', threadId }))
        const expected = [...names.slice(0, 9), ...inZ, ...names.slice(9)]
        assert.deepEqual((await store.threads({ limit: 500 })).threads, expected)
        for (const [index, after] of expected.entries())
          assert.deepEqual((await store.threads({ limit: 500, after })).threads, expected.slice(index + 1))
        const after = { tenantId: '\ufffe', threadId: 'is not there' }
        assert.deepEqual((await store.threads({ after })).threads, names.slice(-4))
      }),
  },
]
