import assert from 'node:assert/strict'
import type { OutboxRow } from '../../../ports/outbox.ts'
import type { Append, Store } from '../../../ports/store.ts'
import type { RequestStatus } from '../../../protocol/request.ts'
import type { StoreCase } from '../store-case.ts'
import {
  accepted,
  entry,
  giving,
  grantId,
  grantRow,
  isPending,
  onFreshStore,
  onTwoHandles,
  opening,
  refused,
  requestId,
  requestRow,
  soon,
  spending,
} from '../tools.ts'

/** The rows after a position, as soon as there are that many. A store may show a row a little later than its change. */
async function told(store: Store, after: string, count: number | [count: number, limit: number]): Promise<OutboxRow[]> {
  const [wanted, limit] = typeof count === 'number' ? [count, 100] : count
  const rows: OutboxRow[] = []
  let position = after
  while (rows.length < wanted) {
    await soon(store.outboxChanged({ after: position, signal: new AbortController().signal }))
    const page = await store.outbox({ after: position, limit })
    assert.equal(page.missed, false, 'rows are said to be deleted')
    assert.ok(page.rows.length <= limit, 'a page is longer than its limit')
    assert.equal(page.end, page.rows.at(-1)?.position ?? position)
    rows.push(...page.rows)
    position = page.end
  }
  const { rows: more } = await store.outbox({ after: position, limit })
  return [...rows, ...more]
}

function change(threadId: string, n: number, to: { from: number; status: RequestStatus; dropDeadline?: true }): Append {
  return { threadId, entries: [entry(to.status)], requests: [{ op: 'change', entry: 0, id: requestId(n), ...to }] }
}

const what = (rows: readonly OutboxRow[]) => rows.map((row) => `${row.what} ${row.version}`)

