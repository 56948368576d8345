import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Store } from '../../../../ports/store.ts'
import { bodyHash } from '../../../../protocol/chain/chain.ts'
import type { HarnessOptions, StoreCase, StoreHarness, Tampering } from '../../store-case.ts'
import {
  accepted,
  entry,
  giving,
  grantId,
  grantRow,
  onFreshStore,
  opening,
  requestId,
  requestRow,
} from '../../tools.ts'

const KEY = { id: 'k1', secret: 'a secret for tests' }
const NEWER = { id: 'k2', secret: 'another secret for tests' }

/** Changes rows behind the store's back. */
function tamper(harness: StoreHarness, store: Store, tampering: Tampering): Promise<void> {
  if (!harness.tamper)
    throw new Error('this harness has no tamper(): skip the case with a reason if nobody else can reach the data')
  return harness.tamper(store, tampering)
}

/** Reopens the same data, so that nothing is cached. */
function again(harness: StoreHarness, store: Store, options?: HarnessOptions): Promise<Store> {
  if (!harness.reopen)
    throw new Error('this harness has no reopen(): skip the case with a reason if the store is not durable')
  return harness.reopen(store, options)
}

async function assertCorrupt(work: Promise<unknown>, where: { threadId: string; seq?: number }): Promise<void> {
  const outcome = await work.then(
    () => 'nothing',
    (error) => error,
  )
  assert.equal(outcome?.code, 'store_corrupt', `noticed: ${String(outcome)}`)
  assert.equal(outcome.threadId, where.threadId)
  if (where.seq !== undefined) assert.equal(outcome.seq, where.seq)
}

/** Each with the number of the first entry that differs from what was written. */
const TAMPERINGS: readonly (readonly [string, Tampering, number])[] = [
  ['missing', { threadId: 't', op: 'delete', seq: 3 }, 3],
  ['missing at the end', { threadId: 't', op: 'delete', seq: 5 }, 5],
  ['emptied', { threadId: 't', op: 'body', seq: 2, body: '' }, 2],
  ['not JSON any more', { threadId: 't', op: 'body', seq: 2, body: '{' }, 2],
  ['replaced', { threadId: 't', op: 'body', seq: 4, body: entry('forged') }, 4],
  ['of another time', { threadId: 't', op: 'time', seq: 1 }, 1],
  ['reordered', { threadId: 't', op: 'swap', seqs: [2, 4] }, 2],
]

const onLoad: readonly StoreCase[] = TAMPERINGS.map(([what, tampering, seq]) => ({
  name: `an entry that is ${what} is detected when the thread is read`,
  guarantee: 'S7',
  run: (harness) =>
    onFreshStore(harness, async (store) => {
      await accepted(store, { threadId: 't', entries: [1, 2, 3].map(entry) })
      await accepted(store, { threadId: 't', entries: [4, 5].map(entry) })
      await accepted(store, { threadId: 'u', entries: [entry('another')] })
      await tamper(harness, store, tampering)
      await assertCorrupt(store.read('t'), { threadId: 't', seq })
      if (seq > 1) await assertCorrupt(store.read('t', { after: seq - 1 }), { threadId: 't', seq })
      await assertCorrupt(store.readBack('t', { before: seq + 1, limit: 2 }), { threadId: 't', seq })
      assert.equal((await store.read('u')).version, 1)
    }),
}))

