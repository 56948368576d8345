import { openDesk } from '../../../dist/index.js'
import { sqliteStore } from '../../../dist/sqlite.js'

/**
 * What an agent tries in its shell, one attempt after another in one process: commands of holdpoint, and programs that open the store file with its library.
 * Reads the attempts as JSON from standard input and prints how each ended.
 *
 * @typedef {{ run: 'holdpoint', args: readonly string[] }} CommandAttempt
 * @typedef {{ run: 'decide', path: string, id: string, by: import('../../../dist/index.js').Actor }} LibraryAttempt
 * @typedef {CommandAttempt | LibraryAttempt} Attempt
 */

const MAIN = new URL('../../../dist/cli/main.js', import.meta.url)
const print = process.stdout.write.bind(process.stdout)
const argv = process.argv.slice(0, 2)
let count = 0

/** @param {CommandAttempt} attempt */
async function command({ args }) {
  const printed = { stdout: '', stderr: '' }
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    process[name].write = (/** @type {unknown} */ chunk) => {
      printed[name] += String(chunk)
      return true
    }
  }
  process.argv = [...argv, ...args]
  process.exitCode = undefined
  count += 1
  await import(`${MAIN.href}?attempt=${count}`)
  return { code: Number(process.exitCode ?? 0), ...printed }
}

/** @param {LibraryAttempt} attempt */
async function library({ path, id, by }) {
  try {
    const store = sqliteStore({ path })
    await openDesk({ store }).decide({ id, decision: { type: 'approve' }, by })
    return { code: 0, stdout: '', stderr: '' }
  } catch (error) {
    return { code: 1, stdout: '', stderr: String(error) }
  }
}

let input = ''
for await (const chunk of process.stdin) input += chunk
const ends = []
for (const attempt of /** @type {Attempt[]} */ (JSON.parse(input)))
  ends.push(await (attempt.run === 'holdpoint' ? command(attempt) : library(attempt)))
print(JSON.stringify(ends), () => process.exit(0))
