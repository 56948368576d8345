import { join } from 'node:path'
import { ensureBuilt, ensureInstalled } from './lib/ensure.js'
import { listFiles, readText } from './lib/files.js'
import { ensurePrograms } from './lib/programs.js'
import { ROOT } from './lib/root.js'
import { Failure, main } from './lib/run.js'
import { runTests } from './lib/vitest.js'

/** The tests that have a long form: those that import test/support/soak.ts. @param {string[]} wanted */
function soaked(wanted) {
  const files = ['src', 'test'].flatMap((folder) => listFiles(join(ROOT, folder)).map((path) => `${folder}/${path}`))
  return files.filter(
    (path) =>
      path.endsWith('.test.ts') &&
      (wanted.length === 0 || wanted.some((part) => path.includes(part))) &&
      /from '[./]+(?:support\/)?soak\.ts'/.test(readText(join(ROOT, path)) ?? ''),
  )
}

await main(async () => {
  const wanted = process.argv.slice(2)
  const files = soaked(wanted)
  if (files.length === 0) throw new Failure(`no test with a long form is called '${wanted.join(' ')}'`)
  await ensureInstalled()
  await ensureBuilt()
  await ensurePrograms()
  return runTests(['--testTimeout=300000', ...files], { env: { ...process.env, HOLDPOINT_SOAK: 'long' } })
})
