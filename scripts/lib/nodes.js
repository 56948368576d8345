import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from './lock.js'
import { ROOT } from './root.js'
import { Failure } from './run.js'

/** The program of a release: this one, or the one that npm brings. @param {string} major */
function placeOf(major) {
  if (process.versions.node.split('.')[0] === major) return { program: process.execPath }
  const windows = process.platform === 'win32'
  const name = `node-${windows ? 'win' : process.platform}-${process.arch}`
  const folder = join(ROOT, '.build', 'nodes', major)
  const inside = join('node_modules', name, 'bin', windows ? 'node.exe' : 'node')
  return { name, folder, inside, program: join(folder, inside) }
}

/** The program of a release. It is fetched from npm if it is not there, and kept in .build/. @param {string} major */
export async function nodeOf(major) {
  const { name, folder, inside, program } = placeOf(major)
  if (folder === undefined) return program
  await withLock(ROOT, `node-${major}`, () => {
    if (existsSync(program)) return
    console.error(`holdpoint: fetching Node ${major} …`)
    // In a folder of its own first: what a killed npm leaves behind must not look complete.
    const next = `${folder}-${process.pid}`
    try {
      mkdirSync(next, { recursive: true })
      const args = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', next, `${name}@${major}`]
      const npm = spawnSync('npm', args, { cwd: next, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
      if (npm.status !== 0 || !existsSync(join(next, inside)))
        throw new Failure(`npm could not install ${name}@${major} (see above). Check the network, then run it again.`)
      rmSync(folder, { recursive: true, force: true })
      renameSync(next, folder)
    } finally {
      rmSync(next, { recursive: true, force: true })
    }
  })
  return program
}

/** The program of a release that was fetched before. Throws if it was not, and says what to do. @param {string} major */
export function fetchedNode(major) {
  const { program } = placeOf(major)
  if (existsSync(program)) return program
  throw new Failure(
    `This needs Node ${major}, which \`npm test\` fetches from npm before the first test: see what it has printed about that.`,
  )
}
