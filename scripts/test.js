import { ensureBuilt, ensureInstalled } from './lib/ensure.js'
import { ensurePrograms } from './lib/programs.js'
import { main } from './lib/run.js'
import { runTests } from './lib/vitest.js'

await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  await ensurePrograms()
  return runTests(process.argv.slice(2))
})
