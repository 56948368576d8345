// @ts-check
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { createHoldpoint } from '../../peers/holdpoint.js'
import { percentile } from '../report/spread.js'
import { loadHoldpoint } from '../subject/dist.js'
import { CommitMeter } from './commit-meter.js'

const LANES = 200
/** Cycles of each thread before the clock starts: V8 takes some thousands in all to optimise what they run. */
const WARM_UP = 20

/** One process: approve cycles of many threads at once, whose models take a while to answer. Tells how long turns of its event loop took, and commits in them. */
const [, , where = 'memory', rounds = '1'] = process.argv
const { memoryStore, sqliteStore } = await loadHoldpoint()
// Beside the other files of this machine: a folder in memory would have nothing to sync.
const dir = mkdtempSync(join(process.env.HOLDPOINT_BENCH_DIR ?? tmpdir(), 'holdpoint-loop-'))
const path = join(dir, 'store.db')
const meter = new CommitMeter()
const { crashPoint } = meter
const stores = {
  memory: () => memoryStore(),
  process: () => sqliteStore({ path, durability: 'process', crashPoint }),
  power: () => sqliteStore({ path, crashPoint }),
  thread: () => sqliteStore({ path, thread: true }),
}
const store = meter.watch(stores[/** @type {keyof typeof stores} */ (where)]())
let isWarm = false
const answerMs = () => (isWarm ? 50 + Math.random() * 200 : 0)
const peers = Array.from({ length: LANES }, () => createHoldpoint({ answerMs }))

/** @param {number} lane @param {string} name */
const cycle = (lane, name) => peers[lane]?.durableCycle(store, name)

for (let warm = 0; warm < WARM_UP; warm++)
  await Promise.all(peers.map((_, lane) => cycle(lane, `warm-${warm}-${lane}`)))
isWarm = true
const delay = monitorEventLoopDelay({ resolution: 1 })
const used = process.cpuUsage()
const began = performance.now()
delay.enable()
meter.take()
await Promise.all(
  peers.map(async (_, lane) => {
    await pause(Math.random() * 1000)
    for (let round = 0; round < Number(rounds); round++) await cycle(lane, `t-${lane}-${round}`)
  }),
)
delay.disable()
const took = performance.now() - began
const { user, system } = process.cpuUsage(used)
const held = meter.take()
process.send?.({
  p50: delay.percentile(50) / 1e6,
  p99: delay.percentile(99) / 1e6,
  most: delay.max / 1e6,
  commitP50: percentile(held, 0.5),
  commitP99: percentile(held, 0.99),
  commitMost: percentile(held, 1),
  commitSum: held.reduce((sum, ms) => sum + ms, 0) / (LANES * Number(rounds)),
  cycles: (LANES * Number(rounds) * 1000) / took,
  share: (user + system) / 1000 / took,
})
await store.close()
rmSync(dir, { recursive: true })
