import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { ensureBuilt, ensureInstalled } from './lib/ensure.js'
import { withLock } from './lib/lock.js'
import { ensurePrograms } from './lib/programs.js'
import { ROOT } from './lib/root.js'
import { Failure, main } from './lib/run.js'
import { runTests } from './lib/vitest.js'

/** The releases of Node that the package supports. */
const MAJORS = ['20', '22', '24']

/** The program of a release: this one, or what npm brings. It is kept in .build/. @param {string} major */
async function nodeOf(major) {
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

/** @param {string} node @param {string[]} tests */
function runOn(node, tests) {
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`
  return runTests(tests, { node, env: { ...process.env, PATH } })
}

await main(async () => {
  const args = process.argv.slice(2)
  const named = args.filter((arg) => MAJORS.includes(arg))
  const tests = args.filter((arg) => !MAJORS.includes(arg))
  await ensureInstalled()
  await ensureBuilt()
  await ensurePrograms()
  /** @type {string[]} */
  const failed = []
  for (const major of named.length > 0 ? named : MAJORS) {
    const node = await nodeOf(major)
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
    console.log(`\n— Node ${stdout.trim()}`)
    if ((await runOn(node, tests)) !== 0) failed.push(major)
  }
  if (failed.length > 0) console.log(`\nfailed on Node ${failed.join(', ')}`)
  return failed.length > 0 ? 1 : 0
})
