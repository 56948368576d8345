// @ts-check
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { progress } from '../lib/report/progress.js'
import { inFolder } from '../lib/sqlite/files.js'

const run = promisify(execFile)
const KEEPER = new URL('../lib/processes/keeper-process.js', import.meta.url).pathname
const MANY = 10_000

/** What a process keeps of threads that wait for people in an SQLite store. @returns {Promise<import('../lib/report/table.js').Line[]>} */
export async function memory() {
  const lean = await kept('state', 20)
  const many = (lean * MANY) / 1e6
  return [
    {
      what: `${MANY} states of paused threads, 20 tool turns`,
      target: '< 50 MB',
      measured: `${many.toFixed(1)} MB`,
      ok: many < 50,
    },
    { what: '  one of them', measured: kilobytes(lean) },
    { what: '  one with 1 tool turn, which keeps its entries', measured: kilobytes(await kept('state', 1)) },
    idle('an idle thread, 1 tool turn', await kept('thread', 1)),
    idle('  20 tool turns', await kept('thread', 20)),
    held(await kept('held', 1000)),
  ]
}

/** Ten thousand of them are to take as much as ten thousand states. @param {string} what @param {number} bytes */
function idle(what, bytes) {
  return { what, target: '< 5 kB', measured: kilobytes(bytes), ok: bytes < 5000 }
}

/** About half of what it takes with its entries beside its conversation. @param {number} bytes */
function held(bytes) {
  return {
    what: 'a held state, 1000 tool turns',
    target: '≤ 1.05 MB',
    measured: kilobytes(bytes),
    ok: bytes <= 1_050_000,
  }
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`
}

/** Bytes of the heap that one takes. @param {'state' | 'thread' | 'held'} what @param {number} turns @returns {Promise<number>} */
function kept(what, turns) {
  progress(`memory: ${what}, ${turns} tool turns`)
  return inFolder(async (dir) => {
    const { stdout } = await run(process.execPath, ['--expose-gc', KEEPER, what, String(turns), dir])
    return Number(stdout)
  })
}
