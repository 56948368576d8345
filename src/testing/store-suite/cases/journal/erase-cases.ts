import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Append, Store } from '../../../../ports/store.ts'
import { accountFor, ERASED_BODY } from '../../../../protocol/chain/erase-chain.ts'
import { checkChain } from '../../../../protocol/chain/find-break.ts'
import type { StoreCase } from '../../store-case.ts'
import {
  accepted,
  entry,
  giving,
  grantId,
  grantRow,
  onFreshStore,
  onTwoHandles,
  opening,
  refused,
  requestId,
  requestRow,
} from '../../tools.ts'

const BY = { kind: 'person', id: 'ann' } as const

/** An append that erases a thread as it is now. */
async function erasing(store: Store, threadId: string): Promise<Append & { erase: { salt: Uint8Array } }> {
  const chain = await store.readChain(threadId)
  const salt = new Uint8Array(randomBytes(16))
  return {
    threadId,
    version: chain.length,
    entries: accountFor(chain, { salt, by: BY, reason: 'asked to' }),
    wake: { op: 'set', at: null },
    erase: { body: ERASED_BODY, salt },
  }
}

/** Verifies a thread's chain, and returns how many bodies were erased. */
async function verified(store: Store, threadId: string): Promise<number> {
  const [entries, end] = [await store.readChain(threadId), await store.readHead(threadId)]
  const own = { tenant: store.tenantId, threadId, after: 0, previous: undefined }
  const { broken, erased } = checkChain({ ...own, entries, links: entries, end })
  assert.equal(broken, undefined, JSON.stringify(broken))
  assert.equal(entries.length, end.version)
  return erased
}

async function assertErased(store: Store, threadId: string): Promise<void> {
  const code = 'thread_erased'
  await assert.rejects(store.read(threadId), { code, threadId })
  await assert.rejects(store.read(threadId, { after: 1 }), { code })
  await assert.rejects(store.readBack(threadId), { code })
  await assert.rejects(store.append({ threadId, entries: [entry('late')] }), { code, threadId })
  const take = { op: 'take', holder: 'late', ttlMs: 1000 } as const
  await assert.rejects(store.append({ threadId, entries: [], lease: take }), { code })
  assert.equal((await store.readHead(threadId)).erased, true)
}

