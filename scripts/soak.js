import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
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

/** The same seeds every time, unless others are asked for. @param {string} given */
function seedOf(given) {
  const seed = given === 'random' ? randomInt(1, 1_000_000) : Number(given)
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Failure('--seed takes a whole number, or random')
  return seed
}

await main(async () => {
  const { values, positionals: wanted } = parseArgs({
    options: { seed: { type: 'string', default: '1' } },
    allowPositionals: true,
  })
  const seed = seedOf(values.seed)
  const files = soaked(wanted)
  if (files.length === 0) throw new Failure(`no test with a long form is called '${wanted.join(' ')}'`)
  await ensureInstalled()
  await ensureBuilt()
  await ensurePrograms()
  console.log(`holdpoint: ${files.length} test files in their long form, seed ${seed}`)
  const env = { ...process.env, HOLDPOINT_SOAK: 'long', HOLDPOINT_SEED: String(seed) }
  return runTests(['--testTimeout=300000', ...files], { env })
})
