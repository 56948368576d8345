import assert from 'node:assert/strict'
import type { ChainedEntry } from '../../../../ports/stored-entry.ts'
import { bodyHash, CHAIN_START, chainHash } from '../../../../protocol/chain/chain.ts'
import type { StoreCase } from '../../store-case.ts'
import { accepted, entry, onFreshStore } from '../../tools.ts'

/** The number of the first entry that does not follow from those before it. `undefined` if all do. */
function firstBroken(chain: readonly ChainedEntry[], tenant: string, threadId: string): number | undefined {
  let previous = CHAIN_START
  for (const [index, { seq, at, body, salt, hash }] of chain.entries()) {
    const link = chainHash({ tenant, threadId, seq, at }, previous, bodyHash(salt, body))
    if (seq !== index + 1 || Buffer.compare(link, hash) !== 0) return index + 1
    previous = hash
  }
  return undefined
}

/** The hash chain that auditors check. */
export const chainCases: readonly StoreCase[] = [
  {
    name: 'the chain of a thread verifies after several appends and reads',
    guarantee: 'S2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [entry(1), entry('é☃👩')] })
        const early = await store.readChain('t')
        assert.equal(firstBroken(early, 'default', 't'), undefined)
        harness.clock.advance(5)
        await accepted(store, { threadId: 't', entries: [entry(3)] })
        await accepted(store, { threadId: 't', entries: [] })
        await accepted(store, { threadId: 't', entries: [entry(4), entry(5)] })
        const chain = await store.readChain('t')
        assert.equal(chain.length, 5)
        assert.equal(firstBroken(chain, 'default', 't'), undefined)
        const { version, hash, mac } = await store.readHead('t')
        assert.deepEqual([version, Buffer.compare(hash, chain[4]!.hash), mac], [5, 0, null])
        assert.deepEqual(chain.slice(0, 2).map(plain), early.map(plain))
        assert.deepEqual(
          chain.map(({ seq, at, body }) => ({ seq, at, body })),
          (await store.read('t')).entries,
        )
      }),
  },
  {
    name: 'the chain shows a changed body, a changed time and a missing entry',
    guarantee: 'S2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: [1, 2, 3].map(entry) })
        const chain = await store.readChain('t')
        const [first, second, third] = chain as [ChainedEntry, ChainedEntry, ChainedEntry]
        assert.equal(firstBroken([first, { ...second, body: entry('forged') }, third], 'default', 't'), 2)
        assert.equal(firstBroken([{ ...first, at: first.at + 1 }, second, third], 'default', 't'), 1)
        assert.equal(firstBroken([first, { ...third, seq: 2 }], 'default', 't'), 2)
        assert.equal(firstBroken(chain, 'default', 'another thread'), 1)
      }),
  },
  {
    name: 'equal bodies have different salts and hashes',
    guarantee: 'S2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        await accepted(store, { threadId: 't', entries: Array(300).fill(entry(1)) })
        const chain = await store.readChain('t')
        assert.equal(new Set(chain.map(({ salt }) => Buffer.from(salt).toString('hex'))).size, 300)
        assert.equal(new Set(chain.map(({ hash }) => Buffer.from(hash).toString('hex'))).size, 300)
        assert.ok(chain.every(({ salt, hash }) => salt.length === 16 && hash.length === 32))
      }),
  },
  {
    name: 'the chain is bound to the tenant',
    guarantee: 'S6',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const other = store.tenant('other')
        await accepted(other, { threadId: 't', entries: [entry(1), entry(2)] })
        const chain = await other.readChain('t')
        assert.equal(firstBroken(chain, 'other', 't'), undefined)
        assert.equal(firstBroken(chain, 'default', 't'), 1)
      }),
  },
]

function plain({ seq, at, body, salt, hash }: ChainedEntry) {
  return { seq, at, body, salt: Buffer.from(salt).toString('hex'), hash: Buffer.from(hash).toString('hex') }
}
