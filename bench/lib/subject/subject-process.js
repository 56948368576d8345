// @ts-check

import { createWalMeter } from '../postgres/wal-meter.js'
import { percentile } from '../report/spread.js'

/** One subject's process: plays a turn whenever it is told how many samples, and ends when its parent lets go of it. */
const [, , module = '', params = '{}'] = process.argv
const { create } = /** @type {{ create: import('./subject.js').CreateSubject }} */ (
  await import(new URL(`../../subjects/${module}.js`, import.meta.url).href)
)
/** @type {import('./subject.js').Params} */
const given = JSON.parse(params)
const { prepare, run, close } = await create(given)
const meter = given.wal ? await createWalMeter(given.url ?? '', given.wal === 'checkpoint') : undefined

/** @param {number} samples */
async function play(samples) {
  const made = prepare ? await prepare(samples) : []
  const times = []
  const written = (await meter?.begin()) ?? 0
  const used = process.cpuUsage()
  const began = performance.now()
  for (let i = 0; i < samples; i++) {
    const start = performance.now()
    const own = /** @type {{ ms?: number } | undefined} */ (await run(made[i]))
    times.push(own?.ms ?? performance.now() - start)
  }
  const took = performance.now() - began
  const { user, system } = process.cpuUsage(used)
  const cpu = (user + system) / 1000
  const wal = ((await meter?.read()) ?? 0) - written
  return {
    wall: percentile(times, 0.5),
    tail: percentile(times, 0.95),
    cpu: cpu / samples,
    share: cpu / took,
    wal: wal / samples,
  }
}

process.on('message', async (samples) => {
  process.send?.(await play(Number(samples)))
})
process.on('disconnect', async () => {
  await meter?.close()
  await close?.()
  process.exit()
})
process.send?.('ready')
