import { expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, run, tool } from '../../src/index.ts'
import { roleScript } from '../../src/store/postgres/migrate/role.ts'
import { scriptedModel } from '../../src/testing.ts'
import { holdpoint, tempDir } from '../cli/support/programs.ts'
import { useAdmin, usePostgres } from '../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../support/stores/unsynced-postgres.ts'

const server = usePostgres()
const admin = useAdmin(server)

it('a role that may not erase aborts no run either, and is told who may', async () => {
  const { connectionString } = server.get()
  const schema = 'erase_rights'
  const store = unsyncedPostgres({ connectionString, schema })
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({}),
    needsApproval: true,
    execute: () => 'paid',
  })
  const model = scriptedModel([{ toolCalls: [{ id: 'c', name: 'pay', args: {} }] }])
  await run(new Agent({ name: 'payer', model, tools: [pay] }), 'pay', { store, threadId: 't' })
  const { version } = await store.read('t')
  await admin.get().query(`${roleScript({ role: 'serving', schema })}ALTER ROLE serving LOGIN`)
  const place = connectionString.replace(/\/\/[^@]*@/, '//serving:x@')
  const erase = (...more: string[]) =>
    holdpoint(tempDir(), ['erase', '--thread', 't', '--reason', 'asked to', '--abort', '--schema', schema, ...more])
  expect(erase('--store', place)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('The role serving may not erase threads. Nothing was written. Erase as the owner'),
  })
  expect((await store.read('t')).version).toBe(version)
  expect(erase('--store', place, '--dry-run').code).toBe(0)
  expect(erase('--store', connectionString).stdout).toMatch(/^erased {2}t {2}/)
  await store.close()
})
