import { mkdirSync, readdirSync } from 'node:fs'
import pg from 'pg'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, run, type Store, tool } from '../../../src/index.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { usePostgres } from '../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'
import { holdpoint, requestId, start, tempDir } from '../support/programs.ts'

const server = usePostgres()

/** An agent that waits for leave to send something, and then says that it did. */
async function pause(store: Store, threadId: string): Promise<string> {
  const send = tool({
    name: 'send',
    description: 'Sends a text.',
    parameters: z.object({ text: z.string() }),
    needsApproval: true,
    execute: () => 'sent',
  })
  const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'send', args: { text: threadId } }] }])
  const { interruptions } = await run(new Agent({ name: 'mailer', model, tools: [send] }), 'Go.', { store, threadId })
  return interruptions[0]!.id
}

it('a store in Postgres is listed, decided and audited like a file, each tenant by itself', async () => {
  const { connectionString } = server.get()
  const dir = tempDir()
  const env = { HOLDPOINT_STORE: connectionString }
  const store = unsyncedPostgres({ connectionString })
  const first = await pause(store, 't/1')
  const second = await pause(store.tenant('acme'), 't/2')
  await store.close()

  const listed = holdpoint(dir, ['requests'], env)
  expect(listed).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(first) })
  expect(listed.stdout).not.toContain(second)
  expect(listed.stdout).toContain('npx holdpoint show | approve | edit | reject | answer ID\n')
  const theirs = holdpoint(dir, ['requests', '--tenant', 'acme'], env)
  expect(theirs.stdout).toContain(second)
  expect(theirs.stdout).toContain('reject | answer ID --tenant acme\n')
  expect(holdpoint(dir, ['show', first], env).stdout).toContain('"t/1"')

  expect(holdpoint(dir, ['approve', second], env)).toMatchObject({ code: 1, stderr: expect.stringContaining('[') })
  expect(holdpoint(dir, ['approve', second, '--tenant', 'acme', '--always'], env)).toMatchObject({
    code: 0,
    stderr: '',
  })
  expect(holdpoint(dir, ['reject', first, '--message', 'No.'], env)).toMatchObject({ code: 0, stderr: '' })
  expect(holdpoint(dir, ['requests'], env).stdout).toBe('Nothing waits for a decision.\n')
  const grants = holdpoint(dir, ['grants', '--tenant', 'acme', '--json'], env)
  expect(JSON.parse(grants.stdout).grants).toMatchObject([{ toolName: 'send', effect: 'allow' }])

  const audit = JSON.parse(holdpoint(dir, ['audit', 'verify', '--json'], env).stdout)
  expect(audit).toMatchObject({
    ok: true,
    threads: [
      { tenant: 'acme', threadId: 't/2', ok: true },
      { tenant: 'default', threadId: 't/1', ok: true },
    ],
  })
  const theirAudit = JSON.parse(holdpoint(dir, ['audit', 'verify', '--json', '--tenant', 'acme'], env).stdout)
  expect(theirAudit.threads).toMatchObject([{ tenant: 'acme', threadId: 't/2', ok: true }])
  const client = new pg.Client(connectionString)
  await client.connect()
  await client.query(`UPDATE holdpoint.entries SET body = replace(body, 'No.', 'Yes.') WHERE body LIKE '%No.%'`)
  await client.end()
  const broken = holdpoint(dir, ['audit', 'verify'], env)
  expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(/BROKEN {2}t\/1 {2}entry \d+: its body/) })
  expect(readdirSync(dir)).toEqual([])
})

it('a database without a store is left as it is, in words that do not tell its password', async () => {
  const { connectionString } = server.get()
  const withPassword = new URL(connectionString)
  withPassword.password = 'secret-word'
  const missing = holdpoint(tempDir(), ['requests', '--store', withPassword.href, '--schema', 'nowhere'])
  expect(missing).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^error: There is no store of this version in Postgres at .*, schema nowhere\. .*\[store_missing\]\n$/,
    ),
  })
  expect(missing.stderr).not.toContain('secret-word')
  const client = new pg.Client(connectionString)
  await client.connect()
  const { rows } = await client.query(`SELECT 1 FROM pg_namespace WHERE nspname = 'nowhere'`)
  await client.end()
  expect(rows).toEqual([])
})

