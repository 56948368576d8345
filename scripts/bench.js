import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled } from './lib/ensure.js'
import { ensurePrograms } from './lib/programs.js'
import { ROOT } from './lib/root.js'
import { Failure, foreground, main } from './lib/run.js'
import { ensureSqliteDriver } from './lib/sqlite-driver.js'

/** The cases that measure LangChain on SQLite, which loads better-sqlite3. */
const COMPILED = ['durable']

await main(async () => {
  const args = process.argv.slice(2)
  const bench = join(ROOT, 'bench')
  const file = join(bench, 'main.js')
  if (!existsSync(file)) throw new Failure('bench/main.js is missing: there is nothing to measure.')
  await ensureInstalled()
  await ensureBuilt()
  if (!args.includes('--help') && !args.includes('-h')) {
    await ensurePrograms()
    // The peers that holdpoint is measured against are installed here only, never with the package.
    await ensureInstalled(bench, { scripts: false })
    const all = !args.some((arg) => arg.startsWith('--only'))
    if (all || COMPILED.some((name) => args.includes(name) || args.includes(`--only=${name}`)))
      await ensureSqliteDriver(bench)
  }
  return foreground(process.execPath, [file, ...args])
})
