import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from './lock.js'
import { Failure } from './run.js'

/** How long a download of the binary may take. Without a network it would hang. */
const DOWNLOAD_MS = 60_000

/**
 * Installs the binary of better-sqlite3 into a folder that was installed without scripts. Downloads it, or compiles it if that fails, which takes
 * minutes and has no timeout. An interrupted installation is repeated the next time.
 * @param {string} dir
 */
export async function ensureSqliteDriver(dir) {
  const folder = join(dir, 'node_modules', 'better-sqlite3')
  const binary = join(folder, 'build', 'Release', 'better_sqlite3.node')
  const loads = () =>
    existsSync(binary) && spawnSync(process.execPath, ['-e', `require(${JSON.stringify(binary)})`]).status === 0
  if (loads()) return
  await withLock(dir, 'driver', () => {
    if (loads()) return
    console.error('holdpoint: getting better-sqlite3 …')
    const download = join(dir, 'node_modules', 'prebuild-install', 'bin.js')
    spawnSync(process.execPath, [download], {
      cwd: folder,
      stdio: 'ignore',
      timeout: DOWNLOAD_MS,
      killSignal: 'SIGKILL',
    })
    if (loads()) return
    console.error('holdpoint: compiling better-sqlite3 (some minutes) …')
    const args = ['rebuild', 'better-sqlite3', '--build-from-source', '--loglevel=error']
    spawnSync('npm', args, { cwd: dir, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
    if (!loads())
      throw new Failure('better-sqlite3 could not be compiled (see above). The cases without it run: see --only.')
  })
}
