import pg from 'pg'
import { expect, it } from 'vitest'
import { postgresQueue } from '../../src/queue/postgres/queue.ts'
import { queueRoleScript } from '../../src/queue/postgres/role.ts'
import { record, wake } from '../../src/testing/queue-suite/tools.ts'
import { entry } from '../../src/testing/store-suite/tools.ts'
import { holdpoint, tempDir } from '../cli/support/programs.ts'
import { freshSchema, useAdmin, usePostgres } from '../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../support/stores/unsynced-postgres.ts'

const server = usePostgres()
const admin = useAdmin(server)

it('a role with few rights rings and consumes a queue that migrate made, and cannot change it', async () => {
  const { connectionString } = server.get()
  const [schema, queueSchema, role] = [freshSchema(), freshSchema(), 'queue_user']
  const at = ['--schema', schema, '--queue-schema', queueSchema]
  const made = holdpoint(tempDir(), ['migrate', '--store', connectionString, ...at])
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(made.stdout).toContain(`The queue is in the schema ${queueSchema}.\n`)
  // A queue that is made later, for a store that is there.
  const later = holdpoint(tempDir(), ['migrate', '--store', connectionString, ...at])
  expect(later.stdout).toMatch(/^The tables had version \d+ already\.\nThe queue is in the schema \S+\.\n$/)
  const script = holdpoint(tempDir(), ['migrate', '--print-role', role, ...at])
  expect(script).toMatchObject({ code: 0, stderr: '' })
  expect(script.stdout).toContain(queueRoleScript({ role, schema: queueSchema }).trimEnd())
  for (let run = 0; run < 2; run++) await admin.get().query(script.stdout)
  await admin.get().query(`ALTER ROLE ${role} LOGIN`)

  const place = connectionString.replace('postgres:not-a-secret-but', role)
  const store = unsyncedPostgres({ connectionString: place, schema, create: false })
  const queue = postgresQueue({ connectionString: place, schema: queueSchema, storeSchema: schema, timeoutMs: 20_000 })
  const consumer = await record(queue, ['r', 'mail'])
  await queue.ring(wake('rung'))
  const run = { agent: 'mail', version: null }
  const told = { threadId: 'told', entries: [entry(1)], run, wake: { op: 'by', inMs: 0, tell: true } } as const
  expect(await store.append(told)).toMatchObject({ ok: true })
  await expect.poll(() => consumer.threads().sort()).toEqual(['rung', 'told'])
  await queue.close()
  await store.close()

  const client = new pg.Client(place)
  await client.connect()
  for (const sql of [
    `CREATE TABLE ${queueSchema}.mine (a int)`,
    `INSERT INTO ${queueSchema}.migrations (id) VALUES (999)`,
    `DROP FUNCTION ${queueSchema}.holdpoint_rescue`,
    `DROP TRIGGER holdpoint_ring ON ${schema}.outbox`,
  ]) {
    await expect(client.query(sql), sql).rejects.toMatchObject({ code: '42501' })
  }
  await client.end()
})

it('a role that may not create a queue is told what to do', async () => {
  const [schema, role] = [freshSchema(), 'queue_maker']
  await admin.get().query(`CREATE ROLE ${role} LOGIN`)
  const { connectionString } = server.get()
  const queue = postgresQueue({ connectionString: connectionString.replace('postgres:not-a-secret-but', role), schema })
  const told: unknown[] = []
  const consumer = await queue.consume({
    ...{ routes: ['r'], concurrency: 1, handle: async () => {} },
    onError: (error) => told.push(error),
  })
  const advised = {
    code: 'queue_failed',
    message: expect.stringContaining(`As the owner run holdpoint migrate --queue-schema ${schema}`),
  }
  await expect(queue.prepare()).rejects.toMatchObject(advised)
  await expect.poll(() => told[0]).toMatchObject(advised)
  await consumer.stop()
  await queue.close()
})

it('a role of one tenant gets no queue, and names are checked', () => {
  const both = ['migrate', '--print-role', 'a', '--tenant', 'acme', '--queue-schema', 'q']
  expect(holdpoint(tempDir(), both)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('queue') })
  expect(() => queueRoleScript({ role: 'a"b' })).toThrow(/role is named/)
  expect(() => queueRoleScript({ role: 'a', schema: 'a"b' })).toThrow(/schema is named/)
})
