import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from './lock.js'
import { ROOT } from './root.js'
import { Failure } from './run.js'

/** The program of a release: this one, or what npm brings. It is kept in .build/. @param {string} major */
export async function nodeOf(major) {
  if (process.versions.node.split('.')[0] === major) return process.execPath
  const windows = process.platform === 'win32'
  const name = `node-${windows ? 'win' : process.platform}-${process.arch}`
  const folder = join(ROOT, '.build', 'nodes', major)
  const program = join(folder, 'node_modules', name, 'bin', windows ? 'node.exe' : 'node')
  await withLock(ROOT, `node-${major}`, () => {
    if (existsSync(program)) return
    console.error(`holdpoint: fetching Node ${major} …`)
    mkdirSync(folder, { recursive: true })
    const args = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, `${name}@${major}`]
    const npm = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2], shell: windows })
    if (npm.status !== 0) throw new Failure(`npm could not install ${name}@${major} (see above).`)
  })
  return program
}
