import assert from 'node:assert/strict'
import type { Append, Store } from '../../../../ports/store.ts'
import type { StoreCase } from '../../store-case.ts'
import {
  accepted,
  allIds,
  assertBodies,
  entry,
  onFreshStore,
  opening,
  refused,
  requestId,
  requestRow,
} from '../../tools.ts'

function deciding(n: number, from: number): Append {
  return {
    threadId: 't',
    entries: [entry(`decide ${n}`)],
    requests: [{ op: 'change', entry: 0, id: requestId(n), from, status: 'decided' }],
  }
}

async function standing(store: Store, n: number): Promise<[string, number] | undefined> {
  const request = await store.getRequest(requestId(n))
  return request && [request.status, request.version]
}

/** The request index: opening, changing at a version, atomicity. */
export const requestCases: readonly StoreCase[] = [
  {
    name: 'an opened request is at version 1, with the entry that opened it',
    guarantee: 'G1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const { at } = await accepted(store, {
          threadId: 't',
          entries: [entry(1), entry(2)],
          requests: [{ op: 'open', entry: 1, row: requestRow(1) }],
        })
        const expected = {
          id: requestId(1),
          threadId: 't',
          status: 'open',
          version: 1,
          expiresAt: null,
          assigned: null,
          comments: 0,
          opened: { seq: 2, at, body: entry(2) },
          changed: null,
        }
        assert.deepEqual(await store.getRequest(requestId(1)), expected)
        assert.deepEqual(await store.findRequests({}), { requests: [expected] })
        assert.equal(await store.getRequest(requestId(2)), undefined)
      }),
  },
  {
    name: 'a changed request shows its status, its version and the entry that changed it last',
    guarantee: 'G1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const opened = await accepted(store, opening('t', requestRow(1)))
        harness.clock.advance(10)
        await accepted(store, deciding(1, 1))
        harness.clock.advance(10)
        const reopened = await accepted(store, {
          threadId: 't',
          entries: [entry('x'), entry('again')],
          requests: [{ op: 'change', entry: 1, id: requestId(1), from: 2, status: 'open' }],
        })
        assert.deepEqual(await store.getRequest(requestId(1)), {
          id: requestId(1),
          threadId: 't',
          status: 'open',
          version: 3,
          expiresAt: null,
          assigned: null,
          comments: 0,
          opened: { seq: 1, at: opened.at, body: entry(`open ${requestId(1)}`) },
          changed: { seq: 4, at: reopened.at, body: entry('again') },
        })
        assert.deepEqual(await allIds(store, { status: 'open' }), [requestId(1)])
        assert.deepEqual(await allIds(store, { status: 'decided' }), [])
      }),
  },
  {
    name: 'a change at another version is refused, names the request, and nothing of its append is written',
    guarantee: 'G4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, opening('t', requestRow(1)))
        await accepted(store, opening('t', requestRow(2)))
        await accepted(store, deciding(1, 1))
        for (const from of [0, 1, 3]) {
          const conflict = await refused(
            store,
            {
              threadId: 't',
              entries: [entry('no'), entry('no'), entry('no')],
              lease: { op: 'take', holder: 'a', ttlMs: 1000 },
              requests: [
                { op: 'change', entry: 0, id: requestId(2), from: 1, status: 'decided' },
                { op: 'open', entry: 1, row: requestRow(3) },
                { op: 'change', entry: 2, id: requestId(1), from, status: 'cancelled' },
              ],
            },
            'request',
          )
          assert.equal(conflict.id, requestId(1))
        }
        assert.deepEqual(await standing(store, 1), ['decided', 2])
        assert.deepEqual(await standing(store, 2), ['open', 1])
        assert.equal(await standing(store, 3), undefined)
        const slice = await store.read('t')
        assert.equal(slice.version, 3)
        assert.equal(slice.lease, null)
      }),
  },
  {
    name: 'of 50 racing decisions exactly one is accepted',
    guarantee: 'G4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, opening('t', requestRow(1)))
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_, n) => store.append({ ...deciding(1, 1), entries: [entry(`racer ${n}`)] })),
        )
        const winners = outcomes.flatMap((outcome, n) => (outcome.ok ? [n] : []))
        assert.equal(winners.length, 1)
        assert.deepEqual(await standing(store, 1), ['decided', 2])
        assert.equal((await store.getRequest(requestId(1)))?.changed?.body, entry(`racer ${winners[0]}`))
        assert.equal((await store.read('t')).version, 2)
      }),
  },
  {
    name: 'a change that must come before a time is refused from that time on, by the clock of the store',
    guarantee: 'S5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const before = harness.clock.now() + 1000
        const timely = (n: number): Append => ({
          threadId: 't',
          entries: [entry('timely')],
          requests: [{ op: 'change', entry: 0, id: requestId(n), from: 1, status: 'decided', before }],
        })
        await accepted(store, opening('t', requestRow(1)))
        await accepted(store, opening('t', requestRow(2)))
        harness.clock.advance(999)
        await accepted(store, timely(1))
        harness.clock.advance(1)
        assert.equal((await refused(store, timely(2), 'request')).id, requestId(2))
        assert.deepEqual(await standing(store, 2), ['open', 1])
        assert.equal((await store.read('t')).version, 3)
        await accepted(store, deciding(2, 1))
      }),
  },
  {
    name: 'an unknown request and one of another thread cannot be changed',
    guarantee: 'G4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, opening('other', requestRow(1)))
        await refused(store, deciding(1, 1), 'request')
        await refused(store, deciding(2, 1), 'request')
        await refused(store, deciding(2, 0), 'request')
        await assertBodies(store, 't', [])
        assert.deepEqual(await standing(store, 1), ['open', 1])
      }),
  },
  {
    name: 'a request cannot be opened twice',
    guarantee: 'S1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, opening('t', requestRow(1)))
        assert.equal((await refused(store, opening('t', requestRow(1)), 'request')).id, requestId(1))
        await refused(store, opening('other', requestRow(1)), 'request')
        const twice: Append = {
          threadId: 't',
          entries: [entry('a'), entry('b')],
          requests: [
            { op: 'open', entry: 0, row: requestRow(2) },
            { op: 'open', entry: 1, row: requestRow(2) },
          ],
        }
        await refused(store, twice, 'request')
        assert.equal((await store.read('t')).version, 1)
        assert.equal((await store.read('other')).version, 0)
        assert.equal(await standing(store, 2), undefined)
      }),
  },
  {
    name: 'one append may open and change the same request, in order',
    guarantee: 'S1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, {
          threadId: 't',
          entries: [entry(1), entry(2), entry(3)],
          requests: [
            { op: 'open', entry: 0, row: requestRow(1) },
            { op: 'change', entry: 1, id: requestId(1), from: 1, status: 'decided' },
            { op: 'change', entry: 2, id: requestId(1), from: 2, status: 'superseded' },
          ],
        })
        assert.deepEqual(await standing(store, 1), ['superseded', 3])
        assert.equal((await store.getRequest(requestId(1)))?.changed?.seq, 3)
      }),
  },
  {
    name: 'a request change that names no entry of its append throws',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        for (const position of [-1, 1, 0.5]) {
          await assert.rejects(
            store.append({
              threadId: 't',
              entries: [entry(1)],
              requests: [{ op: 'open', entry: position, row: requestRow(1) }],
            }),
            { code: 'input_invalid' },
          )
        }
        assert.equal((await store.read('t')).version, 0)
      }),
  },
]
