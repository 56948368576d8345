import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled } from './lib/ensure.js'
import { ROOT } from './lib/root.js'
import { Failure, foreground, main } from './lib/run.js'

await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  const cli = join(ROOT, 'dist', 'cli', 'main.js')
  if (!existsSync(cli)) throw new Failure('src/cli/main.ts is missing: there is nothing to start.')
  return foreground(process.execPath, [cli, 'start', ...process.argv.slice(2)])
})
