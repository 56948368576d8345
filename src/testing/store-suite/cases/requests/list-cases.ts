import assert from 'node:assert/strict'
import type { RequestRow, Store } from '../../../../ports/store.ts'
import type { RequestCountQuery } from '../../../../ports/store-lists.ts'
import type { StoreCase } from '../../store-case.ts'
import { accepted, allIds, entry, onFreshStore, opening, refused, requestId, requestRow } from '../../tools.ts'

async function openAll(store: Store, rows: readonly (Partial<RequestRow> & { thread?: string })[]): Promise<void> {
  for (const [index, { thread = 't', ...row }] of rows.entries())
    await accepted(store, opening(thread, requestRow(index + 1, row)))
}

/** Fails unless lists and counts find exactly these requests, newest first. */
async function finds(store: Store, query: RequestCountQuery, numbers: readonly number[]): Promise<void> {
  const name = JSON.stringify(query)
  assert.deepEqual(await allIds(store, { ...query, limit: 2 }), numbers.map(requestId), name)
  assert.deepEqual(await store.countRequests(query), { count: numbers.length, more: false }, name)
}

function note(
  change: { op: 'assign'; assignee: string | null; ttlMs?: number; claim?: true } | { op: 'comment' },
  n = 1,
) {
  return { threadId: 'notes', entries: [entry(change.op)], requests: [{ ...change, id: requestId(n) }] } as const
}

