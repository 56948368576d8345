import pg from 'pg'
import { expect, it } from 'vitest'
import { roleScript } from '../../../src/store/postgres/migrate/role.ts'
import { entry } from '../../../src/testing/store-suite/tools.ts'
import { holdpoint, tempDir } from '../../cli/support/programs.ts'
import { usePostgres } from '../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'

const server = usePostgres()

it('migrate --print prints a script that makes a store which is used as it is', async () => {
  const { connectionString } = server.get()
  for (const schema of ['holdpoint', 'Other_1']) {
    const args = ['migrate', '--print', ...(schema === 'holdpoint' ? [] : ['--schema', schema])]
    const printed = holdpoint(tempDir(), args)
    expect(printed).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(holdpoint(tempDir(), [...args, '--json']).stdout)).toEqual({ schema, sql: printed.stdout })
    const client = new pg.Client(connectionString)
    await client.connect()
    await client.query(printed.stdout)
    const oids = `SELECT oid FROM pg_class WHERE relnamespace = '"${schema}"'::regnamespace ORDER BY 1`
    const before = (await client.query(oids)).rows
    const store = unsyncedPostgres({ connectionString, schema })
    expect(await store.append({ threadId: 't', entries: [entry(1)] })).toMatchObject({ ok: true, version: 1 })
    await store.close()
    expect((await client.query(oids)).rows).toEqual(before)
    await client.end()
  }
})

it('migrate of an SQLite store, of two things at once, or with a name that is none, says so', () => {
  expect(holdpoint(tempDir(), ['migrate'])).toMatchObject({ code: 2, stderr: expect.stringContaining('SQLite') })
  const two = holdpoint(tempDir(), ['migrate', '--print', '--status'])
  expect(two).toMatchObject({ code: 2, stderr: expect.stringContaining('one of --status') })
  const wrong = holdpoint(tempDir(), ['migrate', '--print', '--schema', 'a"b'])
  expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('input_invalid') })
})

it('migrate --print-role prints what makes a role', () => {
  const printed = holdpoint(tempDir(), ['migrate', '--print-role', 'app', '--tenant', 'acme'])
  expect(printed).toMatchObject({ code: 0, stderr: '', stdout: `${roleScript({ role: 'app', tenant: 'acme' })}` })
})
