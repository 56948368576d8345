// @ts-check
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { progress } from '../lib/report/progress.js'
import { spread } from '../lib/report/spread.js'
import { ms, times } from '../lib/report/table.js'
import { DIST } from '../lib/subject/dist.js'

/** @typedef {import('../lib/report/table.js').Line} Line */

const LONGEST_RATIO = 1.5
const LONGEST_HELP_MS = 120

/** Prints the processor time of the whole process, of all its threads, when it ends. */
const REPORT = `data:text/javascript,${encodeURIComponent(`import { writeSync } from 'node:fs'
  process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    writeSync(2, '\\nCPU ' + (user + system) / 1000)
  })`)}`

const PROGRAMS = {
  bare: ['--input-type=module', '-e', ''],
  zod: ['--input-type=module', '-e', "import 'zod'"],
  holdpoint: ['--input-type=module', '-e', `import ${JSON.stringify(join(DIST, 'index.js'))}`],
  help: [join(DIST, 'cli/main.js'), '--help'],
}

/** Processor time of processes that load something and end, in turn. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
export async function startup({ quick }) {
  const rounds = quick ? 15 : 51
  const rows = Array.from({ length: rounds }, (_, round) => {
    progress(`start-up: ${round} of ${rounds}`)
    return {
      bare: processorTime(PROGRAMS.bare),
      zod: processorTime(PROGRAMS.zod),
      holdpoint: processorTime(PROGRAMS.holdpoint),
      help: processorTime(PROGRAMS.help),
    }
  })
  progress('')
  const ratio = spread(rows.map(({ bare, zod, holdpoint }) => (holdpoint - bare) / (zod - bare)))
  const help = spread(rows.map((row) => row.help))
  return [
    {
      what: "start-up: import 'holdpoint' ÷ import 'zod', CPU time over that of an empty program",
      target: `≤ ${LONGEST_RATIO}×`,
      measured: times(ratio),
      ok: ratio.median <= LONGEST_RATIO,
    },
    { what: "  import 'holdpoint'", measured: ms(spread(rows.map(({ bare, holdpoint }) => holdpoint - bare))) },
    { what: "  import 'zod'", measured: ms(spread(rows.map(({ bare, zod }) => zod - bare))) },
    { what: '  an empty program', measured: ms(spread(rows.map(({ bare }) => bare))) },
    {
      what: 'start-up: holdpoint --help, CPU time of the process',
      target: `≤ ${LONGEST_HELP_MS} ms`,
      measured: ms(help),
      ok: help.median <= LONGEST_HELP_MS,
    },
  ]
}

/** @param {readonly string[]} args */
function processorTime(args) {
  // Where `zod` is the one that the build loads.
  const options = /** @type {const} */ ({ cwd: DIST, encoding: 'utf8' })
  const { status, stderr } = spawnSync(process.execPath, ['--import', REPORT, ...args], options)
  const found = /CPU ([\d.]+)$/.exec(stderr)
  if (status !== 0 || !found) throw new Error(`${args.join(' ')} failed: ${stderr}`)
  return Number(found[1])
}
