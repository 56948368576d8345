import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureBuilt, ensureInstalled } from './lib/ensure.js'
import { nodeOf } from './lib/nodes.js'
import { ensurePrograms } from './lib/programs.js'
import { ROOT } from './lib/root.js'
import { Failure, foreground, main } from './lib/run.js'
import { ensureSqliteDriver } from './lib/sqlite-driver.js'

/** The cases that measure LangChain on SQLite, which loads better-sqlite3. */
const COMPILED = ['durable']

/** The program to measure on, and the arguments without it. */
async function chosen() {
  const { values, tokens } = parseArgs({ options: { node: { type: 'string' } }, strict: false, tokens: true })
  const taken = tokens.flatMap((token) =>
    token.kind === 'option' && token.name === 'node'
      ? [token.index, ...(token.inlineValue ? [] : [token.index + 1])]
      : [],
  )
  const args = process.argv.slice(2).filter((_, index) => !taken.includes(index))
  return { args, node: typeof values.node === 'string' ? await nodeOf(values.node) : process.execPath }
}

await main(async () => {
  const { args, node } = await chosen()
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
      await ensureSqliteDriver(bench, node)
  }
  return foreground(node, [file, ...args])
})
