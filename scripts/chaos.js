import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { ensureBuilt, ensureInstalled } from './lib/ensure.js'
import { ensurePrograms } from './lib/programs.js'
import { Failure, main } from './lib/run.js'
import { runTests } from './lib/vitest.js'

/** A number above zero. @param {string} name @param {string} given */
function positive(name, given) {
  const value = Number(given)
  if (!(value > 0 && Number.isFinite(value))) throw new Failure(`--${name} takes a number above 0, not ${given}`)
  return value
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(randomInt(1, 1_000_000)) },
      minutes: { type: 'string', default: '3' },
      threads: { type: 'string', default: '2000' },
    },
  })
  const seed = positive('seed', values.seed)
  const minutes = positive('minutes', values.minutes)
  const threads = Math.ceil(positive('threads', values.threads))
  await ensureInstalled()
  await ensureBuilt()
  await ensurePrograms()
  console.log(`holdpoint: chaos, replay its plan with --seed ${seed} --minutes ${minutes} --threads ${threads}`)
  const env = { ...process.env, HOLDPOINT_CHAOS: JSON.stringify({ seed, minutes, threads }) }
  return runTests(['--disable-console-intercept', '--silent=false', 'test/chaos/chaos.test.ts'], { env })
})
