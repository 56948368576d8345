import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Append, AppendOutcome, Store } from '../../../../src/ports/store.ts'
import { entry, requestId, requestRow, soon } from '../../../../src/testing/store-suite/tools.ts'
import type { Cut, TcpProxy } from '../../../support/servers/tcp-proxy.ts'
import { usePostgres } from '../../../support/servers/use-postgres.ts'
import { openCutStores } from './cut-stores.ts'

const server = usePostgres()
let proxy: TcpProxy
let store: Store
/** Another process, with connections that nobody cuts. */
let other: Store
let admin: pg.Client
let schema = ''

beforeAll(async () => {
  admin = new pg.Client(server.get().connectionString)
  await admin.connect()
})
afterAll(() => admin.end())
beforeEach(async () => {
  const opened = await openCutStores(server.get())
  ;({ store, other, proxy, schema } = opened)
  for (const threadId of ['busy 1', 'busy 2', 'a', 'b']) await store.append({ threadId, entries: [entry(1)] })
  return opened.close
})

/** Makes appends while the streams of the group wait for locked threads: so they queue up, and go out as one batch. */
async function together<T>(work: () => Promise<T>): Promise<T> {
  await admin.query('BEGIN')
  await admin.query(`SELECT 1 FROM "${schema}".threads WHERE id IN ('busy 1', 'busy 2') FOR UPDATE`)
  const busy = ['busy 1', 'busy 2'].map((threadId) => store.append({ threadId, entries: [entry(2)] }))
  try {
    return await soon(work())
  } finally {
    await admin.query('COMMIT')
    for (const outcome of await soon(Promise.all(busy))) expect(outcome).toMatchObject({ ok: true, version: 2 })
  }
}

