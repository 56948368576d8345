import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { withLock } from './lock.js'
import { Failure } from './run.js'

/** How long a download of the binary may take. Without a network it would hang. */
const DOWNLOAD_MS = 60_000

/**
 * Installs the binary of better-sqlite3 into a folder that was installed without scripts. Downloads it, or compiles it if that fails, which takes
 * minutes and has no timeout. An interrupted installation is repeated the next time. A binary is for one release of Node: those of others are kept.
 * @param {string} dir
 * @param {string} [node] the program that loads it
 */
export async function ensureSqliteDriver(dir, node = process.execPath) {
  const binary = join(dir, 'node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node')
  const abi = spawnSync(node, ['-p', 'process.versions.modules'], { encoding: 'utf8' }).stdout.trim()
  const kept = join(dir, 'node_modules', '.better-sqlite3', `${abi}.node`)
  const loads = () => existsSync(binary) && spawnSync(node, ['-e', `require(${JSON.stringify(binary)})`]).status === 0
  if (loads()) return
  await withLock(dir, 'driver', () => {
    if (existsSync(kept) && existsSync(binary)) copyFileSync(kept, binary)
    if (!loads()) download(dir, node)
    if (!loads()) compile(dir, node)
    if (!loads())
      throw new Failure('better-sqlite3 could not be compiled (see above). The cases without it run: see --only.')
    mkdirSync(dirname(kept), { recursive: true })
    copyFileSync(binary, kept)
  })
}

/** @param {string} dir @param {string} node */
function download(dir, node) {
  console.error('holdpoint: getting better-sqlite3 …')
  spawnSync(node, [join(dir, 'node_modules', 'prebuild-install', 'bin.js')], {
    cwd: join(dir, 'node_modules', 'better-sqlite3'),
    stdio: 'ignore',
    timeout: DOWNLOAD_MS,
    killSignal: 'SIGKILL',
  })
}

/** @param {string} dir @param {string} node */
function compile(dir, node) {
  console.error('holdpoint: compiling better-sqlite3 (some minutes) …')
  const args = ['rebuild', 'better-sqlite3', '--build-from-source', '--loglevel=error']
  const PATH = [dirname(node), process.env.PATH].join(delimiter)
  // The releases that npm brings have their headers beside them.
  const headers = dirname(dirname(node))
  const env = { ...process.env, PATH, ...(node === process.execPath ? {} : { npm_config_nodedir: headers }) }
  spawnSync('npm', args, { cwd: dir, env, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
}
