// @ts-check
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { historyChart } from './lib/report/chart.js'
import { toTable } from './lib/report/table.js'

/** Each is a module of `cases/` that exports a function of its name. They load their peers, so each is loaded when it runs. */
const CASES = [
  'bytes',
  'growth',
  'memory',
  'policy',
  'inbox',
  'load',
  'long',
  'loop',
  'live',
  'text',
  'agents',
  'durable',
  'postgres',
  'gateway',
  'waiting',
  'screens',
  'queue',
  'resume',
  'size',
  'capacity',
  'startup',
]

/** Only if they are named: what they need is large, and is installed for them alone. */
const ON_REQUEST = ['restate']

const USAGE = `npm run bench -- [--quick] [--slow] [--node 24] [--only ${[...CASES, ...ON_REQUEST].join('|')}]

  --quick   fewer rounds and shorter warm-ups: about a quarter of an hour, wider error bars
  --slow    also one text cycle of 1000 tool turns (minutes for the peer alone)
  --only    one case; may be given several times. ${ON_REQUEST.join(', ')}: only if named
  --threads for size: up to how many threads (100000)
  --predict for capacity: measures nothing, and prints what the recorded parameters say
  --record  for capacity: records the parameters that this run measured; for durable and text: draws history.svg
  --node    a release of Node to measure on; it is fetched from npm`

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    slow: { type: 'boolean', default: false },
    threads: { type: 'string' },
    predict: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const unknown = values.only?.find((name) => ![...CASES, ...ON_REQUEST].includes(name))
if (values.help || unknown !== undefined) {
  console.log(USAGE)
  process.exit(unknown === undefined ? 0 : 2)
}

const started = performance.now()
const lines = []
let failed = false
for (const name of values.only ?? CASES) {
  try {
    const { [name]: run } = await import(`./cases/${name}.js`)
    lines.push(...(await run(values)))
  } catch (error) {
    // What the others measured took minutes: it is shown all the same.
    console.error(`${name} failed:`, error)
    failed = true
  }
}
console.log(toTable(lines))
const chart = values.record ? historyChart(lines.flatMap(({ point }) => point ?? [])) : undefined
if (chart !== undefined) writeFileSync(new URL('./history.svg', import.meta.url), chart)
// What was measured while others worked is no proof.
const missed = lines.filter(({ ok, unsure }) => ok === false || (ok && unsure)).length
const judged = lines.filter(({ ok }) => ok !== undefined).length
const seconds = Math.round((performance.now() - started) / 1000)
console.log(`\n${judged - missed} of ${judged} targets surely reached; Node ${process.versions.node}, ${seconds} s.`)
process.exitCode = missed > 0 || failed ? 1 : 0