const make = (threadId: string, more: Partial<Append> = {}): Append => ({
  threadId,
  entries: [entry(threadId)],
  ...more,
})
const appendAll = (appends: readonly Append[]) => Promise.all(appends.map((append) => store.append(append)))
const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`)
const bodies = async (threadId: string) => (await other.read(threadId)).entries.map(({ body }) => body)

/** How many transactions wrote the threads last. */
async function transactions(ids: readonly string[]): Promise<number> {
  const sql = `SELECT count(DISTINCT xmin::text) AS n FROM "${schema}".threads WHERE id = ANY($1)`
  return Number((await admin.query(sql, [ids])).rows[0].n)
}

describe('appends that wait', () => {
  it('are committed by one transaction, while one that does not wait has its own', async () => {
    const outcomes = await together(() => appendAll(names(30).map((id) => make(id))))
    expect(outcomes.every(({ ok }) => ok)).toBe(true)
    expect(await transactions(names(30))).toBe(1)
    for (const id of names(5)) await store.append(make(id))
    expect(await transactions(names(5))).toBe(5)
  })

  it('keep the order of their thread', async () => {
    const order = Array.from({ length: 6 }, (_, n) => n)
    const appends = order.flatMap((n) => ['a', 'b'].map((id) => make(id, { entries: [entry(`${id} ${n}`)] })))
    await together(() => appendAll(appends))
    for (const id of ['a', 'b']) expect(await bodies(id)).toEqual([entry(1), ...order.map((n) => entry(`${id} ${n}`))])
  })

  it('are refused one by one, each with its own reason', async () => {
    await store.append(make('r', { requests: [{ op: 'open', entry: 0, row: requestRow(1) }] }))
    const change = { op: 'change', entry: 0, id: requestId(1), status: 'decided' } as const
    const outcomes = await together(() =>
      appendAll([
        make('n0'),
        make('a', { version: 7 }),
        make('n1', { requests: [{ op: 'open', entry: 0, row: requestRow(2) }] }),
        make('b', { lease: { op: 'hold', holder: 'me', token: 3 } }),
        make('r', { requests: [{ ...change, from: 2 }] }),
        make('n2', { version: 0, lease: { op: 'take', holder: 'me', ttlMs: 5000 } }),
        make('n3', { version: Number.POSITIVE_INFINITY }),
      ]),
    )
    expect(outcomes).toMatchObject([
      { ok: true, version: 1 },
      { ok: false, conflict: { kind: 'version', version: 1 } },
      { ok: true, version: 1 },
      { ok: false, conflict: { kind: 'lease', lease: null } },
      { ok: false, conflict: { kind: 'request', id: requestId(1) } },
      { ok: true, version: 1, lease: { holder: 'me', token: 1 } },
      { ok: false, conflict: { kind: 'version', version: 0 } },
    ])
    expect(await transactions(['n0', 'n1', 'n2'])).toBe(1)
    expect(await bodies('a')).toEqual([entry(1)])
    expect(await other.getRequest(requestId(2))).toMatchObject({ status: 'open', threadId: 'n1' })
  })

  it('are stored without one that the database cannot store, which gets its own error', async () => {
    const said = await together(() =>
      Promise.allSettled(
        ['n0', 'n1', 'n2'].map((id) => store.append(make(id, id === 'n1' ? { entries: ['{"a":"\u0000"}'] } : {}))),
      ),
    )
    expect(said).toMatchObject([
      { status: 'fulfilled', value: { ok: true } },
      { status: 'rejected', reason: { code: 'input_invalid' } },
      { status: 'fulfilled', value: { ok: true } },
    ])
    expect((await other.read('n1')).version).toBe(0)
  })

  it('do not wait for one whose thread is locked by others', async () => {
    const locker = new pg.Client(server.get().connectionString)
    await locker.connect()
    let locked: Promise<AppendOutcome> | undefined
    try {
      await locker.query('BEGIN')
      await locker.query(`SELECT 1 FROM "${schema}".threads WHERE id = 'a' FOR UPDATE`)
      await together(async () => {
        locked = store.append(make('a'))
        expect(await appendAll([make('b'), make('n0')])).toMatchObject([{ ok: true }, { ok: true }])
      })
      expect(await bodies('a')).toEqual([entry(1)])
    } finally {
      // With its connection the lock goes, too.
      await locker.end()
    }
    expect(await soon(locked!)).toMatchObject({ ok: true, version: 2 })
  })

  it('do not outgrow a statement: large ones go by themselves', async () => {
    const large = JSON.stringify('x'.repeat(200_000))
    const outcomes = await together(() => appendAll(names(4).map((id) => make(id, { entries: [large] }))))
    expect(outcomes.every(({ ok }) => ok)).toBe(true)
    expect(await transactions(names(4))).toBe(4)
  })
})

describe.each(['before-server', 'before-answer', 'late'] as Cut[])(
  'a connection that is lost in a batch (%s)',
  (cut) => {
    it('leaves each append stored once or refused, and each knows which', async () => {
      const lost = proxy.cutAt('n3', cut)
      const outcomes = await together(() =>
        appendAll([
          ...names(8).map((id) => make(id, { version: 0 })),
          make('a', { version: 9 }),
          make('b', { version: 1 }),
        ]),
      )
      await lost.happened
      await lost.letThrough()
      expect(outcomes.slice(0, 8).every((outcome) => outcome.ok && outcome.version === 1)).toBe(true)
      expect(outcomes.slice(8)).toMatchObject([
        { ok: false, conflict: { kind: 'version', version: 1 } },
        { ok: true, version: 2 },
      ])
      for (const id of names(8)) expect(await bodies(id)).toEqual([entry(id)])
      expect(await bodies('a')).toEqual([entry(1)])
      expect(await bodies('b')).toEqual([entry(1), entry('b')])
      for (const [n, outcome] of outcomes.entries()) {
        if (n < 8) expect(outcome).toMatchObject({ head: (await other.read(`n${n}`)).head })
      }
    })
  },
)
