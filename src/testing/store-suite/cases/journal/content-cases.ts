import assert from 'node:assert/strict'
import type { StoreCase } from '../../store-case.ts'
import { accepted, assertBodies, entry, onFreshStore, opening, requestId, requestRow } from '../../tools.ts'

const TEXTS: Readonly<Record<string, string>> = {
  'letters of many scripts': JSON.stringify({ text: 'Grüße, 你好, привет, שלום, नमस्ते' }),
  'line separators that JSON leaves bare': '{"text":"a\u2028b\u2029c"}',
  'emoji and what lies beyond the basic plane': '{"text":"👩‍👩‍👧‍👦 🏴󠁧󠁢󠁷󠁬󠁳󠁿 𝒳"}',
  'escapes that could be written otherwise': '{"text":"\\u0041\\u0000\\ud83d\\ude00\\/"}',
  'the same letter composed and decomposed': '{"a":"\u00e9","b":"e\u0301"}',
  'spaces, key order and numbers as they were written':
    ' { "b" : 1.0 , "a":1e400,"n":12345678901234567890, "a":2 }\r\n\t',
  'a byte order mark': '\ufeff{}',
  'quotes and wildcards of query languages': JSON.stringify({ text: `'; DROP TABLE x; -- " % _ \\ $1 ?1 :a` }),
  'control characters, which no JSON has': '\u001e1 {}\u001e\u0001\u001f \u001e',
  'no text at all': '',
  'a megabyte': JSON.stringify({ text: 'é☃'.repeat(200_000) }),
}

const ODD_IDS = ['a.b:c@d/e+f=g~h-i', 'T', 't', '__proto__', 'constructor', 'x'.repeat(200), '../..', '1', '1.0', '01']

/** Bodies, ids and times are returned as written. */
export const contentCases: readonly StoreCase[] = [
  ...Object.entries(TEXTS).map(
    ([what, body]): StoreCase => ({
      name: `bodies come back exactly: ${what}`,
      guarantee: 'S2',
      run: (harness) =>
        onFreshStore(harness, async (store) => {
          await accepted(store, {
            threadId: 't',
            entries: [entry('before'), body, entry('after')],
            requests: [{ op: 'open', entry: 1, row: requestRow(1) }],
          })
          await assertBodies(store, 't', [entry('before'), body, entry('after')])
          assert.equal((await store.readChain('t'))[1]?.body, body)
          assert.equal((await store.getRequest(requestId(1)))?.opened.body, body)
        }),
    }),
  ),
  {
    name: 'threads and requests with unusual ids are kept apart',
    guarantee: 'S3',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        for (const id of ODD_IDS) await accepted(store, opening(id, requestRow(0, { id, questionId: id, tool: id })))
        for (const id of ODD_IDS) {
          await assertBodies(store, id, [entry(`open ${id}`)])
          const request = await store.getRequest(id)
          assert.equal(request?.threadId, id)
          assert.equal(request.opened.body, entry(`open ${id}`))
          for (const query of [
            { threadId: id },
            { tool: id },
            { questionId: id },
            { tool: id, status: 'open' as const },
          ]) {
            assert.deepEqual(
              (await store.findRequests(query)).requests.map((found) => found.id),
              [id],
            )
          }
        }
      }),
  },
  {
    name: 'later changes to the caller’s objects do not reach the store',
    guarantee: 'S2',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const row = requestRow(1, { tool: 'refund' })
        const entries = [entry(1)]
        await accepted(store, { threadId: 't', entries, requests: [{ op: 'open', entry: 0, row }] })
        entries[0] = entry('changed')
        row.tool = 'changed'
        const slice = await store.read('t')
        slice.entries[0]!.body = 'changed'
        slice.entries.push(slice.entries[0]!)
        const chain = await store.readChain('t')
        chain[0]!.hash.fill(0)
        chain[0]!.salt.fill(0)
        const found = await store.getRequest(requestId(1))
        found!.opened.body = 'changed'
        await assertBodies(store, 't', [entry(1)])
        assert.notDeepEqual(Uint8Array.from((await store.readChain('t'))[0]!.hash), new Uint8Array(32))
        assert.equal((await store.getRequest(requestId(1)))?.opened.body, entry(1))
        assert.equal((await store.findRequests({ tool: 'refund' })).requests.length, 1)
      }),
  },
  {
    name: 'times come from the clock of the store',
    guarantee: 'S5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const start = harness.clock.now()
        assert.equal((await accepted(store, { threadId: 't', entries: [entry(1)] })).at, start)
        harness.clock.advance(1234)
        assert.equal((await accepted(store, { threadId: 't', entries: [entry(2), entry(3)] })).at, start + 1234)
        harness.clock.advance(1)
        const slice = await store.read('t')
        assert.equal(slice.now, start + 1235)
        assert.deepEqual(
          slice.entries.map(({ at }) => at),
          [start, start + 1234, start + 1234],
        )
      }),
  },
  {
    name: 'an append has the same time wherever it is shown, even if the clock has fractions of a millisecond',
    guarantee: 'S5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const start = harness.clock.now()
        harness.clock.set(start + 0.123)
        try {
          const { at } = await accepted(store, { threadId: 't', entries: [entry(1)] })
          assert.equal((await store.read('t')).entries[0]?.at, at)
          assert.equal((await store.readChain('t'))[0]?.at, at)
        } finally {
          harness.clock.set(start)
        }
      }),
  },
  {
    name: 'time does not run backwards within a thread when the clock does',
    guarantee: 'S5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const start = harness.clock.now()
        await accepted(store, { threadId: 't', entries: [entry(1)] })
        harness.clock.set(start - 60_000)
        try {
          assert.equal((await accepted(store, { threadId: 't', entries: [entry(2)] })).at, start)
          const slice = await store.read('t')
          assert.deepEqual(
            slice.entries.map(({ at }) => at),
            [start, start],
          )
          assert.ok(slice.now >= start)
          const outcome = await store.append({ threadId: 't', entries: [], version: 99 })
          assert.ok(!outcome.ok && outcome.now >= start)
        } finally {
          harness.clock.set(start)
        }
      }),
  },
  {
    name: 'a clock that was a day ahead for one append does not stop the time of a thread',
    guarantee: 'S5',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const start = harness.clock.now()
        harness.clock.set(start + DAY_MS)
        try {
          await accepted(store, { threadId: 't', entries: [entry(1)] })
          harness.clock.set(start)
          assert.equal((await store.read('t')).now, start)
          const refused = await store.append({ threadId: 't', entries: [], version: 99 })
          assert.ok(!refused.ok && refused.now === start)
          assert.equal((await accepted(store, { threadId: 't', entries: [entry(2)] })).at, start)
          harness.clock.advance(1000)
          const slice = await store.read('t')
          assert.deepEqual([slice.now, slice.entries.map(({ at }) => at)], [start + 1000, [start + DAY_MS, start]])
        } finally {
          harness.clock.set(start)
        }
      }),
  },
  {
    name: 'an entry above the size limit is refused with its whole append',
    guarantee: 'S1',
    run: (harness) =>
      onFreshStore(harness, async (store) => {
        const { limits } = store
        // Not every store has one.
        if (!limits) return
        const long = 'x'.repeat(limits.entryBytes + 1)
        const append = store.append({ threadId: 't', entries: [entry('before'), long] })
        await assert.rejects(append, { code: 'limit_exceeded', what: 'entryBytes', limit: limits.entryBytes })
        await assertBodies(store, 't', [])
        await accepted(store, { threadId: 't', entries: [entry('after')], version: 0 })
      }),
  },
]

const DAY_MS = 86_400_000
