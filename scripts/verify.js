import { join } from 'node:path'
import { checkPackage } from './checks/package.js'
import { ensureBuilt, ensureInstalled } from './lib/ensure.js'
import { ROOT } from './lib/root.js'
import { capture, Failure, foreground, main } from './lib/run.js'
import { TSC } from './lib/tsc.js'

/** @typedef {{ ok: boolean, output: string }} Outcome */

/**
 * Runs a program of node_modules (or of scripts/) by its file: no shell, no npx, the same on every system.
 * @param {string} file
 * @param {string[]} args
 */
const node = (file, ...args) => capture(process.execPath, [join(ROOT, file), ...args], { cwd: ROOT })

/** @type {Record<string, () => Outcome | Promise<Outcome>>} */
const CHECKS = {
  lint: () =>
    node('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--max-diagnostics=50', '.'),
  types: () => capture(process.execPath, [...TSC, '-p', 'tsconfig.json', '--noEmit'], { cwd: ROOT }),
  'types of the page': () =>
    capture(process.execPath, [...TSC, '-p', 'inbox/tsconfig.json', '--noEmit'], { cwd: ROOT }),
  boundaries: () => node('scripts/boundaries.js'),
  sizes: () => node('scripts/sizes.js'),
  'dead code': () => node('node_modules/knip/bin/knip.js', '--no-config-hints'),
  package: checkPackage,
  tests: async () => ({ ok: (await foreground(process.execPath, [join(ROOT, 'scripts/test.js')])) === 0, output: '' }),
}

/** @param {string[]} args */
function chosen(args) {
  const only = args.filter((arg) => arg !== '--no-tests')
  const unknown = only.find((arg) => !(arg in CHECKS))
  if (unknown)
    throw new Failure(`there is no check '${unknown}'. Choose from ${Object.keys(CHECKS).join(', ')} [--no-tests]`)
  const names = only.length > 0 ? only : Object.keys(CHECKS)
  return names.filter((name) => !(name === 'tests' && args.includes('--no-tests')))
}

await main(async () => {
  const names = chosen(process.argv.slice(2))
  await ensureInstalled()
  await ensureBuilt()
  /** @type {string[]} */
  const summary = []
  let failed = 0
  for (const name of names) {
    console.log(`\n— ${name}`)
    const started = performance.now()
    const run = /** @type {() => Outcome | Promise<Outcome>} */ (CHECKS[name])
    const { ok, output } = await run()
    if (!ok) failed++
    if (!ok && output) console.log(output.trimEnd())
    const line = `${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(12)} ${((performance.now() - started) / 1000).toFixed(1)} s`
    summary.push(line)
    console.log(line)
  }
  console.log(
    `\n${summary.join('\n')}\n${failed === 0 ? 'all checks passed' : `${failed} of ${names.length} checks failed`}`,
  )
  return failed === 0 ? 0 : 1
})
