import { describe, expect, it } from 'vitest'
import { bodyHash, CHAIN_START, chainHash } from '../../../src/protocol/chain/chain.ts'
import { entry } from '../../../src/testing/store-suite/tools.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'
import { runChild, startChild } from '../child-process.ts'

const server = usePostgres()

/** A schema that is not there yet, as children take it. */
function freshPlace() {
  const { connectionString } = server.get()
  const schema = freshSchema()
  return { path: `${connectionString}#${schema}`, open: () => unsyncedPostgres({ connectionString, schema }) }
}

/** Insists that threads are numbered without gaps and chained. */
async function check({ open }: ReturnType<typeof freshPlace>, threadIds: readonly string[]): Promise<void> {
  const store = open()
  for (const threadId of threadIds) {
    let previous = CHAIN_START
    let seq = 0
    for (const link of await store.readChain(threadId)) {
      const header = { tenant: 'default', threadId, seq: ++seq, at: link.at }
      expect(link.seq).toBe(seq)
      expect(Buffer.compare(chainHash(header, previous, bodyHash(link.salt, link.body)), link.hash)).toBe(0)
      previous = link.hash
    }
    expect((await store.read(threadId)).version).toBe(seq)
  }
  await store.close()
}

const FINE = { code: 0, errors: '' }

describe('several processes on one Postgres store', () => {
  it('that make the same thread at once are told of the thread, not of its requests', async () => {
    const { open } = freshPlace()
    const stores = Array.from({ length: 6 }, open)
    for (let round = 0; round < 30; round++) {
      const request = { id: `r${round}`, questionId: 'q', kind: 'approve', agent: 'a', tool: 't' } as const
      const row = { ...request, assignee: null, expiresAt: null, readers: null, lists: null, risk: null, text: '' }
      const append = {
        threadId: `t${round}`,
        version: 0,
        entries: [entry(1)],
        requests: [{ op: 'open', entry: 0, row }],
      } as const
      const outcomes = await Promise.all(stores.map((store) => store.append(append)))
      const kinds = outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.conflict.kind)).sort()
      expect(kinds).toEqual(['ok', 'version', 'version', 'version', 'version', 'version'])
    }
    await Promise.all(stores.map((store) => store.close()))
  })

  it('make the schema together and lose nothing of each other', async () => {
    const place = freshPlace()
    const names = ['a', 'b', 'c', 'd']
    const children = await Promise.all(names.map((name) => runChild('writer', { path: place.path, name, count: 40 })))
    for (const child of children) expect(child).toMatchObject(FINE)
    const store = place.open()
    for (const name of names) expect((await store.read(name)).version).toBe(120)
    await store.close()
    await check(place, names)
  })

  it.each(['shared', 'counter'])('number one thread without gaps (%s)', async (mode) => {
    const place = freshPlace()
    const children = await Promise.all(
      ['a', 'b', 'c'].map((name) => runChild('writer', { path: place.path, name, count: 20, mode })),
    )
    for (const child of children) expect(child).toMatchObject(FINE)
    const versions = children.flatMap(({ lines }) => lines.map(({ version }) => version as number))
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, n) => 3 * (n + 1)))
    await check(place, [mode])
  })

  it('wake each other’s waiters, and stay alive while they wait', async () => {
    const { path, open } = freshPlace()
    const store = open()
    await store.append({ threadId: 't', entries: [entry(1)] })
    const child = startChild('waiter', { path, threadId: 't', after: 1 })
    await child.firstLine
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(child.process.exitCode).toBe(null)
    await store.append({ threadId: 't', entries: [entry(2)] })
    expect(await child.done).toMatchObject({ ...FINE, lines: [{ seen: 1 }, { seen: 2 }] })
    await store.close()
  })

  it('that have waited live to see their store closed', async () => {
    const { path, open } = freshPlace()
    const store = open()
    await store.append({ threadId: 't', entries: [entry(1)] })
    const child = startChild('waiter', { path, threadId: 't', after: 1, close: true })
    await child.firstLine
    // Long enough for it to listen.
    await new Promise((resolve) => setTimeout(resolve, 300))
    await store.append({ threadId: 't', entries: [entry(2)] })
    expect(await child.done).toMatchObject({ ...FINE, lines: [{ seen: 1 }, { seen: 2 }, { closed: true }] })
    await store.close()
  })

  it('end by themselves when they forget to close the store, and lose nothing', async () => {
    const place = freshPlace()
    const child = await runChild('writer', { path: place.path, name: 'a', count: 5, close: false })
    expect(child).toMatchObject(FINE)
    expect(child.lines).toHaveLength(5)
    await check(place, ['a'])
  })
})

describe('a process that is killed', () => {
  const points = ['store.append.begun', 'store.append.written', 'store.append.committed']
  for (const point of points) {
    for (const nth of [1, 2, 20]) {
      it(`at ${point} for time ${nth} leaves all of that append or nothing, and all before`, async () => {
        const place = freshPlace()
        const work = { path: place.path, name: 'a', count: 30, crash: { point, nth } }
        const { signal, lines } = await runChild('writer', work)
        expect(signal).toBe('SIGKILL')
        expect(lines).toHaveLength(nth - 1)
        const store = place.open()
        // What was sent is being done, although nobody waits for it.
        if (point === 'store.append.written') await new Promise((resolve) => setTimeout(resolve, 100))
        const { version } = await store.read('a')
        const allowed = { begun: [nth - 1], written: [nth - 1, nth], committed: [nth] }[point.slice(13)]
        expect(allowed?.map((appends) => 3 * appends)).toContain(version)
        expect((await store.findRequests({ agent: 'a' })).requests).toHaveLength(version / 3)
        const next = await store.append({ threadId: 'a', entries: [entry('next')], version })
        expect(next).toMatchObject({ ok: true, version: version + 1 })
        await store.close()
        await check(place, ['a'])
      })
    }
  }
})
