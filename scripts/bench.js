import { spawnSync } from 'node:child_process'
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

/** From this release on they load version 13 of it, which npm brings with its binaries. */
const BRINGS_BINARIES = 22

/** The case whose peer has a folder of its own: its server is a program of 216 MB. */
const RESTATE = 'restate'

/** A network of its own for a program and all that it starts, with nothing but loopback. @param {string[]} argv */
function aloneOnLoopback(argv) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new Failure(
      'The Restate server asks GitHub for something when it starts, whatever DO_NOT_TRACK says. This case runs it where it reaches nobody, which takes Linux and root.',
    )
  return ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...argv]
}

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

/** Whether `--only` names a case. @param {string[]} args @param {string} name */
function isNamed(args, name) {
  return args.includes(name) || args.includes(`--only=${name}`)
}

/** @param {string} node */
function majorOf(node) {
  return Number(spawnSync(node, ['-p', "process.versions.node.split('.')[0]"], { encoding: 'utf8' }).stdout)
}

/** Whether better-sqlite3 must be compiled for what is measured. @param {string[]} args @param {string} node */
function needsDriver(args, node) {
  const all = !args.some((arg) => arg.startsWith('--only'))
  return (all || COMPILED.some((name) => isNamed(args, name))) && majorOf(node) < BRINGS_BINARIES
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
    if (isNamed(args, RESTATE)) await ensureInstalled(join(bench, RESTATE), { scripts: false })
    if (needsDriver(args, node)) await ensureSqliteDriver(bench, node)
  }
  const argv = [node, file, ...args]
  const [command = '', ...rest] = isNamed(args, RESTATE) ? aloneOnLoopback(argv) : argv
  return foreground(command, rest)
})
