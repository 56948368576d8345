import assert from 'node:assert/strict'
import type { RecordChange, RecordOutcome } from '../../../ports/records.ts'
import type { Store } from '../../../ports/store.ts'
import type { StoreCase } from '../store-case.ts'
import { accepted, entry, onFreshStore, onTwoHandles, opening, refused, reopen, requestRow } from '../tools.ts'

function put(id: string, more: Partial<Extract<RecordChange, { op: 'put' }>> = {}): RecordChange {
  return { op: 'put', kind: 'k', id, value: `"${id}"`, ...more }
}

async function written(store: Store, ...changes: RecordChange[]): Promise<number> {
  const outcome: RecordOutcome = await store.writeRecords(changes)
  assert.ok(outcome.ok, `refused: ${JSON.stringify(outcome)}`)
  return outcome.at
}

async function refusedRecord(store: Store, id: string, ...changes: RecordChange[]): Promise<void> {
  const outcome = await store.writeRecords(changes)
  assert.ok(!outcome.ok, 'it was accepted')
  assert.deepEqual(outcome.conflict, { kind: 'record', id })
}

async function idsOf(store: Store): Promise<string[]> {
  return (await store.findRecords({ kind: 'k' })).records.map(({ id }) => id)
}

/** Records beside the journals. */
export const recordCases: readonly StoreCase[] = [
  {
    name: 'a record is at version 1, then one higher with each write, and begins anew after it was deleted',
    guarantee: 'R1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        assert.equal(await store.readRecord('k', 'a'), undefined)
        await written(store, put('a'))
        harness.clock.advance(5)
        const at = await written(store, put('a', { value: '{"x":2}', ttlMs: 1000 }))
        const record = { kind: 'k', id: 'a', version: 2, value: '{"x":2}', at, expiresAt: at + 1000 }
        assert.deepEqual(await store.readRecord('k', 'a'), record)
        assert.deepEqual(await store.findRecords({ kind: 'k' }), { records: [record] })
        assert.equal(await store.readRecord('other', 'a'), undefined)
        await written(store, { op: 'delete', kind: 'k', id: 'a' }, { op: 'delete', kind: 'k', id: 'a' })
        assert.equal(await store.readRecord('k', 'a'), undefined)
        await written(store, put('a'))
        assert.equal((await store.readRecord('k', 'a'))?.version, 1)
        assert.equal((await store.readRecord('k', 'a'))?.expiresAt, null)
      }),
  },
  {
    name: 'a record whose guard refuses is named, and no change of its write is made',
    guarantee: 'R2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await written(store, put('a'))
        await refusedRecord(store, 'a', put('b'), put('a', { expect: 0 }))
        await refusedRecord(store, 'a', put('b'), { op: 'delete', kind: 'k', id: 'a', expect: 2 })
        await refusedRecord(store, 'c', put('b'), { op: 'delete', kind: 'k', id: 'c', expect: 1 })
        assert.deepEqual(await idsOf(store), ['a'])
        await written(store, put('a', { expect: 1 }), put('a', { expect: 2 }), put('b', { expect: 0 }))
        assert.equal((await store.readRecord('k', 'a'))?.version, 3)
        await written(store, { op: 'delete', kind: 'k', id: 'a', expect: 3 }, put('a', { expect: 0 }))
        assert.equal((await store.readRecord('k', 'a'))?.version, 1)
      }),
  },
  {
    name: 'of many writers who expect a record to be absent, one wins, from any handle',
    guarantee: 'R2',
    run: (harness) =>
      onTwoHandles(harness, async (first, second) => {
        for (let round = 0; round < 5; round++) {
          const writers = Array.from({ length: 8 }, (_, n) => (n % 2 ? first : second))
          const outcomes = await Promise.all(
            writers.map((store) => store.writeRecords([put(`r${round}`, { expect: 0 })])),
          )
          assert.equal(outcomes.filter(({ ok }) => ok).length, 1)
          assert.equal((await first.readRecord('k', `r${round}`))?.version, 1)
        }
      }),
  },
  {
    name: 'records of an append are written with it, and a record that refuses keeps all of it out',
    guarantee: 'R1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const { at } = await accepted(store, { ...opening('t', requestRow(1)), records: [put('a', { expect: 0 })] })
        assert.equal((await store.readRecord('k', 'a'))?.at, at)
        const { end } = await store.outbox()
        const again = { ...opening('t', requestRow(2)), records: [put('b'), put('a', { expect: 0 })] }
        assert.deepEqual(await refused(store, again, 'record'), { kind: 'record', id: 'a' })
        await refused(store, { threadId: 't', entries: [entry(1)], version: 9, records: [put('b')] }, 'version')
        assert.deepEqual(await idsOf(store), ['a'])
        assert.equal((await store.read('t')).version, 1)
        assert.equal((await store.findRequests({})).requests.length, 1)
        assert.deepEqual((await store.outbox({ after: end })).rows, [])
      }),
  },
  {
    name: 'an expired record is absent: to reads, lists, guards and after pruning',
    guarantee: 'R3',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await written(store, put('a', { ttlMs: 10 }), put('b', { ttlMs: 20 }), put('c'))
        harness.clock.advance(9)
        assert.deepEqual(await idsOf(store), ['a', 'b', 'c'])
        harness.clock.advance(1)
        assert.equal(await store.readRecord('k', 'a'), undefined)
        assert.deepEqual(await idsOf(store), ['b', 'c'])
        await refusedRecord(store, 'a', put('a', { expect: 1 }))
        await store.prune({ outboxMs: 1000 })
        assert.deepEqual(await idsOf(store), ['b', 'c'])
        await written(store, put('a', { expect: 0 }))
        assert.equal((await store.readRecord('k', 'a'))?.version, 1)
        harness.clock.advance(10)
        const { at } = await accepted(store, {
          threadId: 't',
          entries: [entry(1)],
          records: [put('b', { expect: 0, ttlMs: 5 })],
        })
        assert.deepEqual(await store.readRecord('k', 'b'), {
          ...{ kind: 'k', id: 'b', version: 1, value: '"b"', at, expiresAt: at + 5 },
        })
      }),
  },
  {
    name: 'records that are read together are as they are now: each once, without those that are gone',
    guarantee: 'R3',
    run: (harness) =>
      onFreshStore(harness, async (first) => {
        const second = first.tenant(first.tenantId)
        const valuesOf = async (store: Store, ...ids: string[]) =>
          (await store.readRecords('k', ids)).map(({ id, value }) => `${id}=${value}`).sort()
        await written(first, put('a'), put('b', { ttlMs: 10 }), put('c'), { ...put('d'), kind: 'other' })
        assert.deepEqual(await valuesOf(second), [])
        assert.deepEqual(await valuesOf(second, 'c', 'd', 'a', 'none', 'c', 'b', ''), ['a="a"', 'b="b"', 'c="c"'])
        assert.deepEqual(await first.readRecords('k', ['b']), [await first.readRecord('k', 'b')])
        await written(first, { op: 'delete', kind: 'k', id: 'a' }, put('c', { value: '2' }))
        assert.deepEqual(await valuesOf(second, 'a', 'b', 'c'), ['b="b"', 'c=2'])
        harness.clock.advance(10)
        assert.deepEqual(await valuesOf(second, 'a', 'b', 'c'), ['c=2'])
        assert.deepEqual(await valuesOf(second.tenant('other'), 'a', 'b', 'c'), [])
        await written(first, ...Array.from({ length: 700 }, (_, n) => put(`many${n}`)))
        const many = Array.from({ length: 1400 }, (_, n) => `many${n}`)
        assert.equal((await second.readRecords('k', many)).length, 700)
      }),
  },
  {
    name: 'records come in pages by id, in character order, of one kind and prefix',
    guarantee: 'R1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const ids = ['a', 'a%', 'a/1', 'a/10', 'a/2', 'a/\uffee', 'a/\u{1f600}', 'b']
        await written(store, ...ids.map((id) => put(id)).reverse(), { ...put('a/3'), kind: 'other' })
        assert.deepEqual(await idsOf(store), ids)
        const found: string[] = []
        let cursor: string | undefined
        do {
          const page = await store.findRecords({ kind: 'k', prefix: 'a/', limit: 2, ...(cursor ? { cursor } : {}) })
          assert.ok(page.records.length <= 2)
          found.push(...page.records.map(({ id }) => id))
          cursor = page.next
        } while (cursor !== undefined)
        assert.deepEqual(found, ids.slice(2, -1))
      }),
  },
  {
    name: 'records of one tenant are absent for another',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const other = store.tenant('other')
        await written(store, put('a'))
        assert.equal(await other.readRecord('k', 'a'), undefined)
        assert.deepEqual(await idsOf(other), [])
        await written(other, put('a', { expect: 0, value: '2' }), { op: 'delete', kind: 'k', id: 'b' })
        await written(other, { op: 'delete', kind: 'k', id: 'a' })
        assert.equal((await store.readRecord('k', 'a'))?.value, '"a"')
      }),
  },
  {
    name: 'a record that no store could keep is refused, and nothing is stored',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const wrong: RecordChange[] = [
          ...[put(''), put('x'.repeat(301)), put('a\u0000'), put('\ud800'), put('a', { kind: '' })],
          ...[
            put('a', { ttlMs: 0 }),
            put('a', { ttlMs: 1.5 }),
            put('a', { expect: -1 }),
            put('a', { value: '\u0000' }),
          ],
          put('a', { value: 5 as never }),
        ]
        for (const change of wrong) {
          const name = JSON.stringify(change)
          await assert.rejects(store.writeRecords([put('b'), change]), { code: 'input_invalid' }, name)
          const append = { threadId: 't', entries: [entry(1)], records: [change] }
          await assert.rejects(store.append(append), { code: 'input_invalid' }, name)
        }
        await assert.rejects(store.append({ threadId: 't', entries: [], records: [put('a')] }), {
          code: 'input_invalid',
        })
        assert.deepEqual(await idsOf(store), [])
        assert.equal((await store.read('t')).version, 0)
      }),
  },
  {
    name: 'records are there for a handle that is reopened',
    guarantee: 'S2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await written(store, put('a'))
        await accepted(store, { threadId: 't', entries: [entry(1)], records: [put('b', { ttlMs: 50 })] })
        await store.close()
        const again = await reopen(harness, store)
        assert.deepEqual(await idsOf(again), ['a', 'b'])
        await again.close()
      }),
  },
]
