import assert from 'node:assert/strict'
import type { StoreCase } from '../store-case.ts'
import {
  accepted,
  allIds,
  assertBodies,
  entry,
  isPending,
  noTenantIds,
  onFreshStore,
  opening,
  refused,
  requestId,
  requestRow,
  soon,
} from '../tools.ts'

/** Nothing of one tenant is visible to another. */
export const tenantCases: readonly StoreCase[] = [
  {
    name: 'views of one tenant share everything, and know their tenant',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const one = store.tenant('acme')
        assert.equal(store.tenantId, 'default')
        assert.equal(one.tenantId, 'acme')
        assert.equal(one.tenant('beta').tenantId, 'beta')
        await accepted(one, { threadId: 't', entries: [entry(1)] })
        await accepted(store.tenant('beta').tenant('acme'), { threadId: 't', entries: [entry(2)], version: 1 })
        await assertBodies(one, 't', [entry(1), entry(2)])
        await accepted(store, { threadId: 'd', entries: [entry('d')] })
        await assertBodies(one.tenant('default'), 'd', [entry('d')])
      }),
  },
  {
    name: 'threads of the same id have their own entries, versions and chains in each tenant',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const other = store.tenant('other')
        await accepted(store, { threadId: 't', entries: [entry('mine'), entry('mine too')], version: 0 })
        assert.equal((await other.read('t')).version, 0)
        assert.deepEqual(await other.readBack('t'), { version: 0, entries: [] })
        assert.deepEqual(await other.readChain('t'), [])
        await accepted(other, { threadId: 't', entries: [entry('theirs')], version: 0 })
        await assertBodies(store, 't', [entry('mine'), entry('mine too')])
        await assertBodies(other, 't', [entry('theirs')])
        assert.equal((await other.readChain('t')).length, 1)
      }),
  },
  {
    name: 'leases of the same thread id are separate in each tenant',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const other = store.tenant('other')
        const taking = { threadId: 't', entries: [], lease: { op: 'take', holder: 'a', ttlMs: 1000 } } as const
        const { lease } = await accepted(store, taking)
        assert.ok(lease)
        const { holder, token } = lease
        assert.equal((await other.read('t')).lease, null)
        assert.equal(await other.renewLease('t', { holder, token, ttlMs: 9999 }), false)
        await refused(other, { threadId: 't', entries: [], lease: { op: 'hold', holder, token } }, 'lease')
        await accepted(other, { threadId: 't', entries: [], lease: { op: 'drop', holder, token } })
        assert.deepEqual((await store.read('t')).lease, lease)
        await accepted(other, taking)
      }),
  },
  {
    name: 'requests are found, read and changed only by their own tenant',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const other = store.tenant('other')
        await accepted(store, opening('t', requestRow(1, { assignee: 'ann' })))
        await accepted(other, { threadId: 't', entries: [entry('theirs')] })
        assert.equal(await other.getRequest(requestId(1)), undefined)
        const filters = { tool: 'refund', agent: 'support', assignee: 'ann', questionId: 'call_1', threadId: 't' }
        for (const [name, value] of Object.entries(filters)) {
          assert.deepEqual(await allIds(other, { [name]: value }), [])
          assert.deepEqual(await allIds(other, { [name]: value, status: 'open' }), [])
          assert.deepEqual(await allIds(store, { [name]: value, status: 'open' }), [requestId(1)])
        }
        assert.deepEqual(await allIds(other, {}), [])
        assert.deepEqual(await allIds(other, { status: 'open' }), [])
        const change = { op: 'change', entry: 0, id: requestId(1), from: 1, status: 'decided' } as const
        await refused(other, { threadId: 't', entries: [entry('no')], requests: [change] }, 'request')
        assert.equal((await store.getRequest(requestId(1)))?.status, 'open')
      }),
  },
  {
    name: 'a request id of one tenant is free for another',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const other = store.tenant('other')
        await accepted(store, opening('t', requestRow(1)))
        await accepted(other, opening('u', requestRow(1)))
        assert.equal((await store.getRequest(requestId(1)))?.threadId, 't')
        assert.equal((await other.getRequest(requestId(1)))?.threadId, 'u')
      }),
  },
  {
    name: 'a waiter is not woken by the thread of the same id of another tenant',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const stop = new AbortController()
        const waiting = store.changed('t', { after: 0, signal: stop.signal })
        await accepted(store.tenant('other'), { threadId: 't', entries: [entry(1)] })
        assert.equal(await isPending(waiting), true)
        await accepted(store, { threadId: 't', entries: [entry(1)] })
        await soon(waiting)
      }),
  },
  {
    name: 'tenants with unusual ids are kept apart',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const pairs = [
          ['a', 'b:c'],
          ['a:b', 'c'],
          ['1:a', 'b'],
          ['1', '1:ab'],
          ['A', 'b:c'],
          ['__proto__', 'constructor'],
          ["o'hara %_", 't'],
        ] as const
        for (const [tenant, thread] of pairs) {
          await accepted(store.tenant(tenant), {
            threadId: thread,
            entries: [entry(`${tenant}|${thread}`)],
            version: 0,
          })
        }
        for (const [tenant, thread] of pairs)
          await assertBodies(store.tenant(tenant), thread, [entry(`${tenant}|${thread}`)])
        for (const [tenant, thread] of pairs) {
          await accepted(store.tenant(tenant), { threadId: thread, entries: [entry(2)], version: 1 })
        }
      }),
  },
  {
    name: 'an invalid tenant id is refused, and nothing is stored under it',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        for (const id of noTenantIds) {
          assert.throws(() => store.tenant(id as string), { code: 'tenant_id_invalid' }, JSON.stringify(id))
        }
        assert.equal(store.tenant('x'.repeat(200)).tenantId, 'x'.repeat(200))
      }),
  },
]
