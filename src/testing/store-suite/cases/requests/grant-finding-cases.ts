import assert from 'node:assert/strict'
import type { Store } from '../../../../ports/store.ts'
import type { GrantQuery, GrantReach } from '../../../../ports/store-lists.ts'
import type { StoreCase } from '../../store-case.ts'
import {
  accepted,
  giving,
  grantId,
  grantRow,
  onFreshStore,
  onTwoHandles,
  refused,
  reopen,
  spending,
} from '../../tools.ts'

const reach: GrantReach = { threadId: 't', run: 'r1', agents: ['support'], tools: ['refund'] }

async function found(store: Store, query: GrantQuery): Promise<string[]> {
  return (await store.findGrants(query)).grants.map(({ id }) => id)
}

/** Finding grants: by reach, in pages, by their own tenant, through any handle. */
export const grantFindingCases: readonly StoreCase[] = [
  {
    name: 'a run, a thread, an agent and a tenant find the grants that cover them, and no others',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, giving('t', grantRow(1, { scope: 'run' })))
        await accepted(store, giving('t', grantRow(2, { scope: 'run', run: 'r2' })))
        await accepted(store, giving('t', grantRow(3, { scope: 'thread', run: 'r0' })))
        await accepted(store, giving('u', grantRow(4, { scope: 'thread' })))
        await accepted(store, giving('u', grantRow(5, { scope: 'agent', run: 'r9' })))
        await accepted(store, giving('u', grantRow(6, { scope: 'agent', agent: 'sales' })))
        await accepted(store, giving('u', grantRow(7, { scope: 'tenant', agent: 'sales' })))
        await accepted(store, giving('u', grantRow(8, { scope: 'tenant', tool: 'wire' })))
        await accepted(store, giving('u', grantRow(9, { scope: 'agent', uses: 1 })))
        await accepted(store, spending('u', 9))
        const ids = (...numbers: number[]) => numbers.map(grantId)
        assert.deepEqual(await found(store, { reach }), ids(7, 5, 3, 1))
        assert.deepEqual(await found(store, { reach, status: 'all' }), ids(9, 7, 5, 3, 1))
        assert.deepEqual(await found(store, { reach: { ...reach, tools: ['wire', 'refund'] } }), ids(8, 7, 5, 3, 1))
        assert.deepEqual(await found(store, { reach: { ...reach, tools: [] } }), [])
        const elsewhere = { ...reach, threadId: 'u', run: 'r2', agents: ['sales', 'support'] }
        assert.deepEqual(await found(store, { reach: elsewhere }), ids(7, 6, 5, 4, 2))
      }),
  },
  {
    name: 'a conversation finds its grants from any of its threads, and they cover nothing else',
    guarantee: 'G2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, giving('t', grantRow(1, { scope: 'thread', conversation: 'c1' })))
        await accepted(store, giving('u', grantRow(2, { scope: 'thread', conversation: 'c2' })))
        await accepted(store, giving('u', grantRow(3, { scope: 'thread' })))
        await accepted(store, giving('c1', grantRow(4, { scope: 'thread' })))
        const elsewhere = { ...reach, threadId: 'v', run: 'r2' }
        assert.deepEqual(await found(store, { reach: { ...elsewhere, conversation: 'c1' } }), [grantId(1)])
        assert.deepEqual(await found(store, { reach: { ...elsewhere, conversation: 'c3' } }), [])
        assert.deepEqual(await found(store, { reach: elsewhere }), [])
        // The thread that it was given in is not the conversation.
        assert.deepEqual(await found(store, { reach }), [])
        assert.deepEqual(await found(store, { threadId: 't' }), [grantId(1)])
      }),
  },
  {
    name: 'grants come newest first, in pages, by thread, agent and tool',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        for (let n = 1; n <= 7; n++) {
          const row = grantRow(n, { tool: n % 2 ? 'refund' : 'wire', agent: n > 5 ? 'sales' : 'support' })
          await accepted(store, giving(n % 3 ? 't' : 'u', row))
        }
        const pages: string[][] = []
        let cursor: string | undefined
        do {
          const page = await store.findGrants(cursor === undefined ? { limit: 3 } : { limit: 3, cursor })
          pages.push(page.grants.map(({ id }) => id))
          cursor = page.next
        } while (cursor !== undefined && pages.length < 10)
        const ids = (...numbers: number[]) => numbers.map(grantId)
        assert.deepEqual(pages, [ids(7, 6, 5), ids(4, 3, 2), ids(1)])
        assert.deepEqual(await found(store, { threadId: 'u' }), ids(6, 3))
        assert.deepEqual(await found(store, { threadId: 'none' }), [])
        assert.deepEqual(await found(store, { agent: 'sales' }), ids(7, 6))
        assert.deepEqual(await found(store, { tool: 'wire', threadId: 't' }), ids(4, 2))
        for (const limit of [0, 501, 1.5]) await assert.rejects(store.findGrants({ limit }), { code: 'input_invalid' })
      }),
  },
  {
    name: 'grants are found, spent and revoked only by their own tenant',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const other = store.tenant('other')
        await accepted(store, giving('t', grantRow(1, { scope: 'tenant' })))
        await accepted(other, giving('t', grantRow(2, { scope: 'tenant' })))
        assert.deepEqual(await found(other, { reach }), [grantId(2)])
        assert.deepEqual(await found(other, { status: 'all' }), [grantId(2)])
        assert.deepEqual(await found(other, { id: grantId(1) }), [])
        await refused(other, spending('t', 1), 'grant')
        await refused(
          other,
          { threadId: 't', entries: ['{}'], grants: [{ op: 'revoke', entry: 0, id: grantId(1) }] },
          'grant',
        )
        await accepted(other, giving('u', grantRow(1)))
        await accepted(store, spending('t', 1))
      }),
  },
  {
    name: 'a reopened store has the remaining uses of a grant',
    guarantee: 'G1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, giving('t', grantRow(1, { uses: 2, cap: 9 }), 60_000))
        await accepted(store, spending('u', 1, 2.5))
        const before = await store.findGrants({ reach })
        assert.equal(before.grants.length, 1)
        await store.close()
        const again = await reopen(harness, store)
        try {
          assert.deepEqual(await again.findGrants({ reach }), before)
          await accepted(again, spending('t', 1, 6.5))
          await refused(again, spending('t', 1, 0), 'grant')
        } finally {
          await again.close()
        }
      }),
  },
  {
    name: 'two handles that race for the uses of a grant never overspend it',
    guarantee: 'G2',
    run: (harness) =>
      onTwoHandles(harness, async (first, second) => {
        await accepted(first, giving('t', grantRow(1, { uses: 5, cap: 100 })))
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, (_, n) => (n % 2 ? first : second).append(spending(`t${n % 4}`, 1, 20))),
        )
        assert.equal(outcomes.filter(({ ok }) => ok).length, 5)
        const [grant] = (await second.findGrants({ status: 'all' })).grants
        assert.deepEqual([grant?.used, grant?.spent, grant?.status], [5, 100, 'used_up'])
      }),
  },
]
