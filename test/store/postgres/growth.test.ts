import pg from 'pg'
import { expect, it } from 'vitest'
import { entry } from '../../../src/testing/store-suite/tools.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'

const server = usePostgres()
const THREADS = 80
const PAGE = 8192

it('threads that grow by a third find room in the pages of the index', async () => {
  const { connectionString } = server.get()
  const schema = freshSchema()
  const client = new pg.Client({ connectionString })
  await client.connect()
  const store = unsyncedPostgres({ connectionString, schema })
  const grow = async (count: number) => {
    for (let n = 0; n < THREADS; n++)
      await store.append({ threadId: `t${n}`, entries: Array.from({ length: count }, (_, i) => entry(i)) })
  }
  const pages = async () => {
    const { rows } = await client.query(`SELECT pg_relation_size('${schema}.entries_thread') AS bytes`)
    return Number(rows[0].bytes) / PAGE
  }
  await grow(33)
  const before = await pages()
  expect(before).toBeGreaterThan(10)
  await grow(11)
  // The last page is still being filled, and splits wherever it is full.
  expect(await pages()).toBeLessThanOrEqual(before + 1)
  await store.close()
  await client.end()
})
