import assert from 'node:assert/strict'
import type { Append, Store } from '../../../../ports/store.ts'
import type { ReadyThread } from '../../../../ports/store-lists.ts'
import type { WakeChange } from '../../../../ports/wake.ts'
import type { StoreCase } from '../../store-case.ts'
import { accepted, entry, onFreshStore, onTwoHandles, refused } from '../../tools.ts'

/** An append that changes a wake mark. */
function marking(threadId: string, wake: WakeChange, more: Partial<Append> = {}): Append {
  return { threadId, entries: [entry('mark')], wake, ...more }
}

const by = (inMs: number): WakeChange => ({ op: 'by', inMs })

/** Sets the mark of a thread at its present version. */
async function setMark(store: Store, threadId: string, wake: Extract<WakeChange, { op: 'set' }>): Promise<void> {
  const { version } = await store.read(threadId)
  await accepted(store, { threadId, entries: [], version, wake })
}

/** A thread as `ready` returns it. */
function found(store: Store, threadId: string, mark: { at: number } & Partial<ReadyThread>): ReadyThread {
  return { tenantId: store.tenantId, threadId, tries: 0, agent: null, agentVersion: null, ...mark }
}

const NONE = { at: null, tries: 0, agent: null, agentVersion: null }

/** Wake marks: which threads must be driven, and when. */
export const wakeCases: readonly StoreCase[] = [
  {
    name: 'a thread has no wake mark until an append gives it one',
    guarantee: 'W1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const now = harness.clock.now()
        assert.deepEqual((await store.read('t')).wake, NONE)
        await accepted(store, { threadId: 't', entries: [entry(1)] })
        assert.deepEqual((await store.read('t')).wake, NONE)
        assert.deepEqual(await store.ready(), { threads: [], nextAt: null, now })
        await accepted(store, marking('t', by(0)))
        assert.deepEqual((await store.read('t')).wake, { ...NONE, at: now })
        await accepted(store, { threadId: 't', entries: [entry(2)] })
        assert.deepEqual((await store.read('t')).wake, { ...NONE, at: now })
        assert.deepEqual(await store.ready(), { threads: [found(store, 't', { at: now })], nextAt: null, now })
      }),
  },
  {
    name: 'a wake mark comes earlier by `by`, never later, and is replaced by `set`',
    guarantee: 'W1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const now = harness.clock.now()
        const mark = async () => (await store.read('t')).wake
        await accepted(store, marking('t', by(1000)))
        harness.clock.advance(100)
        await accepted(store, marking('t', by(2000)))
        assert.deepEqual(await mark(), { ...NONE, at: now + 1000 })
        await accepted(store, marking('t', by(500)))
        assert.deepEqual(await mark(), { ...NONE, at: now + 600 })
        await setMark(store, 't', { op: 'set', at: now + 9000, tries: 3 })
        assert.deepEqual(await mark(), { ...NONE, at: now + 9000, tries: 3 })
        await accepted(store, marking('t', by(0)))
        assert.deepEqual(await mark(), { ...NONE, at: now + 100, tries: 3 })
        await setMark(store, 't', { op: 'set', at: null })
        assert.deepEqual(await mark(), NONE)
      }),
  },
  {
    name: 'a refused append leaves the wake mark as it was',
    guarantee: 'W1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await refused(store, marking('t', by(0), { version: 5 }), 'version')
        assert.deepEqual((await store.ready()).threads, [])
        await accepted(store, marking('t', by(0)))
        await refused(store, marking('t', { op: 'set', at: null }, { version: 0 }), 'version')
        await refused(store, marking('t', by(0), { run: { agent: 'a', version: null }, version: 0 }), 'version')
        assert.deepEqual((await store.read('t')).wake, { ...NONE, at: harness.clock.now() })
      }),
  },
  {
    name: 'the agent of the latest run is kept with the thread until another run opens',
    guarantee: 'W1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const at = harness.clock.now()
        await accepted(store, marking('t', by(0), { run: { agent: 'support', version: '1.2' } }))
        const mark = { at, tries: 0, agent: 'support', agentVersion: '1.2' }
        assert.deepEqual((await store.ready()).threads, [found(store, 't', mark)])
        await setMark(store, 't', { op: 'set', at: null })
        assert.deepEqual((await store.read('t')).wake, { ...mark, at: null })
        await accepted(store, { threadId: 't', entries: [entry(2)], run: { agent: 'billing', version: null } })
        assert.deepEqual((await store.read('t')).wake, { ...NONE, agent: 'billing' })
      }),
  },
  {
    name: 'a thread is ready from its wake time on, by the clock of the store, and the next wake time is returned',
    guarantee: 'W2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const now = harness.clock.now()
        await accepted(store, marking('late', by(2000)))
        await accepted(store, marking('soon', by(1000)))
        const soon = found(store, 'soon', { at: now + 1000 })
        harness.clock.advance(999)
        assert.deepEqual(await store.ready(), { threads: [], nextAt: now + 1000, now: now + 999 })
        harness.clock.advance(1)
        assert.deepEqual(await store.ready({}), { threads: [soon], nextAt: now + 2000, now: now + 1000 })
        harness.clock.advance(1000)
        const late = found(store, 'late', { at: now + 2000 })
        assert.deepEqual(await store.ready(), { threads: [soon, late], nextAt: null, now: now + 2000 })
      }),
  },
  {
    name: 'a thread is not ready while its lease is held, and is again once the lease was dropped or has expired',
    guarantee: 'W2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const ready = async () => (await store.ready()).threads.map(({ threadId }) => threadId)
        const { lease } = await accepted(
          store,
          marking('t', by(0), { lease: { op: 'take', holder: 'a', ttlMs: 1000 } }),
        )
        assert.deepEqual(await ready(), [])
        harness.clock.advance(999)
        assert.deepEqual(await ready(), [])
        harness.clock.advance(1)
        assert.deepEqual(await ready(), ['t'])
        const taken = await accepted(store, {
          threadId: 't',
          entries: [],
          lease: { op: 'take', holder: 'b', ttlMs: 1000 },
        })
        assert.deepEqual(await ready(), [])
        await accepted(store, { threadId: 't', entries: [], lease: { op: 'drop', holder: 'a', token: lease!.token } })
        assert.deepEqual(await ready(), [])
        const { holder, token } = taken.lease!
        await accepted(store, { threadId: 't', entries: [], lease: { op: 'drop', holder, token } })
        assert.deepEqual(await ready(), ['t'])
      }),
  },
  {
    name: 'a lease that a clock far ahead gave does not hide a thread that must be driven',
    guarantee: 'W2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const now = harness.clock.now()
        await accepted(store, marking('t', { op: 'by', inMs: 0 }))
        harness.clock.advance(3_600_000)
        await accepted(store, { threadId: 't', entries: [], lease: { op: 'take', holder: 'a', ttlMs: 30_000 } })
        harness.clock.set(now)
        assert.deepEqual((await store.ready()).threads, [found(store, 't', { at: now })])
      }),
  },
  {
    name: 'threads of all tenants are found ready from the view of any tenant, in pages, longest due first',
    guarantee: 'W2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const at = harness.clock.now()
        const all: ReadyThread[] = []
        for (const [tenant, threadId, inMs] of ORDERED) {
          const view = tenant === '' ? store : store.tenant(tenant)
          await accepted(view, marking(threadId, by(inMs)))
          all.push(found(view, threadId, { at: at + inMs }))
        }
        await accepted(store, marking('later', by(60)))
        harness.clock.advance(50)
        for (const view of [store, store.tenant('a'), store.tenant('nobody’s')]) {
          assert.deepEqual(await view.ready(), { threads: all, nextAt: at + 60, now: at + 50 })
        }
        const seen: ReadyThread[] = []
        for (;;) {
          const after = seen.at(-1)
          const page = await store.ready({ limit: 2, ...(after ? { after } : {}) })
          assert.ok(page.threads.length <= 2)
          assert.equal(page.nextAt, at + 60)
          if (page.threads.length === 0) break
          seen.push(...page.threads)
        }
        assert.deepEqual(seen, all)
        for (const limit of [0, 501, 1.5]) await assert.rejects(store.ready({ limit }), { code: 'input_invalid' })
      }),
  },
  {
    name: 'an append that tells of its thread adds a row to the outbox, and others do not',
    guarantee: 'O1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const { end } = await store.outbox()
        await accepted(store, marking('t', by(0)))
        await setMark(store, 't', { op: 'set', at: null })
        const append = marking('t', { op: 'by', inMs: 0, tell: true })
        await refused(store, { ...append, version: 0 }, 'version')
        const { at } = await accepted(store, append)
        const { rows } = await store.outbox({ after: end })
        const row = {
          tenantId: store.tenantId,
          threadId: 't',
          subject: 'thread',
          id: 't',
          what: 'ready',
          version: 0,
          at,
        }
        assert.deepEqual(rows, [{ position: rows[0]?.position, ...row }])
      }),
  },
  {
    name: 'an append is refused before its time, by the clock of the store, and changes nothing',
    guarantee: 'W3',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const now = harness.clock.now()
        const append = marking('t', by(0), { notBefore: now + 1000, lease: { op: 'take', holder: 'a', ttlMs: 10_000 } })
        harness.clock.advance(999)
        assert.deepEqual(await store.append(append), {
          ok: false,
          conflict: { kind: 'time', at: now + 1000 },
          now: now + 999,
        })
        assert.deepEqual((await store.ready()).threads, [])
        const { version, lease } = await store.read('t')
        assert.deepEqual({ version, lease }, { version: 0, lease: null })
        harness.clock.advance(1)
        await accepted(store, append)
        await refused(store, { ...append, notBefore: now + 9000 }, 'lease')
        await refused(store, { threadId: 't', entries: [entry(2)], version: 0, notBefore: now + 9000 }, 'version')
        await accepted(store, { threadId: 't', entries: [entry(2)], notBefore: now })
      }),
  },
  {
    name: 'a wake mark that no store could keep is refused',
    guarantee: 'W1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const bad: unknown[] = [
          { wake: { op: 'by', inMs: -1 } },
          { wake: { op: 'by', inMs: 1.5 } },
          { wake: { op: 'by', inMs: Number.MAX_SAFE_INTEGER } },
          { wake: { op: 'by', inMs: 0, tell: true }, entries: [] },
          { wake: { op: 'set', at: 1 } },
          { wake: { op: 'set', at: 0.5 }, version: 0 },
          { wake: { op: 'set', at: 1, tries: -1 }, version: 0 },
          { wake: { op: 'at', at: 1 }, version: 0 },
          { run: { agent: '', version: null } },
          { run: { agent: 'a', version: 1 } },
          { notBefore: Number.NaN },
        ]
        for (const more of bad) {
          const append = { threadId: 't', entries: [entry(1)], ...(more as Partial<Append>) }
          await assert.rejects(store.append(append), { code: 'input_invalid' }, JSON.stringify(more))
        }
        assert.equal((await store.read('t')).version, 0)
      }),
  },
  {
    name: 'another handle sees the wake mark at once, and its own changes are seen',
    guarantee: 'W1',
    run: (harness) =>
      onTwoHandles(harness, async (first, second) => {
        const at = harness.clock.now()
        await accepted(first, marking('t', by(0), { run: { agent: 'support', version: '2' } }))
        assert.deepEqual((await second.ready()).threads, [
          found(second, 't', { at, agent: 'support', agentVersion: '2' }),
        ])
        await setMark(second, 't', { op: 'set', at: at + 5, tries: 1 })
        await accepted(first, marking('t', by(9)))
        assert.deepEqual((await first.read('t')).wake, { at: at + 5, tries: 1, agent: 'support', agentVersion: '2' })
        assert.deepEqual(await first.ready(), { threads: [], nextAt: at + 5, now: at })
      }),
  },
]

/** Tenant, thread and delay, in the order in which they become ready. */
const ORDERED: readonly (readonly [string, string, number])[] = [
  ['b', 'first', 0],
  ['a', 'x', 10],
  ['a', 'y', 10],
  ['b', 'a', 10],
  ['', 'a', 10],
  ['a', 'z', 50],
]
