import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ENTRIES } from './layout.js'
import { apiReport } from './lib/api-report.js'
import { ensureBuilt, ensureInstalled } from './lib/ensure.js'
import { ROOT } from './lib/root.js'
import { main } from './lib/run.js'

// Writes docs/api: what each entry point exports, as its declarations say. The tests compare.
await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  const dir = join(ROOT, 'docs', 'api')
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  const entries = Object.keys(ENTRIES)
  const read = (/** @type {string} */ path) => readFileSync(join(ROOT, 'dist', path), 'utf8')
  for (const entry of entries) writeFileSync(join(dir, `${entry}.api.d.ts`), apiReport(entry, { entries, read }))
  return 0
})
