import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROGRAMS } from '../../../scripts/lib/programs.js'
import { entry, soon } from '../../../src/testing/store-suite/tools.ts'
import { freePort } from '../../support/servers/free-port.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'

const program = PROGRAMS.pgbouncer.find()
const server = usePostgres({ settings: ['synchronous_commit=off'] })
let connectionString = ''
let end = async () => {}

/** Two connections to the server for everybody, handed on after each transaction. */
beforeAll(async () => {
  if (!program) return
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-bouncer-'))
  const port = await freePort()
  writeFileSync(
    join(folder, 'bouncer.ini'),
    `[databases]
postgres = host=127.0.0.1 port=${server.get().port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
`,
  )
  const root = process.getuid?.() === 0
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const user = root ? { uid: id('-u'), gid: id('-g') } : {}
  if (user.uid !== undefined)
    for (const path of [folder, join(folder, 'bouncer.ini')]) chownSync(path, user.uid, user.gid)
  const child = spawn(program, [join(folder, 'bouncer.ini')], { stdio: ['ignore', 'ignore', 'pipe'], ...user })
  end = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
  await new Promise<void>((resolve, reject) => {
    let said = ''
    child.stderr.on('data', (text: Buffer) => {
      said += text
      if (said.includes('process up')) resolve()
    })
    child.once('exit', () => reject(new Error(`PgBouncer did not start: ${said}`)))
  })
  connectionString = `postgres://postgres@127.0.0.1:${port}/postgres`
}, 20_000)
afterAll(() => end())

describe.skipIf(!program)(`behind PgBouncer, by transaction${program ? '' : ' (skipped: it is not installed)'}`, () => {
  it.each([
    ['unsigned', {}],
    ['signed', { auditKey: 'a secret for tests' }],
  ])('appends of several stores (%s) are stored once, in order, and no setting leaks to others', async (_, options) => {
    const schema = freshSchema()
    const stores = [1, 2, 3].map(() => unsyncedPostgres({ connectionString, schema, ...options }))
    const [first] = stores
    const writing = stores.flatMap((store, writer) =>
      Array.from({ length: 12 }, (_, n) => store.append({ threadId: `t${n % 3}`, entries: [entry(`${writer} ${n}`)] })),
    )
    for (const outcome of await Promise.all(writing)) expect(outcome.ok).toBe(true)
    for (const threadId of ['t0', 't1', 't2']) {
      const { version, entries } = await first!.read(threadId)
      expect([version, new Set(entries.map(({ body }) => body)).size]).toEqual([12, 12])
    }
    const pool = new pg.Pool({ connectionString, max: 4 })
    const shown = await Promise.all(Array.from({ length: 8 }, () => pool.query('SHOW synchronous_commit')))
    expect(shown.map(({ rows }) => rows[0].synchronous_commit)).toEqual(Array(8).fill('off'))
    await pool.end()
    await Promise.all(stores.map((store) => store.close()))
  })

  it('what others write is noticed, although no message comes through', async () => {
    const schema = freshSchema()
    const open = () => unsyncedPostgres({ connectionString, schema })
    const [waiter, writer] = [open(), open()]
    await writer.append({ threadId: 't', entries: [entry(1)] })
    const woken = waiter.changed('t', { after: 1, signal: new AbortController().signal })
    await writer.append({ threadId: 't', entries: [entry(2)] })
    await soon(woken)
    await Promise.all([waiter.close(), writer.close()])
  })
})
