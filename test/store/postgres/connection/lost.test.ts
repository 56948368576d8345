import { inspect } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Append, Lease, LeaseClaim, Store } from '../../../../src/ports/store.ts'
import { bodyHash, CHAIN_START, chainHash } from '../../../../src/protocol/chain/chain.ts'
import { entry, requestId, requestRow, soon } from '../../../../src/testing/store-suite/tools.ts'
import type { Cut, TcpProxy } from '../../../support/servers/tcp-proxy.ts'
import { usePostgres } from '../../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../../support/stores/unsynced-postgres.ts'
import { openCutStores } from './cut-stores.ts'

const server = usePostgres()
let proxy: TcpProxy
let store: Store
/** Another process, with connections that nobody cuts. */
let other: Store
let admin: pg.Client
let schema = ''
let address = ''

beforeAll(async () => {
  admin = new pg.Client(server.get().connectionString)
  admin.on('error', () => undefined)
  await admin.connect()
})
afterAll(() => admin.end())
beforeEach(async () => {
  const opened = await openCutStores(server.get())
  ;({ store, other, proxy, schema, address } = opened)
  await store.append({ threadId: 't', entries: [entry(1)] })
  return opened.close
})

const cuts: Cut[] = ['before-server', 'before-answer', 'late']

async function bodies(threadId = 't'): Promise<string[]> {
  return (await other.read(threadId)).entries.map(({ body }) => body)
}

async function expectChained(threadId: string): Promise<void> {
  let previous = CHAIN_START
  for (const [index, link] of (await other.readChain(threadId)).entries()) {
    const header = { tenant: 'default', threadId, seq: index + 1, at: link.at }
    expect(link.seq).toBe(index + 1)
    expect(Buffer.compare(chainHash(header, previous, bodyHash(link.salt, link.body)), link.hash)).toBe(0)
    previous = link.hash
  }
}

describe.each(cuts)('a connection that is lost in the middle of an append (%s)', (cut) => {
  it('leaves the append stored once, and acknowledged', async () => {
    const lost = proxy.cutAt('the one', cut)
    const outcome = await soon(
      store.append({
        threadId: 't',
        entries: [entry('the one'), entry('and more')],
        version: 1,
        requests: [{ op: 'open', entry: 1, row: requestRow(1) }],
      }),
    )
    await lost.happened
    expect(outcome).toMatchObject({ ok: true, version: 3 })
    await lost.letThrough()
    expect(await bodies()).toEqual([entry(1), entry('the one'), entry('and more')])
    expect(await other.getRequest(requestId(1))).toMatchObject({ status: 'open', opened: { seq: 3 } })
    if (outcome.ok) expect((await other.read('t')).entries[2]?.at).toBe(outcome.at)
    expect(outcome).toMatchObject({ head: (await other.read('t', { after: 3 })).follows })
    await expectChained('t')
  })

  it('leaves the first append of a thread stored once', async () => {
    const lost = proxy.cutAt('the one', cut)
    const appends = [1, 2, 3].map((n) =>
      store.append({ threadId: 'new', entries: [entry(n === 1 ? 'the one' : n)], version: n - 1 }),
    )
    expect(await soon(Promise.all(appends))).toMatchObject([{ version: 1 }, { version: 2 }, { version: 3 }])
    await lost.letThrough()
    expect(await bodies('new')).toEqual([entry('the one'), entry(2), entry(3)])
    await expectChained('new')
  })

  it('gives the lease that was taken to who took it, and to nobody twice', async () => {
    const lost = proxy.cutAt('somebody in particular', cut)
    const taking: Append = {
      threadId: 't',
      entries: [],
      lease: { op: 'take', holder: 'somebody in particular', ttlMs: 30_000 },
    }
    const outcome = await soon(store.append(taking))
    await lost.letThrough()
    const { lease } = await other.read('t')
    expect(lease).toMatchObject({ holder: 'somebody in particular' })
    expect(outcome).toMatchObject({ ok: true, version: 1, lease: { token: lease!.token } })
    expect(await store.append(taking)).toMatchObject({ ok: false, conflict: { kind: 'lease' } })
    const dropping: Append = { threadId: 't', entries: [], lease: { op: 'hold', ...lease!, thenDrop: true } }
    const again = proxy.cutAt('"thread":"t"', cut)
    expect(await soon(store.append(dropping))).toMatchObject({ ok: true, lease: null })
    await again.happened
    await again.letThrough()
    expect((await other.read('t')).lease).toBe(null)
  })

  it('refuses what is refused', async () => {
    const lost = proxy.cutAt('the one', cut)
    const outcome = await soon(store.append({ threadId: 't', entries: [entry('the one')], version: 7 }))
    await lost.letThrough()
    expect(outcome).toMatchObject({ ok: false, conflict: { kind: 'version', version: 1 } })
    expect(await bodies()).toEqual([entry(1)])
  })

  it('while others write keeps everybody’s order', async () => {
    const lost = proxy.cutAt('mine 5"', cut)
    const mine = Array.from({ length: 20 }, (_, n) => store.append({ threadId: 't', entries: [entry(`mine ${n}`)] }))
    const theirs = Array.from({ length: 20 }, (_, n) => other.append({ threadId: 't', entries: [entry(`their ${n}`)] }))
    const outcomes = await soon(Promise.all([...mine, ...theirs]))
    await lost.letThrough()
    const stored = await bodies()
    expect(stored.length).toBe(41)
    for (const who of ['mine', 'their']) {
      const own = stored.filter((body) => body.includes(who))
      expect(own).toEqual(Array.from({ length: 20 }, (_, n) => entry(`${who} ${n}`)))
    }
    for (const [n, outcome] of outcomes.entries()) {
      const body = entry(n < 20 ? `mine ${n}` : `their ${n - 20}`)
      expect(outcome).toMatchObject({ ok: true, version: stored.indexOf(body) + 1 })
    }
    await expectChained('t')
  })

  it('does not disturb reading and renewing', async () => {
    const { lease } = (await other.append({
      threadId: 'looked at',
      entries: [entry(1)],
      lease: { op: 'take', holder: 'a', ttlMs: 60_000 },
    })) as { lease: Lease }
    const read = async () => (await store.read('looked at')).version
    const renew = () => store.renewLease('looked at', { ...lease, ttlMs: 60_000 })
    // The second time the connection knows the statement, and only its values are sent.
    for (const [ask, answer] of [
      [read, 1],
      [renew, true],
      [read, 1],
      [renew, true],
    ] as const) {
      const lost = proxy.cutAt('looked at', cut)
      expect(await soon<unknown>(ask())).toBe(answer)
      await lost.happened
      await lost.letThrough()
    }
  })
})

