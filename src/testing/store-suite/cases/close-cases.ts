import assert from 'node:assert/strict'
import type { Store } from '../../../ports/store.ts'
import { HoldpointError } from '../../../protocol/errors/errors.ts'
import type { StoreCase } from '../store-case.ts'
import { accepted, entry, onFreshStore, requestId, soon } from '../tools.ts'

const CALLS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  append: (store) => store.append({ threadId: 't', entries: [entry(1)] }),
  read: (store) => store.read('t'),
  readBack: (store) => store.readBack('t'),
  readChain: (store) => store.readChain('t'),
  getRequest: (store) => store.getRequest(requestId(1)),
  findRequests: (store) => store.findRequests({}),
  countRequests: (store) => store.countRequests({}),
  threadsOf: (store) => store.threadsOf({}),
  due: (store) => store.due(),
  ready: (store) => store.ready(),
  threads: (store) => store.threads(),
  findGrants: (store) => store.findGrants({}),
  renewLease: (store) => store.renewLease('t', { holder: 'a', token: 1, ttlMs: 1 }),
  writeRecords: (store) => store.writeRecords([{ op: 'put', kind: 'k', id: 'a', value: '1' }]),
  readRecord: (store) => store.readRecord('k', 'a'),
  readRecords: (store) => store.readRecords('k', ['a']),
  findRecords: (store) => store.findRecords({ kind: 'k' }),
  outbox: (store) => store.outbox(),
  outboxChanged: (store) => store.outboxChanged({ after: '', signal: new AbortController().signal }),
  scrub: (store) => store.scrub(),
  prune: (store) => store.prune({ outboxMs: 1 }),
  changed: (store) => store.changed('t', { after: 0, signal: new AbortController().signal }),
}

/** Closing a store. */
export const closeCases: readonly StoreCase[] = [
  {
    name: 'closing waits for appends that were begun',
    guarantee: 'G1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const appends = Array.from({ length: 10 }, (_, n) => store.append({ threadId: 't', entries: [entry(n)] }))
        await soon(store.close())
        for (const [n, outcome] of (await soon(Promise.all(appends))).entries()) {
          assert.ok(outcome.ok && outcome.version === n + 1)
        }
      }),
  },
  {
    name: 'every call on every view of a closed store fails with StoreClosed, and closing it again does nothing',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const view = store.tenant('other')
        await accepted(store, { threadId: 't', entries: [entry(1)] })
        await store.close()
        await store.close()
        for (const handle of [store, view, store.tenant('new')]) {
          for (const [name, call] of Object.entries(CALLS)) {
            await assert.rejects(soon(call(handle)), { code: 'store_closed' }, `${name} of ${handle.tenantId}`)
          }
        }
      }),
  },
  {
    name: 'a store that was never used can be closed',
    guarantee: 'S4',
    run: (harness) => onFreshStore(harness, (store) => soon(store.close())),
  },
  {
    name: 'waiters are rejected when the store is closed',
    guarantee: 'S4',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [entry(1)] })
        const waiting = store.changed('t', { after: 1, signal: new AbortController().signal }).catch((error) => error)
        const { end } = await store.outbox()
        const listening = store.outboxChanged({ after: end, signal: new AbortController().signal }).catch((e) => e)
        await new Promise((resolve) => setTimeout(resolve, 20))
        await store.close()
        for (const error of await soon(Promise.all([waiting, listening])))
          assert.ok(HoldpointError.isInstance(error) && error.code === 'store_closed', String(error))
      }),
  },
]
