import { spawnSync } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { ensureBuilt, ensureInstalled } from './lib/ensure.js'
import { nodeOf } from './lib/nodes.js'
import { ensurePrograms } from './lib/programs.js'
import { main } from './lib/run.js'
import { runTests } from './lib/vitest.js'

/** The releases of Node that the package supports. */
const MAJORS = ['20', '22', '24']

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