/** Lists and counts for people, and notes on requests. */
export const listCases: readonly StoreCase[] = [
  {
    name: 'lists and counts contain only what the given readers may see',
    guarantee: 'S9',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const odd = ['user:a,b', 'group:"x"', 'user:\\', 'user:%', 'group:ops_', 'user:名']
        await openAll(store, [
          { readers: null },
          { readers: ['user:ann'] },
          { readers: ['user:bob', 'group:ops'] },
          { readers: [] },
          { readers: odd },
        ])
        await finds(store, {}, [5, 4, 3, 2, 1])
        await finds(store, { readers: [] }, [])
        await finds(store, { readers: ['*'] }, [1])
        await finds(store, { readers: ['user:ann'] }, [2])
        await finds(store, { readers: ['user:ann', 'group:ops', '*'] }, [3, 2, 1])
        for (const name of odd) await finds(store, { readers: [name] }, [5])
        for (const name of ['user:an', 'ann', 'user:a', 'b', 'group:x', 'user:_', 'group:ops1', ',', '"', ''])
          await finds(store, { readers: [name] }, [])
      }),
  },
  {
    name: 'lists and counts of threads whose names begin alike contain all of their requests, and no others',
    guarantee: 'S9',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const threads = [
          'gate/a/c/1',
          'gate/a/c/2',
          'gate/a/c2/1',
          'gate/a/c',
          'c',
          'gate/b/c/1',
          'gate/a/c0',
          'gate/A/c/1',
        ]
        await openAll(
          store,
          threads.map((thread) => ({ thread })),
        )
        await accepted(store.tenant('other'), opening('gate/a/c/1', requestRow(20)))
        await finds(store, { threadsUnder: ['gate/a/c/'] }, [2, 1])
        await finds(store, { threadsUnder: ['gate/a/c/', 'gate/b/c/'] }, [6, 2, 1])
        await finds(store, { threadId: 'c', threadsUnder: ['gate/a/c/', 'gate/b/c/'] }, [6, 5, 2, 1])
        await finds(store, { threadId: 'c', threadsUnder: [] }, [5])
        await finds(store, { threadId: 'none', threadsUnder: ['gate/a/c/'] }, [2, 1])
        await finds(store, { threadsUnder: [] }, [])
        await finds(store, { threadsUnder: ['gate/c/'] }, [])
        await finds(store, { threadsUnder: ['gate/a/c/'], status: 'closed' }, [])
        await finds(store, { threadsUnder: ['gate/a/c/'], status: 'open', readers: ['*'] }, [2, 1])
        const decide = { op: 'change', entry: 0, id: requestId(1), from: 1, status: 'decided' } as const
        await accepted(store, { threadId: 'gate/a/c/1', entries: [entry('decide')], requests: [decide] })
        const changed = { threadsUnder: ['gate/a/'], status: 'closed', order: 'changed' } as const
        assert.deepEqual(await allIds(store, changed), [requestId(1)])
      }),
  },
  {
    name: 'counts filter first and then stop at their limit',
    guarantee: 'S9',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const rows = Array.from({ length: 20 }, (_, n) => ({ readers: n % 4 === 0 ? ['user:ann'] : ['user:bob'] }))
        await openAll(store, rows)
        const ann = { readers: ['user:ann'], status: 'open' } as const
        assert.deepEqual(await store.countRequests(ann), { count: 5, more: false })
        assert.deepEqual(await store.countRequests(ann, { limit: 5 }), { count: 5, more: false })
        assert.deepEqual(await store.countRequests(ann, { limit: 4 }), { count: 4, more: true })
        assert.deepEqual(await store.countRequests({}, { limit: 4 }), { count: 4, more: true })
        assert.deepEqual(await store.tenant('other').countRequests({}), { count: 0, more: false })
        for (const limit of [0, 1001, 1.5])
          await assert.rejects(store.countRequests({}, { limit }), { code: 'input_invalid' }, String(limit))
      }),
  },
  {
    name: 'requests are found by risk, kind, status, text and age, all at once',
    guarantee: 'S9',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const noon = 0x01900000_0000
        const at = (ms: number, n: number) => {
          const hex = (noon + ms).toString(16).padStart(12, '0')
          return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`
        }
        const rows: Partial<RequestRow>[] = [
          { id: at(0, 1), risk: 'low', kind: 'approve', text: 'refund 50 eur to bob' },
          { id: at(5, 2), risk: 'high', kind: 'approve', text: 'refund 500 eur to ann' },
          { id: at(5, 3), risk: null, kind: 'ask', text: '100% größe' },
        ]
        await openAll(store, rows)
        const ids = async (query: RequestCountQuery) => {
          const found = await allIds(store, query)
          assert.deepEqual(await store.countRequests(query), { count: found.length, more: false })
          return found.map((id) => Number(`0x${id.slice(-12)}`))
        }
        assert.deepEqual(await ids({ risk: 'high' }), [2])
        assert.deepEqual(await ids({ kind: 'ask' }), [3])
        assert.deepEqual(await ids({ kind: 'approve', risk: 'low' }), [1])
        assert.deepEqual(await ids({ text: 'Refund  50' }), [2, 1])
        assert.deepEqual(await ids({ text: 'bob REFUND' }), [1])
        assert.deepEqual(await ids({ text: '0% GRÖSSE' }), [])
        assert.deepEqual(await ids({ text: '0% GRÖß' }), [3])
        assert.deepEqual(await ids({ text: ' ' }), [3, 2, 1])
        assert.deepEqual(await ids({ openedBefore: noon + 5 }), [1])
        assert.deepEqual(await ids({ openedAfter: noon + 5 }), [3, 2])
        assert.deepEqual(await ids({ openedAfter: noon, openedBefore: noon + 1 }), [1])
        const decide = { op: 'change', entry: 0, id: at(5, 2), from: 1, status: 'decided' } as const
        await accepted(store, { threadId: 't', entries: [entry('decide')], requests: [decide] })
        assert.deepEqual(await ids({ status: 'closed' }), [2])
        assert.deepEqual(await ids({ status: 'closed', threadId: 't', text: 'ann' }), [2])
        assert.deepEqual(await ids({ status: 'open', text: 'refund' }), [1])
      }),
  },
  {
    name: 'an assignment counts until its time is up, and then what the opener said',
    guarantee: 'S9',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await openAll(store, [{ assignee: 'ann' }, {}, { assignee: 'bob' }])
        await finds(store, { assignedTo: 'ann' }, [1])
        await finds(store, { notAssignedToOthers: 'ann' }, [2, 1])
        await accepted(store, note({ op: 'assign', assignee: 'bob', ttlMs: 10 }, 1))
        await accepted(store, note({ op: 'assign', assignee: 'ann' }, 2))
        await finds(store, { assignedTo: 'ann' }, [2])
        await finds(store, { assignedTo: 'bob', status: 'open' }, [3, 1])
        await finds(store, { notAssignedToOthers: 'ann' }, [2])
        await finds(store, { notAssignedToOthers: 'cas' }, [])
        await finds(store, { assignee: 'ann' }, [1])
        const { assigned } = (await store.getRequest(requestId(1)))!
        assert.deepEqual(assigned, { id: 'bob', until: harness.clock.now() + 10 })
        harness.clock.advance(10)
        assert.equal((await store.getRequest(requestId(1)))?.assigned, null)
        assert.equal((await store.findRequests({})).requests.at(-1)?.assigned, null)
        await finds(store, { assignedTo: 'ann' }, [2, 1])
        await accepted(store, note({ op: 'assign', assignee: null }, 2))
        await finds(store, { notAssignedToOthers: 'cas' }, [2])
      }),
  },
  {
    name: 'an open request can be assigned from any thread, and claimed unless somebody else has it',
    guarantee: 'G4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await openAll(store, [{}])
        await accepted(store, note({ op: 'assign', assignee: 'ann', ttlMs: 10, claim: true }))
        const taken = await refused(store, note({ op: 'assign', assignee: 'bob', claim: true }), 'request')
        assert.equal(taken.id, requestId(1))
        await accepted(store, note({ op: 'assign', assignee: 'ann', ttlMs: 5, claim: true }))
        harness.clock.advance(5)
        await accepted(store, note({ op: 'assign', assignee: 'bob', claim: true }))
        await accepted(store, note({ op: 'assign', assignee: 'cas' }))
        const decide = { op: 'change', entry: 0, id: requestId(1), from: 1, status: 'decided' } as const
        await accepted(store, { threadId: 't', entries: [entry('decide')], requests: [decide] })
        await refused(store, note({ op: 'assign', assignee: 'ann' }), 'request')
        assert.equal((await store.read('notes')).version, 4)
        assert.equal((await store.getRequest(requestId(1)))?.version, 2)
      }),
  },
  {
    name: 'comments are counted, also on settled requests, and refused without a request',
    guarantee: 'G1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await openAll(store, [{}])
        await accepted(store, note({ op: 'comment' }))
        const decide = { op: 'change', entry: 0, id: requestId(1), from: 1, status: 'decided' } as const
        await accepted(store, { threadId: 't', entries: [entry('decide')], requests: [decide] })
        await accepted(store, note({ op: 'comment' }))
        assert.equal((await store.getRequest(requestId(1)))?.comments, 2)
        await refused(store, note({ op: 'comment' }, 2), 'request')
        await refused(store.tenant('other'), note({ op: 'comment' }), 'request')
        const empty = { threadId: 'notes', entries: [], requests: [{ op: 'comment', id: requestId(1) }] } as const
        await assert.rejects(store.append(empty), { code: 'input_invalid' })
      }),
  },
  {
    name: 'threads of a reader have requests that the reader may see, and count only those',
    guarantee: 'S9',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const ann = ['user:ann']
        await openAll(store, [
          { thread: 'a', readers: ann },
          { thread: 'b', readers: ['user:bob'] },
          { thread: 'a', readers: ['user:bob'] },
          { thread: 'c', readers: ann },
          { thread: 'c', readers: ann },
          { thread: 'd', readers: null },
          { thread: 'c', readers: ['user:bob'] },
        ])
        harness.clock.advance(9)
        const decide = { op: 'change', entry: 0, id: requestId(4), from: 1, status: 'decided' } as const
        await accepted(store, { threadId: 'c', entries: [entry('decide')], requests: [decide] })
        const all = await store.threadsOf({ readers: ann })
        assert.deepEqual(
          all.threads.map(({ threadId, open }) => [threadId, open]),
          [
            ['c', 1],
            ['a', 1],
          ],
        )
        assert.equal(all.threads[0]?.lastAt, harness.clock.now() - 9)
        const names: string[] = []
        let cursor: string | undefined
        do {
          const page = await store.threadsOf({ limit: 1, ...(cursor ? { cursor } : {}) })
          names.push(...page.threads.map(({ threadId }) => threadId))
          cursor = page.next
        } while (cursor !== undefined)
        assert.deepEqual(names, ['c', 'd', 'a', 'b'])
        assert.deepEqual(await store.threadsOf({ readers: [] }), { threads: [] })
        assert.deepEqual(await store.tenant('other').threadsOf({}), { threads: [] })
      }),
  },
]
