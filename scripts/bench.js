import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled } from './lib/ensure.js'
import { ensurePrograms } from './lib/programs.js'
import { ROOT } from './lib/root.js'
import { Failure, foreground, main } from './lib/run.js'

await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  await ensurePrograms()
  const bench = join(ROOT, 'bench')
  // The peers that holdpoint is measured against are installed here only, never with the package.
  if (existsSync(join(bench, 'package.json'))) await ensureInstalled(bench)
  const file = join(bench, 'main.js')
  if (!existsSync(file)) throw new Failure('bench/main.js is missing: there is nothing to measure.')
  return foreground(process.execPath, [file, ...process.argv.slice(2)])
})
