import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/ports/store.ts'
import { entry, isPending, opening, requestId, requestRow, soon } from '../../../src/testing/store-suite/tools.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'

const server = usePostgres()
let schema: string
let store: Store
const clients: pg.Client[] = []

beforeEach(async () => {
  schema = freshSchema()
  store = unsyncedPostgres({ connectionString: server.get().connectionString, schema })
  await store.append({ threadId: 'slow', entries: [entry(1)] })
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()))
  await store.close()
})

/** A transaction that stays open, with a number of its own. */
async function slowWriter(): Promise<{
  open(n: number): Promise<void>
  end(how: 'COMMIT' | 'ROLLBACK'): Promise<void>
}> {
  const client = new pg.Client({ connectionString: server.get().connectionString })
  clients.push(client)
  await client.connect()
  await client.query('BEGIN')
  await client.query('SELECT pg_current_xact_id()')
  return {
    async open(n) {
      await client.query(
        `INSERT INTO ${schema}.requests (tenant, id, thread, opened, version, status, kind, question_id, agent, readers)
         SELECT 'default', $1, no, 1, 1, 'open', 'approve', 'q', 'a', '*' FROM ${schema}.threads WHERE id = 'slow'`,
        [requestId(n)],
      )
    },
    async end(how) {
      await client.query(how)
    },
  }
}

const numbersOf = async (after: string) => {
  const { rows, end } = await store.outbox({ after })
  return { end, ids: rows.map(({ id }) => Number(`0x${id.slice(-12)}`)) }
}
const never = () => new AbortController().signal

describe('O2: two transactions are open, and the later number is committed first', () => {
  it('a reader waits for the earlier one, and then gets both', async () => {
    const slow = await slowWriter()
    await slow.open(1)
    await store.append(opening('fast', requestRow(2)))
    expect(await numbersOf('')).toEqual({ end: '', ids: [] })
    // A reader may be told of rows that it cannot read yet; then it waits again.
    const reading = async () => {
      while ((await numbersOf('')).ids.length === 0) await store.outboxChanged({ after: '', signal: never() })
    }
    const waiting = reading()
    expect(await isPending(waiting)).toBe(true)
    await slow.end('COMMIT')
    await soon(waiting)
    const { end, ids } = await numbersOf('')
    expect(ids).toEqual([1, 2])
    expect((await numbersOf(end)).ids).toEqual([])
  })

  it('a reader that has read on gets what the earlier one writes with a higher number', async () => {
    const slow = await slowWriter()
    await store.append(opening('fast', requestRow(2)))
    const before = await numbersOf('')
    expect(before.ids).toEqual([])
    await slow.open(1)
    await store.append(opening('fast', requestRow(3)))
    expect((await numbersOf(before.end)).ids).toEqual([])
    await slow.end('COMMIT')
    await soon(store.outboxChanged({ after: before.end, signal: never() }))
    const seen: number[] = []
    for (let after = before.end; seen.length < 3; ) {
      const page = await store.outbox({ after, limit: 1 })
      seen.push(...page.rows.map(({ id }) => Number(`0x${id.slice(-12)}`)))
      after = page.end
    }
    expect(seen).toEqual([1, 2, 3])
  })

  it('a transaction that is rolled back tells nothing, and holds up nobody', async () => {
    const slow = await slowWriter()
    await slow.open(1)
    await store.append(opening('fast', requestRow(2)))
    const waiting = store.outboxChanged({ after: '', signal: never() })
    await slow.end('ROLLBACK')
    await soon(waiting)
    expect((await numbersOf('')).ids).toEqual([2])
  })

  it('a row that others still hold up is neither pruned nor before the end', async () => {
    const slow = await slowWriter()
    await slow.open(1)
    await store.append(opening('fast', requestRow(2)))
    const { end } = await store.outbox()
    await store.prune({ outboxMs: 0 })
    await slow.end('COMMIT')
    await soon(store.outboxChanged({ after: end, signal: never() }))
    expect((await numbersOf(end)).ids).toEqual([1, 2])
    expect((await store.outbox({ after: end })).missed).toBe(false)
  })
})

describe('O3: data that was restored on another server', () => {
  it('a position of a transaction that is yet to come has missed rows', async () => {
    await store.append(opening('fast', requestRow(2)))
    await soon(store.outboxChanged({ after: '', signal: never() }))
    const page = await store.outbox({ after: '9999999999.1' })
    expect(page).toMatchObject({ rows: [], missed: true })
    expect(page.end).toBe((await store.outbox()).end)
  })

  it('rows of transactions that are yet to come are deleted, and new ones are read', async () => {
    const client = new pg.Client({ connectionString: server.get().connectionString })
    clients.push(client)
    await client.connect()
    await store.append(opening('fast', requestRow(2)))
    await client.query(`UPDATE ${schema}.outbox SET xid = '9999999999'`)
    await store.append(opening('fast', requestRow(3)))
    await store.prune({ outboxMs: 60_000 })
    await soon(store.outboxChanged({ after: '', signal: never() }))
    expect((await numbersOf('')).ids).toEqual([3])
    expect((await client.query(`SELECT count(*)::int AS n FROM ${schema}.outbox`)).rows).toEqual([{ n: 1 }])
  })
})
