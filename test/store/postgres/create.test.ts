import { describe, expect, it } from 'vitest'
import { migrations, SCHEMA_VERSION } from '../../../src/store/postgres/tables/schema.ts'
import { entry } from '../../../src/testing/store-suite/tools.ts'
import { freshSchema, useAdmin, usePostgres } from '../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'

const server = usePostgres()
const admin = useAdmin(server)

const open = (schema: string, create = false) =>
  unsyncedPostgres({ connectionString: server.get().connectionString, schema, create })

async function namesIn(schema: string): Promise<string[]> {
  const { rows } = await admin
    .get()
    .query(
      'SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname = $1 ORDER BY 1',
      [schema],
    )
  return rows.map(({ relname }) => relname as string)
}

describe('a Postgres store that is not to make its schema', () => {
  it('is missing where there is none or that of another application, whatever is called, and leaves it', async () => {
    const theirs = freshSchema()
    await admin.get().query(`CREATE SCHEMA ${theirs}; CREATE TABLE ${theirs}.threads (mine text)`)
    for (const schema of [freshSchema(), theirs]) {
      const before = await namesIn(schema)
      const store = open(schema)
      for (const call of [
        () => store.read('t'),
        () => store.append({ threadId: 't', entries: [entry(1)] }),
        () => store.threads(),
        () => store.renewLease('t', { holder: 'a', token: 1, ttlMs: 1 }),
        () => store.changed('t', { after: 0, signal: AbortSignal.timeout(5000) }),
      ]) {
        await expect(call()).rejects.toMatchObject({ name: 'StoreMissing' })
      }
      await store.close()
      expect(await namesIn(schema)).toEqual(before)
    }
  })

  it('says when the schema is newer, or not to be read', async () => {
    const schema = freshSchema()
    await admin.get().query(migrations(schema))
    await admin.get().query(`CREATE ROLE ${schema}_user LOGIN`)
    const connectionString = server.get().connectionString.replace('postgres:not-a-secret-but', `${schema}_user`)
    const barred = unsyncedPostgres({ connectionString, schema, create: false })
    await expect(barred.read('t')).rejects.toMatchObject({ name: 'StoreFailed', message: /permission denied/ })
    await barred.close()
    await admin.get().query(`INSERT INTO ${schema}.holdpoint_migrations (version) VALUES (${SCHEMA_VERSION + 1})`)
    const store = open(schema)
    await expect(store.read('t')).rejects.toMatchObject({ name: 'StoreNewer' })
    await store.close()
  })

  it('is there as soon as another has made it, and never half', async () => {
    const schema = freshSchema()
    const [reader, maker] = [open(schema), open(schema, true)]
    let made = false
    const making = maker.append({ threadId: 't', entries: [entry(1)] }).then(() => {
      made = true
    })
    for (let version = 0; version === 0; ) {
      const late = made
      version = await reader.read('t').then(
        (slice) => slice.version,
        (error: Error) => {
          expect({ late, name: error.name }).toEqual({ late: false, name: 'StoreMissing' })
          return 0
        },
      )
    }
    await making
    await Promise.all([reader.close(), maker.close()])
  })
})
