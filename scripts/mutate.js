import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled } from './lib/ensure.js'
import { ROOT } from './lib/root.js'
import { Failure, foreground, main } from './lib/run.js'

/**
 * Mutates source files one after the other, and remembers what was found for each: a second run tries only what changed.
 * `npm run mutate -- src/core/next.ts`; lines may follow, as in `src/core/next.ts:60-90`.
 * @param {string} target
 */
function mutate(target) {
  const name = target.replace(/:.*$/, '').replaceAll('/', '-').replace(/\.ts$/, '')
  const folder = join(ROOT, '.build', 'mutation')
  mkdirSync(folder, { recursive: true })
  const [, part = ''] = target.split('/')
  const stryker = join(ROOT, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js')
  const args = ['run', '--mutate', target, '--incremental', '--incrementalFile', join(folder, `${name}.json`)]
  return foreground(process.execPath, [stryker, ...args], {
    cwd: ROOT,
    env: { ...process.env, HOLDPOINT_MUTATE: part },
  })
}

await main(async () => {
  const targets = process.argv.slice(2)
  if (targets.length === 0)
    throw new Failure('say which files: npm run mutate -- src/core/next.ts src/core/fold/fold.ts')
  const missing = targets.find((target) => !existsSync(join(ROOT, target.replace(/:.*$/, ''))))
  if (missing) throw new Failure(`there is no ${missing}`)
  await ensureInstalled()
  let failed = 0
  for (const target of targets) if ((await mutate(target)) !== 0) failed++
  return failed === 0 ? 0 : 1
})
