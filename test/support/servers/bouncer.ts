import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { PROGRAMS } from '../../../scripts/lib/programs.js'
import { freePort } from './free-port.ts'
import type { PostgresServer } from './postgres-server.ts'

const program = PROGRAMS.pgbouncer.find()

/** Whether PgBouncer is installed, and what a title says if it is not. */
export const bouncer = { missing: !program, note: program ? '' : ' (skipped: PgBouncer is not installed)' }

/** A PgBouncer before a server, for the tests of a file: two connections for everybody, handed on after each transaction. */
export function useBouncer(server: { get(): PostgresServer }): { connectionString(): string } {
  let connectionString = ''
  let end = async () => {}
  beforeAll(async () => {
    if (!program) return
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-bouncer-'))
    const port = await freePort()
    writeFileSync(join(folder, 'bouncer.ini'), settings(server.get().port, port))
    const user = serverUser()
    if (user) for (const path of [folder, join(folder, 'bouncer.ini')]) chownSync(path, user.uid, user.gid)
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
  })
  afterAll(() => end())
  return { connectionString: () => connectionString }
}

const settings = (server: number, port: number) => `[databases]
postgres = host=127.0.0.1 port=${server} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
max_client_conn = 500
`

/** PgBouncer refuses to run as root. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
