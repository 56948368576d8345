// @ts-check
import { spread } from './spread.js'

/** One subject's process: plays a turn whenever it is told how many samples, and ends when its parent lets go of it. */
const [, , module = '', params = '{}'] = process.argv
const { create } = /** @type {{ create: import('./subject.js').CreateSubject }} */ (
  await import(new URL(`../subjects/${module}.js`, import.meta.url).href)
)
const { prepare, run, close } = await create(JSON.parse(params))

/** @param {number} samples */
async function play(samples) {
  const made = prepare ? await prepare(samples) : []
  const times = []
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
  return { wall: spread(times).median, cpu: cpu / samples, share: cpu / took }
}

process.on('message', async (samples) => {
  process.send?.(await play(Number(samples)))
})
process.on('disconnect', async () => {
  await close?.()
  process.exit()
})
process.send?.('ready')