/** Tampering by a person with database access. */
export const tamperCases: readonly StoreCase[] = [
  ...onLoad,
  {
    name: 'missing or changed entries of a request or a grant are detected, not skipped',
    guarantee: 'S7',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [entry(1)] })
        await accepted(store, opening('t', requestRow(1)))
        await accepted(store, giving('t', grantRow(1)))
        await tamper(harness, store, { threadId: 't', op: 'body', seq: 2, body: entry('forged') })
        await assertCorrupt(store.getRequest(requestId(1)), { threadId: 't', seq: 2 })
        await assertCorrupt(store.findRequests({ status: 'open' }), { threadId: 't' })
        await tamper(harness, store, { threadId: 't', op: 'delete', seq: 2 })
        await assertCorrupt(store.getRequest(requestId(1)), { threadId: 't', seq: 2 })
        await assertCorrupt(store.findRequests({ threadId: 't' }), { threadId: 't' })
        await tamper(harness, store, { threadId: 't', op: 'delete', seq: 3 })
        await assertCorrupt(store.findGrants({ id: grantId(1) }), { threadId: 't', seq: 3 })
      }),
  },
  {
    name: 'a body that an erased entry accounts for is read, and the chain verifies',
    guarantee: 'S7',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, opening('t', requestRow(1)))
        await accepted(store, { threadId: 't', entries: [entry('with a name in it')] })
        const [first, second] = await store.readChain('t')
        const salt = new Uint8Array(randomBytes(16))
        const hashes = ({ salt, body }: { salt: Uint8Array; body: string }) =>
          Buffer.from(bodyHash(salt, body), 'latin1').toString('hex')
        const erasing = (seq: number, was: { salt: Uint8Array; body: string }) =>
          JSON.stringify({
            v: 1,
            type: 'erased',
            entry: seq,
            was: hashes(was),
            now: hashes({ salt, body: entry('erased') }),
            by: { kind: 'person', id: 'ann' },
            reason: 'asked to',
          })
        await accepted(store, { threadId: 't', entries: [erasing(1, first!), erasing(2, second!)] })
        for (const seq of [1, 2])
          await tamper(harness, store, { threadId: 't', op: 'body', seq, body: entry('erased'), salt })
        const { entries } = await store.read('t')
        assert.deepEqual(
          entries.slice(0, 2).map(({ body }) => body),
          [entry('erased'), entry('erased')],
        )
        assert.deepEqual((await store.readBack('t', { before: 3, limit: 1 })).entries, entries.slice(1, 2))
        assert.equal((await store.getRequest(requestId(1)))?.opened.body, entry('erased'))
        await tamper(harness, store, { threadId: 't', op: 'body', seq: 2, body: entry('forged'), salt })
        await assertCorrupt(store.read('t'), { threadId: 't', seq: 2 })
      }),
  },
  {
    name: 'with an audit key a truncated chain is detected, and nothing is appended to it',
    guarantee: 'S7',
    run: (harness) =>
      onFreshStore(
        harness,
        async (store) => {
          await accepted(store, { threadId: 't', entries: [1, 2, 3].map(entry) })
          await accepted(store, { threadId: 't', entries: [entry(4)] })
          assert.equal((await store.readHead('t')).mac?.key, KEY.id)
          await tamper(harness, store, { threadId: 't', op: 'cut', version: 2 })
          await withAgain({ harness, store }, { auditKey: KEY }, async (reopened) => {
            await assertCorrupt(reopened.read('t'), { threadId: 't' })
            await assertCorrupt(reopened.readBack('t', { before: 2, limit: 1 }), { threadId: 't' })
            await assertCorrupt(reopened.append({ threadId: 't', entries: [entry('more')] }), { threadId: 't' })
            assert.equal((await reopened.readHead('t')).version, 2)
          })
        },
        { auditKey: KEY },
      ),
  },
  {
    name: 'with an audit key an unsigned thread is refused until it is signed explicitly',
    guarantee: 'S7',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [1, 2].map(entry) })
        await withAgain({ harness, store }, { auditKey: KEY }, async (keyed) => {
          await assertCorrupt(keyed.read('t'), { threadId: 't' })
          await assertCorrupt(keyed.append({ threadId: 't', entries: [entry(3)] }), { threadId: 't' })
          const { version, hash } = await keyed.readHead('t')
          const stale = await keyed.append({ threadId: 't', entries: [], version, sign: new Uint8Array(32) })
          assert.equal(stale.ok, false)
          await accepted(keyed, { threadId: 't', entries: [], version, sign: hash })
          await accepted(keyed, { threadId: 't', entries: [entry(3)] })
          assert.equal((await keyed.read('t')).version, 3)
          await tamper(harness, keyed, { threadId: 't', op: 'unsign' })
        })
        await withAgain({ harness, store }, { auditKey: KEY }, (keyed) =>
          assertCorrupt(keyed.read('t'), { threadId: 't' }),
        )
      }),
  },
  {
    name: 'only a store with the key can append to a signed thread; older keys still verify',
    guarantee: 'S7',
    run: (harness) =>
      onFreshStore(
        harness,
        async (store) => {
          await accepted(store, { threadId: 't', entries: [entry(1)] })
          await withAgain({ harness, store }, {}, async (unkeyed) => {
            assert.equal((await unkeyed.read('t')).version, 1)
            await assert.rejects(unkeyed.append({ threadId: 't', entries: [entry(2)] }), { code: 'audit_key_missing' })
          })
          await withAgain({ harness, store }, { auditKey: NEWER }, (other) =>
            Promise.all([
              assert.rejects(other.read('t'), { code: 'audit_key_missing' }),
              assert.rejects(other.readBack('t'), { code: 'audit_key_missing' }),
            ]).then(() => undefined),
          )
          await withAgain({ harness, store }, { auditKey: [NEWER, KEY] }, async (rotated) => {
            assert.equal((await rotated.read('t')).version, 1)
            await accepted(rotated, { threadId: 't', entries: [entry(2)] })
            assert.equal((await rotated.readHead('t')).mac?.key, NEWER.id)
          })
          await assert.rejects(store.read('t'), { code: 'audit_key_missing' })
          await assert.rejects(store.append({ threadId: 't', entries: [entry(3)] }), { code: 'audit_key_missing' })
        },
        { auditKey: KEY },
      ),
  },
]

async function withAgain(
  { harness, store }: { harness: StoreHarness; store: Store },
  options: HarnessOptions,
  check: (store: Store) => Promise<void>,
): Promise<void> {
  const reopened = await again(harness, store, options)
  try {
    await check(reopened)
  } finally {
    await reopened.close()
  }
}