it('a hint names a store of the command line without its password', async () => {
  const { connectionString } = server.get()
  const url = new URL(connectionString)
  url.password = 'secret-word'
  const store = unsyncedPostgres({ connectionString, schema: 'mine' })
  await pause(store, 't/1')
  await store.close()
  const listed = holdpoint(tempDir(), ['requests', '--store', url.href, '--schema', 'mine'])
  url.password = ''
  url.search = ''
  expect(listed.stdout).toContain(`reject | answer ID --store ${url.href} --schema mine\n`)
  expect(listed.stdout).not.toContain('secret-word')
})

it('a hint says how the database is reached, and keeps to itself what else is in the address', async () => {
  const { connectionString, port } = server.get()
  const store = unsyncedPostgres({ connectionString, schema: 'reached' })
  await pause(store, 't/1')
  await store.close()
  const address = `postgres://127.0.0.1/postgres?user=postgres&password=secret-word&host=127.0.0.1&port=${port}&sslmode=disable`
  const listed = holdpoint(tempDir(), ['requests', '--store', `${address}#secret-word`, '--schema', 'reached'])
  const shown = address.replace('&password=secret-word', '')
  expect(listed.stdout).toContain(`reject | answer ID --store '${shown}' --schema reached\n`)
  expect(listed.stdout).not.toContain('secret-word')
  expect(holdpoint(tempDir(), ['requests', '--store', shown, '--schema', 'reached']).stdout).toContain('"t/1"')
})

it.each([[[]], [['--debug']], [['--json']]])('a password that was not escaped is not told: %j', (more) => {
  for (const address of [
    'postgres://u.invalid:12/secret-word@127.0.0.1/d',
    'postgres://u.invalid:12#secret-word@127.0.0.1/d',
  ]) {
    const { code, stdout, stderr } = holdpoint(tempDir(), ['requests', '--store', address, ...more])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('store_failed')
    expect(stderr).not.toMatch(/secret-word|d:12/)
  }
})

it('a url of another kind is not taken for a file: nothing is created, and its secrets are not printed', () => {
  const dir = tempDir()
  for (const command of ['requests', 'demo']) {
    expect(holdpoint(dir, [command], { HOLDPOINT_STORE: 'mysql://u:secret-word@127.0.0.1/d' })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: a store is a file or a database at postgres:\/\/…, not at mysql:\/\/… \[usage\]/,
      ),
    })
  }
  expect(readdirSync(dir)).toEqual([])
})

it('an address without its scheme is not taken for a file, which would be a new, empty store', () => {
  const dir = tempDir()
  for (const address of ['localhost:5432/app', 'db.internal:5432', 'ann:secret-word@db/app', 'ann@db'])
    expect(holdpoint(dir, ['demo', '--store', address])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: a store in Postgres is named with postgres:\/\/…[^@]*\[usage\]/),
    })
  expect(readdirSync(dir)).toEqual([])
})

it('an unreachable database is reported within seconds, and --schema is refused for a file', () => {
  const began = performance.now()
  const away = holdpoint(tempDir(), ['requests', '--store', 'postgres://nobody:secret-word@127.0.0.1:1/none'])
  expect(away).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('[store_failed]') })
  expect(away.stderr).not.toContain('secret-word')
  expect(performance.now() - began).toBeLessThan(15_000)
  const dir = tempDir()
  mkdirSync(`${dir}/x`)
  const file = holdpoint(dir, ['requests', '--store', 'x/a.db', '--schema', 'mine'])
  expect(file).toMatchObject({ code: 2, stderr: expect.stringContaining('--schema') })
})

it('the demo on Postgres comes back to the same question after it was killed, and ends cleanly on a signal', async () => {
  const dir = tempDir()
  const args = ['demo', '--store', server.get().connectionString, '--schema', 'demo']
  const first = start(dir, args)
  const id = requestId(await first.shows('Waiting.'))
  first.child.kill('SIGKILL')
  expect(await first.ended).toBe(137)

  const second = start(dir, args)
  const shown = await second.shows('Waiting.')
  expect(shown).toContain('Welcome back')
  expect(requestId(shown)).toBe(id)
  // Long enough for it to listen.
  await new Promise((resolve) => setTimeout(resolve, 300))
  second.child.kill('SIGTERM')
  expect(await second.ended).toBe(143)
  expect(second.output).toContain('Nothing is lost: the question stays open.')
})