describe('a lease that went to another while the append that took it was unsettled', () => {
  it('is not handed to who lost it', async () => {
    const lost = proxy.cutAt('the one', 'before-answer')
    const taking = (holder: string, over?: LeaseClaim): Append => ({
      threadId: 't',
      entries: [entry(holder)],
      lease: { op: 'take', holder, ttlMs: 30_000, ...(over === undefined ? {} : { over }) },
    })
    const unsettled = store.append(taking('the one'))
    await lost.happened
    proxy.set(false)
    await expect.poll(async () => (await other.read('t')).lease?.holder).toBe('the one')
    expect(await other.append(taking('another', (await other.read('t')).lease!))).toMatchObject({ ok: true })
    proxy.set(true)
    expect(await soon(unsettled)).toMatchObject({ ok: true, version: 2, lease: null })
  })
})

describe('a database that cannot be reached', () => {
  it('is waited for, and appends keep their order', async () => {
    proxy.set(false)
    const appends = [2, 3, 4].map((n) => store.append({ threadId: 't', entries: [entry(n)] }))
    const reading = store.read('t', { after: 1 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    proxy.set(true)
    expect(await soon(Promise.all(appends))).toMatchObject([{ version: 2 }, { version: 3 }, { version: 4 }])
    expect((await reading).version).toBeGreaterThanOrEqual(1)
  })

  it('is said to have failed when time is up, without the password', async () => {
    const hasty = unsyncedPostgres({ connectionString: address, schema, timeoutMs: 1000 })
    proxy.set(false)
    for (const call of [() => hasty.read('t'), () => hasty.append({ threadId: 't', entries: [entry('no')] })]) {
      const error = await soon(
        call().then(
          () => undefined,
          (reason: Error) => reason,
        ),
      )
      expect(error).toMatchObject({ name: 'StoreFailed', code: 'store_failed' })
      expect(error?.cause).toBeDefined()
      expect(inspect(error, { depth: 20 })).not.toContain('not-a-secret-but')
    }
    await hasty.close()
    proxy.set(true)
    expect(await bodies()).toEqual([entry(1)])
  })

  it('leaves it open, in words, whether an append that was under way is stored', async () => {
    const hasty = unsyncedPostgres({ connectionString: address, schema, timeoutMs: 1000 })
    await hasty.read('t')
    const lost = proxy.cutAt('the one', 'before-answer')
    const append = hasty.append({ threadId: 't', entries: [entry('the one')] })
    await lost.happened
    proxy.set(false)
    await expect(soon(append)).rejects.toMatchObject({
      name: 'StoreFailed',
      message: /unknown whether it is stored/,
    })
    await hasty.close()
    proxy.set(true)
    expect(await bodies()).toEqual([entry(1), entry('the one')])
  })
})

describe('a follower whose connections are cut', () => {
  it('still hears of what others write', async () => {
    for (let version = 1; version < 6; version++) {
      const waiting = store.changed('t', { after: version, signal: new AbortController().signal })
      await new Promise((resolve) => setTimeout(resolve, 60))
      proxy.set(false)
      await other.append({ threadId: 't', entries: [entry(version)] })
      await new Promise((resolve) => setTimeout(resolve, 60))
      proxy.set(true)
      await soon(waiting)
    }
  })

  it('hears also of threads whose name is too long for a message', async () => {
    const tenant = 'long '.repeat(500)
    const threadId = 'x'.repeat(8000)
    const waiting = store.tenant('t').changed(threadId, { after: 0, signal: new AbortController().signal })
    await new Promise((resolve) => setTimeout(resolve, 60))
    await other.append({ threadId: 't', entries: [entry(tenant)] })
    await other.tenant('t').append({ threadId: 'short', entries: [entry(1)] })
    await expect(other.tenant('t').append({ threadId: 'é'.repeat(1000), entries: [entry(1)] })).resolves.toMatchObject({
      ok: true,
    })
    await other.tenant('t').append({ threadId, entries: [entry(1)] })
    await soon(waiting)
  })
})

describe('a server that ends its connections', () => {
  const end = (where: string) =>
    admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND ${where}`)

  it('again and again loses and repeats nothing', async () => {
    const written = [0, 0, 0, 0]
    const ended: Promise<unknown>[] = []
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; n < 120; n++) {
        const outcome = await store.append({ threadId: `w${writer % 4}`, entries: [entry(`${writer} ${n}`)] })
        expect(outcome.ok).toBe(true)
        written[writer % 4]! += 1
        // By what was written, not by time: connections of a busy machine live long enough to write.
        if (written.reduce((sum, count) => sum + count) % 60 === 0)
          ended.push(end("application_name LIKE 'holdpoint%'"))
      }
    })
    await Promise.all(writers)
    await Promise.all(ended)
    expect(ended.length).toBe(16)
    for (const [thread, count] of written.entries()) {
      const stored = await bodies(`w${thread}`)
      expect(stored.length).toBe(count)
      expect(new Set(stored).size).toBe(count)
      await expectChained(`w${thread}`)
    }
  })

  it.each(['stop', 'crash'] as const)('because it is restarted (%s) loses and repeats nothing', async (how) => {
    let writing = true
    let acknowledged = 0
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let n = 0; writing; n++) {
        const outcome = await store.append({ threadId: `r${writer % 3}`, entries: [entry(`${writer} ${n}`)] })
        expect(outcome.ok).toBe(true)
        acknowledged++
      }
    })
    const waiting = other.changed('r0', { after: 1_000_000, signal: AbortSignal.timeout(4000) })
    for (let round = 0; round < 3; round++) {
      await new Promise((resolve) => setTimeout(resolve, 150))
      await server.get()[how]()
      await server.get().start()
      const before = acknowledged
      await expect.poll(() => acknowledged, { timeout: 10_000 }).toBeGreaterThan(before + 5)
    }
    writing = false
    await Promise.all(writers)
    await waiting
    let stored = 0
    for (let thread = 0; thread < 3; thread++) {
      const own = await bodies(`r${thread}`)
      stored += own.length
      expect(new Set(own).size).toBe(own.length)
      await expectChained(`r${thread}`)
    }
    expect(stored).toBe(acknowledged)
    admin = new pg.Client(server.get().connectionString)
    admin.on('error', () => undefined)
    await admin.connect()
  })
})