/** Erasing the content of threads. */
export const eraseCases: readonly StoreCase[] = [
  {
    name: 'erasing a thread replaces every earlier body and salt, and the chain still verifies',
    guarantee: 'E1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: ['a secret', 'another'].map(entry) })
        await accepted(store, { threadId: 't', entries: [entry(`long ${'x'.repeat(20_000)}`)] })
        await accepted(store, { threadId: 'u', entries: [entry('stays')] })
        const before = await store.readChain('t')
        const append = await erasing(store, 't')
        const { version } = await accepted(store, append)
        assert.equal(version, 6)
        const chain = await store.readChain('t')
        for (const [index, { body, salt, hash, at, seq }] of chain.slice(0, 3).entries()) {
          const was = before[index]!
          assert.deepEqual({ body, salt: [...salt] }, { body: ERASED_BODY, salt: [...append.erase.salt] })
          assert.deepEqual({ hash: [...hash], at, seq }, { hash: [...was.hash], at: was.at, seq: was.seq })
        }
        assert.deepEqual(
          chain.slice(3).map(({ body }) => body),
          append.entries,
        )
        assert.equal(await verified(store, 't'), 3)
        assert.equal(await verified(store, 'u'), 0)
        assert.equal((await store.read('u')).entries[0]?.body, entry('stays'))
        assert.equal((await store.readHead('u')).erased, undefined)
      }),
  },
  {
    name: 'the head of an erased thread is signed like any other',
    guarantee: 'E1',
    run: (harness) =>
      onFreshStore(
        harness,
        async (store) => {
          await accepted(store, { threadId: 't', entries: [entry(1)] })
          await accepted(store, await erasing(store, 't'))
          const { mac, version, hash } = await store.readHead('t')
          assert.notEqual(mac, null)
          await accepted(store, { threadId: 't', entries: [], version, sign: hash })
          await assertErased(store, 't')
          assert.equal(await verified(store, 't'), 1)
        },
        { auditKey: { id: 'k1', secret: 'a secret for tests' } },
      ),
  },
  {
    name: 'an erased thread can neither be read nor written, nor erased again',
    guarantee: 'E2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const lease = { op: 'take', holder: 'one', ttlMs: 60_000 } as const
        const taken = await accepted(store, { threadId: 't', entries: [entry(1)], lease })
        const claim = { holder: 'one', token: taken.lease!.token }
        await accepted(store, { ...(await erasing(store, 't')), lease: { op: 'hold', ...claim, thenDrop: true } })
        await assertErased(store, 't')
        assert.equal(await store.renewLease('t', { ...claim, ttlMs: 1000 }), false)
        await assert.rejects(store.append(await erasing(store, 't')), { code: 'thread_erased' })
        await assert.rejects(store.append({ threadId: 't', entries: [entry(2)], version: 1 }), {
          code: 'thread_erased',
        })
        assert.equal((await store.readChain('t')).length, 2)
        assert.deepEqual((await store.ready()).threads, [])
      }),
  },
  {
    name: 'a handle that has read and written a thread before it was erased elsewhere can do neither any more',
    guarantee: 'E2',
    run: (harness) =>
      onTwoHandles(harness, async (first, second) => {
        await accepted(first, { threadId: 't', entries: [entry(1)] })
        await accepted(first, { threadId: 't', entries: [entry(2)] })
        await first.read('t')
        await accepted(second, await erasing(second, 't'))
        await assertErased(first, 't')
        assert.equal(await verified(first, 't'), 2)
      }),
  },
  {
    name: 'requests and grants of an erased thread are in no list, count or look-up',
    guarantee: 'E1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const told = { text: 'pay to ann', readers: ['user:ann'], expiresAt: harness.clock.now() }
        for (const [threadId, n] of [
          ['t', 1],
          ['u', 2],
          ['t', 3],
        ] as const)
          await accepted(store, opening(threadId, requestRow(n, told)))
        for (const [threadId, n] of [
          ['t', 1],
          ['u', 2],
        ] as const)
          await accepted(store, giving(threadId, grantRow(n, { scope: 'agent' })))
        await accepted(store, await erasing(store, 't'))
        assert.equal(await store.getRequest(requestId(1)), undefined)
        const only = [requestId(2)]
        for (const query of [
          {},
          { status: 'open' },
          { text: 'pay' },
          { readers: ['user:ann'] },
          { order: 'changed' },
        ] as const)
          assert.deepEqual(
            (await store.findRequests(query)).requests.map(({ id }) => id),
            only,
          )
        assert.deepEqual((await store.findRequests({ threadId: 't' })).requests, [])
        assert.deepEqual(await store.countRequests({}), { count: 1, more: false })
        assert.deepEqual(await store.countRequests({ threadId: 't' }), { count: 0, more: false })
        assert.deepEqual(
          (await store.threadsOf({})).threads.map(({ threadId }) => threadId),
          ['u'],
        )
        assert.deepEqual(
          (await store.due()).requests.map(({ id }) => id),
          only,
        )
        assert.equal((await store.queue()).open, 1)
        assert.deepEqual(
          (await store.findGrants({ status: 'all' })).grants.map(({ id }) => id),
          [grantId(2)],
        )
        const reach = { threadId: 'v', run: 'r1', agents: ['support'], tools: ['refund'] }
        assert.deepEqual(
          (await store.findGrants({ reach })).grants.map(({ id }) => id),
          [grantId(2)],
        )
        assert.equal((await store.outbox({ after: '' })).rows.length, 6)
      }),
  },
  {
    name: 'an erasure is told in the outbox, with the id of the thread and nothing else',
    guarantee: 'E3',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [entry(1)] })
        const { at } = await accepted(store, await erasing(store, 't'))
        const { rows } = await store.outbox({ after: '' })
        assert.deepEqual(
          rows.map(({ position: _, ...row }) => row),
          [{ tenantId: store.tenantId, threadId: 't', subject: 'thread', id: 't', what: 'erased', version: 0, at }],
        )
      }),
  },
  {
    name: 'an append that erases is refused like any other, and then erases nothing',
    guarantee: 'E1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const lease = { op: 'take', holder: 'one', ttlMs: 60_000 } as const
        await accepted(store, { ...opening('t', requestRow(1)), lease })
        const append = await erasing(store, 't')
        await refused(store, { ...append, lease: { ...lease, holder: 'two' } }, 'lease')
        const record = { op: 'put', kind: 'k', id: 'i', value: '', expect: 7 } as const
        await refused(store, { ...append, records: [record] }, 'record')
        await accepted(store, { threadId: 't', entries: [entry('meanwhile')] })
        await refused(store, append, 'version')
        assert.equal((await store.read('t')).version, 2)
        assert.equal((await store.getRequest(requestId(1)))?.status, 'open')
        assert.equal(await verified(store, 't'), 0)
      }),
  },
  {
    name: 'an append that would erase what its entries do not account for is refused',
    guarantee: 'E1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [entry(1)] })
        const { version: _, ...unguarded } = await erasing(store, 't')
        for (const wrong of [
          unguarded,
          { ...unguarded, version: 1, entries: [] },
          { ...unguarded, version: 1, erase: { body: ERASED_BODY, salt: new Uint8Array(3) } },
        ])
          await assert.rejects(store.append(wrong), { code: 'input_invalid' })
        assert.equal((await store.read('t')).entries[0]?.body, entry(1))
      }),
  },
  {
    name: 'threads are listed by the time of their last write, without erased ones',
    guarantee: 'E1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        for (const threadId of ['a', 'b', 'c', 'd']) await accepted(store, { threadId, entries: [entry(threadId)] })
        const start = harness.clock.now()
        harness.clock.advance(5000)
        await accepted(store, { threadId: 'c', entries: [entry('later')] })
        await accepted(store, await erasing(store, 'b'))
        const { threads } = await store.threads({ before: start + 1 })
        assert.deepEqual(
          threads.map(({ threadId }) => threadId),
          ['a', 'd'],
        )
        assert.deepEqual((await store.threads({ before: start })).threads, [])
        const later = await store.threads({ before: harness.clock.now() + 1 })
        assert.deepEqual(
          later.threads.map(({ threadId }) => threadId),
          ['a', 'c', 'd'],
        )
        assert.equal((await store.threads()).threads.length, 4)
        await store.scrub()
        assert.equal((await store.read('a')).version, 1)
      }),
  },
]
