// @ts-check
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { withPostgres } from '../lib/postgres/postgres-server.js'
import { openQueue } from '../lib/processes/open-queue.js'
import { withRedis } from '../lib/processes/redis.js'
import { inFolder } from '../lib/sqlite/files.js'

/** @typedef {import('../lib/report/table.js').Line} Line */

const CONSUMER = fileURLToPath(new URL('../lib/processes/queue-process.js', import.meta.url))
const IN_FLIGHT = 32

/** The bare hand-off of each queue, to a process that sleeps. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
export async function queue({ quick }) {
  const rounds = quick ? 300 : 2000
  const redis = await inFolder((dir) =>
    withRedis(dir, (port) => {
      const options = { connection: `redis://127.0.0.1:${port}` }
      return handOffs({ engine: 'bullmq', options }, rounds)
    }),
  )
  const postgres = await withPostgres((connectionString) => {
    const options = { connectionString, listenConnectionString: connectionString }
    return handOffs({ engine: 'postgres', options }, rounds)
  })
  return [...toLines('BullMQ on Redis', redis), ...toLines('graphile-worker on Postgres', postgres)]
}

/** @param {import('../lib/subject/subject.js').QueueSpec} spec @param {number} rounds */
async function handOffs(spec, rounds) {
  const queue = await openQueue(spec)
  const child = fork(CONSUMER, [JSON.stringify(spec)])
  /** @type {Map<string, (at: bigint) => void>} */
  const waiting = new Map()
  await once(child, 'message')
  child.on('message', (/** @type {{ threadId: string, at: string }} */ { threadId, at }) => {
    waiting.get(threadId)?.(BigInt(at))
    waiting.delete(threadId)
  })
  /** In milliseconds, by the clock that both processes share. @param {string} threadId @returns {Promise<number>} */
  async function handOff(threadId) {
    const handed = new Promise((resolve) => waiting.set(threadId, resolve))
    const began = process.hrtime.bigint()
    await queue.ring({ tenantId: 'bench', threadId, route: 'bench' })
    return Number((await handed) - began) / 1e6
  }
  try {
    for (let n = 0; n < rounds / 10; n++) await handOff(`warm${n}`)
    const times = []
    for (let n = 0; n < rounds; n++) times.push(await handOff(`one${n}`))
    const began = performance.now()
    let next = 0
    const lane = async () => {
      while (next < rounds) await handOff(`many${next++}`)
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
    return { times: times.sort((a, b) => a - b), perSecond: rounds / ((performance.now() - began) / 1000) }
  } finally {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    await queue.close()
  }
}

/** @param {string} name @param {{ times: number[], perSecond: number }} measured @returns {Line[]} */
function toLines(name, { times, perSecond }) {
  const at = (/** @type {number} */ share) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2)
  return [
    {
      what: `hand-off by ${name}: ring → handler in another process`,
      measured: `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
    },
    { what: `  with ${IN_FLIGHT} under way`, measured: `${Math.round(perSecond)} a second` },
  ]
}
