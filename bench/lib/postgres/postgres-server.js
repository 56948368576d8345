// @ts-check
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROGRAMS, requireProgram } from '../../../scripts/lib/programs.js'
import { freePort } from '../processes/free-port.js'

/**
 * A real Postgres server of this run's own, on a free port of this machine, gone when the work is over. Commits reach the system but not the disk: what
 * is compared is what the systems ask of a database, not how fast this disk syncs.
 *
 * @template T
 * @param {(url: string) => Promise<T>} work
 * @param {readonly string[]} [more] settings, such as `autovacuum=off`
 */
export async function withPostgres(work, more = []) {
  const bin = requireProgram(PROGRAMS.postgres)
  const user = runAs()
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-bench-pg-'))
  const data = join(folder, 'data')
  mkdirSync(data)
  for (const path of [folder, data]) {
    chmodSync(path, 0o700)
    if (user) chownSync(path, user.uid, user.gid)
  }
  const init = ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync', '-E', 'UTF8', '--locale=C.UTF-8']
  execFileSync(join(bin, 'initdb'), init, { cwd: folder, stdio: 'pipe', ...user })
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'fsync=off', 'jit=off', ...more]
  const argv = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
  // The shell ends the server when its own input ends, which it does however this process dies.
  const script = 'bin=$1; shift; "$bin" "$@" </dev/null & pid=$!; (cat >/dev/null; kill -INT $pid) <&3 3<&- & wait $pid'
  const shell = ['-c', `exec 3<&0; ${script}`, 'sh', join(bin, 'postgres'), ...argv]
  const child = spawn('sh', shell, { cwd: folder, stdio: ['pipe', 'ignore', 'pipe'], ...user })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  try {
    await ready(child)
    return await work(`postgres://postgres@127.0.0.1:${port}/postgres`)
  } finally {
    const mark = join(data, 'postmaster.pid')
    if (existsSync(mark)) process.kill(Number(readFileSync(mark, 'utf8').split('\n')[0]), 'SIGINT')
    await gone
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {import('node:child_process').ChildProcess} child */
function ready(child) {
  let said = ''
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (text) => {
      said += text
      if (said.includes('ready to accept connections')) resolve(undefined)
    })
    child.once('exit', () => reject(new Error(`Postgres did not start: ${said}`)))
  })
}

/** Postgres refuses to run as root. */
function runAs() {
  if (process.getuid?.() !== 0) return undefined
  const id = (/** @type {string} */ flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
