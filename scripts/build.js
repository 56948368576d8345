import { ensureBuilt, ensureInstalled } from './lib/ensure.js'
import { main } from './lib/run.js'

await main(async () => {
  await ensureInstalled()
  await ensureBuilt({ force: process.argv.includes('--force') })
  return 0
})