/** What the outbox tells. */
export const outboxCases: readonly StoreCase[] = [
  {
    name: 'every change of a request is told once, with its version',
    guarantee: 'O1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const { end } = await store.outbox()
        await accepted(store, opening('t', requestRow(1, { expiresAt: harness.clock.now() + 1000 })))
        harness.clock.advance(7)
        const note = { threadId: 'notes', entries: [entry('note')] }
        const noted = await accepted(store, { ...note, requests: [{ op: 'comment', id: requestId(1) }] })
        await accepted(store, { ...note, requests: [{ op: 'assign', id: requestId(1), assignee: 'ann' }] })
        await accepted(store, { ...note, requests: [{ op: 'assign', id: requestId(1), assignee: 'ann' }] })
        await accepted(store, change('t', 1, { from: 1, status: 'open', dropDeadline: true }))
        await accepted(store, change('t', 1, { from: 2, status: 'decided' }))
        await accepted(store, change('t', 1, { from: 3, status: 'open' }))
        const last = await accepted(store, change('t', 1, { from: 4, status: 'cancelled' }))
        await accepted(store, { threadId: 't', entries: [entry('no request')] })
        const rows = await told(store, end, 8)
        assert.deepEqual(what(rows), [
          ...[
            'opened 1',
            'commented 1',
            'assigned 1',
            'assigned 1',
            'escalated 2',
            'decided 3',
            'reopened 4',
            'cancelled 5',
          ],
        ])
        const { position, ...row } = rows.at(-1)!
        assert.ok(position.length <= 40)
        const place = { tenantId: store.tenantId, threadId: 't', subject: 'request', id: requestId(1) }
        assert.deepEqual(row, { ...place, what: 'cancelled', version: 5, at: last.at })
        assert.equal(rows[1]?.at, noted.at)
        assert.equal(rows[1]?.threadId, 't')
      }),
  },
  {
    name: 'grants are told when they are created and revoked, and not when they are spent',
    guarantee: 'O1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const { end } = await store.outbox()
        await accepted(store, giving('t', grantRow(1)))
        await accepted(store, spending('t', 1))
        const revoke = { op: 'revoke', entry: 0, id: grantId(1) } as const
        const { at } = await accepted(store, { threadId: 't', entries: [entry('revoke')], grants: [revoke] })
        const rows = await told(store, end, 2)
        assert.deepEqual(what(rows), ['created 0', 'revoked 0'])
        const { position: _, ...row } = rows[1]!
        const place = { tenantId: store.tenantId, threadId: 't', subject: 'grant', id: grantId(1) }
        assert.deepEqual(row, { ...place, what: 'revoked', version: 0, at })
      }),
  },
  {
    name: 'an append that is refused tells nothing, and one of several changes tells all of them',
    guarantee: 'O1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const { end } = await store.outbox()
        await refused(store, { ...opening('t', requestRow(1)), version: 3 }, 'version')
        await accepted(store, opening('t', requestRow(1)))
        await refused(store, change('t', 1, { from: 5, status: 'decided' }), 'request')
        await accepted(store, {
          threadId: 'u',
          entries: [entry(1), entry(2)],
          requests: [
            { op: 'open', entry: 0, row: requestRow(2) },
            { op: 'change', entry: 1, id: requestId(2), from: 1, status: 'superseded' },
            { op: 'open', entry: 1, row: requestRow(3) },
          ],
        })
        const rows = await told(store, end, 4)
        assert.deepEqual(
          rows.map((row) => [row.threadId, row.id, row.what]),
          [
            ['t', requestId(1), 'opened'],
            ['u', requestId(2), 'opened'],
            ['u', requestId(2), 'superseded'],
            ['u', requestId(3), 'opened'],
          ],
        )
      }),
  },
  {
    name: 'the outbox is of all tenants, from the view of any of them',
    guarantee: 'O1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const { end } = await store.outbox()
        await accepted(store.tenant('a'), opening('t', requestRow(1)))
        await accepted(store.tenant('b'), opening('t', requestRow(1)))
        const rows = await told(store.tenant('c'), end, 2)
        assert.deepEqual(
          rows.map(({ tenantId }) => tenantId),
          ['a', 'b'],
        )
      }),
  },
  {
    name: 'a reader that goes on from the end of a page gets every row once, while many write',
    guarantee: 'O2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const { end } = await store.outbox()
        const reading = told(store, end, [60, 7])
        const writing = Array.from({ length: 12 }, async (_, thread) => {
          for (let n = 0; n < 5; n++) await accepted(store, opening(`t${thread}`, requestRow(thread * 100 + n)))
        })
        await Promise.all(writing)
        const rows = await reading
        assert.equal(rows.length, 60)
        assert.equal(new Set(rows.map(({ id }) => id)).size, 60)
        assert.equal(new Set(rows.map(({ position }) => position)).size, 60)
        assert.deepEqual((await store.outbox({ after: rows.at(-1)!.position })).rows, [])
      }),
  },
  {
    name: 'a row that is shown late, because its transaction was slow, is not skipped by readers of any handle',
    guarantee: 'O2',
    run: (harness) =>
      onTwoHandles(harness, async (first, second) => {
        const { end } = await first.outbox()
        const reading = [told(first, end, [40, 1]), told(second, end, [40, 3])]
        const writing = Array.from({ length: 8 }, async (_, thread) => {
          for (let n = 0; n < 5; n++)
            await accepted(thread % 2 ? first : second, opening(`t${thread}`, requestRow(thread * 100 + n)))
        })
        await Promise.all(writing)
        const [one, other] = (await Promise.all(reading)).map((rows) => rows.map(({ id }) => id))
        assert.equal(new Set(one).size, 40)
        assert.deepEqual(other, one)
      }),
  },
  {
    name: 'the beginning is before the first row, and the end after the last',
    guarantee: 'O2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        assert.deepEqual((await store.outbox({ after: '' })).rows, [])
        await accepted(store, opening('t', requestRow(1)))
        await told(store, '', 1)
        const { rows, end, missed } = await store.outbox()
        assert.deepEqual([rows, missed], [[], false])
        await accepted(store, opening('t', requestRow(2)))
        assert.deepEqual(what(await told(store, end, 1)), ['opened 1'])
        assert.equal((await told(store, '', 2)).length, 2)
        for (const after of ['x', '-1', '1.2.3'])
          await assert.rejects(store.outbox({ after }), { code: 'input_invalid' }, after)
        for (const limit of [0, 1001, 1.5]) await assert.rejects(store.outbox({ limit }), { code: 'input_invalid' })
      }),
  },
  {
    name: 'the outbox of one tenant has its rows alone, in pages, and does not show how many others there are',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const [own, other] = [store.tenant('own'), store.tenant('other')]
        for (const n of [1, 2, 3]) {
          await accepted(own, opening('t', requestRow(n)))
          for (const m of [10, 20, 30]) await accepted(other, opening('t', requestRow(m + n)))
        }
        await told(store, '', 12)
        const ids: string[] = []
        let after = ''
        for (let pages = 0; pages < 3; pages++) {
          const page = await store.outbox({ tenantId: 'own', after, limit: 2 })
          assert.equal(page.missed, false)
          ids.push(...page.rows.map(({ id, tenantId }) => `${tenantId} ${id}`))
          after = page.end
        }
        assert.deepEqual(
          ids,
          [1, 2, 3].map((n) => `own ${requestId(n)}`),
        )
        assert.deepEqual((await store.outbox({ tenantId: 'nobody', after: '' })).rows, [])
      }),
  },
  {
    name: 'a position before rows that were deleted is said to have missed some, and no other',
    guarantee: 'O3',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, opening('t', requestRow(1)))
        await accepted(store, opening('t', requestRow(2)))
        const [first, second] = await told(store, '', 2)
        harness.clock.advance(10_000)
        await accepted(store, opening('t', requestRow(3)))
        const [third] = await told(store, second!.position, 1)
        await store.prune({ outboxMs: 20_000 })
        assert.equal((await store.outbox({ after: '' })).rows.length, 3)
        await store.prune({ outboxMs: 5000 })
        for (const after of ['', first!.position]) {
          const page = await store.outbox({ after })
          assert.equal(page.missed, true, `after ${JSON.stringify(after)}`)
          assert.deepEqual(page.rows, [third])
        }
        assert.deepEqual(await store.outbox({ after: second!.position }), {
          ...{ rows: [third], end: third!.position, missed: false },
        })
        harness.clock.advance(10_000)
        await store.prune({ outboxMs: 5000 })
        await accepted(store, opening('t', requestRow(4)))
        const [fourth] = await told(store, third!.position, 1)
        assert.equal(fourth?.id, requestId(4))
        assert.equal((await store.outbox({ after: first!.position })).missed, true)
      }),
  },
  {
    name: 'waiting for the outbox ends with a row, from any handle, or with the signal',
    guarantee: 'O1',
    run: (harness) =>
      onTwoHandles(harness, async (first, second) => {
        const { end } = await first.outbox()
        const stop = new AbortController()
        const stopped = first.outboxChanged({ after: end, signal: stop.signal })
        const waiting = [first, second].map((store) =>
          store.outboxChanged({ after: end, signal: new AbortController().signal }),
        )
        await accepted(first, { threadId: 't', entries: [entry(1)] })
        assert.equal(await isPending(Promise.race([...waiting, stopped])), true)
        stop.abort()
        await soon(stopped)
        await accepted(first, opening('t', requestRow(1)))
        await soon(Promise.all(waiting))
        await soon(first.outboxChanged({ after: end, signal: AbortSignal.abort() }))
      }),
  },
]
