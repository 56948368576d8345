// @ts-check
import { parseArgs } from 'node:util'
import { agents } from './cases/agents.js'
import { bytes } from './cases/bytes.js'
import { durable } from './cases/durable.js'
import { gateway } from './cases/gateway.js'
import { growth } from './cases/growth.js'
import { inbox } from './cases/inbox.js'
import { live } from './cases/live.js'
import { load } from './cases/load.js'
import { policy } from './cases/policy.js'
import { postgres } from './cases/postgres.js'
import { text } from './cases/text.js'
import { waiting } from './cases/waiting.js'
import { toTable } from './lib/table.js'

const CASES = { bytes, growth, policy, inbox, load, live, text, agents, durable, postgres, gateway, waiting }

const USAGE = `npm run bench -- [--quick] [--slow] [--only ${Object.keys(CASES).join('|')}]

  --quick   fewer rounds and shorter warm-ups: two minutes, wider error bars
  --slow    also one text cycle of 1000 tool turns (minutes for the peer alone)
  --only    one case; may be given several times`

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    slow: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const unknown = values.only?.find((name) => !(name in CASES))
if (values.help || unknown !== undefined) {
  console.log(USAGE)
  process.exit(unknown === undefined ? 0 : 2)
}

const started = performance.now()
const lines = []
for (const [name, run] of Object.entries(CASES)) {
  if (values.only === undefined || values.only.includes(name)) lines.push(...(await run(values)))
}
console.log(toTable(lines))
// What was measured while others worked is no proof.
const missed = lines.filter(({ ok, unsure }) => ok === false || (ok && unsure)).length
const judged = lines.filter(({ ok }) => ok !== undefined).length
const seconds = Math.round((performance.now() - started) / 1000)
console.log(`\n${judged - missed} of ${judged} targets surely reached; Node ${process.versions.node}, ${seconds} s.`)
process.exitCode = missed > 0 ? 1 : 0
