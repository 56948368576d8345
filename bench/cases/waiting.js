// @ts-check
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bareConnection, withRedis } from '../lib/processes/redis.js'
import { progress } from '../lib/report/progress.js'
import { inFolder } from '../lib/sqlite/files.js'
import { loadRedisStreams } from '../lib/subject/dist.js'

/** @typedef {import('../lib/report/table.js').Line} Line */

const WAITERS = 10_000
const MOST_KB = 25
const MOST_OVER_MS = 5
const WAKES_PER_SECOND = 100
/** A bare wake-up that takes longer was kept waiting by other programs. */
const DISTURBED_MS = 3
const CHILD = fileURLToPath(new URL('../lib/processes/waiters-process.js', import.meta.url))

/** Ten thousand people who wait in one process, woken by another: what each costs, and how soon it wakes. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
export async function waiting({ quick }) {
  return inFolder((dir) => withRedis(dir, (port) => measure(port, quick ? 500 : 2000)))
}

/** @param {number} port @param {number} wakes @returns {Promise<Line[]>} */
async function measure(port, wakes) {
  const { redisStreams } = await loadRedisStreams()
  const streams = redisStreams({ url: `redis://127.0.0.1:${port}`, timeoutMs: 60_000 })
  const bare = await bareConnection(port)
  progress(`waiting: ${WAITERS} begin to wait`)
  const child = fork(CHILD, [String(port), String(WAITERS)], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  /** @type {Map<string, (at: bigint) => void>} */
  const woken = new Map()
  const ready = new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('the process that waits ended (see above)')))
    child.on('message', (/** @type {any} */ message) => {
      if (message.ready) return resolve(message.ready)
      woken.get(message.woken)?.(BigInt(message.at))
    })
  })
  try {
    const { rss, heap, connections } = await ready
    /** Milliseconds from the call until the one who waits has it. @param {string} who @param {() => Promise<unknown>} wake */
    const time = async (who, wake) => {
      const arrived = new Promise((resolve) => woken.set(who, resolve))
      const began = process.hrtime.bigint()
      await wake()
      return Number((await arrived) - began) / 1e6
    }
    const waker = (/** @type {number} */ n) => () => streams.send(`session-${n}`, note())
    const wakeBare = () => bare.say('XADD bare * v 1')
    for (let n = 0; n < 100; n++) await time(`${n}`, waker(n))
    for (let n = 0; n < 100; n++) await time('bare', wakeBare)

    const own = []
    const theirs = []
    for (let n = 0; n < wakes; n++) {
      progress(`waiting: wake ${n} of ${wakes}`)
      const next = sleep(1000 / WAKES_PER_SECOND)
      const place = (n * 7919) % WAITERS
      own.push(await time(`${place}`, waker(place)))
      theirs.push(await time('bare', wakeBare))
      await next
    }
    progress('waiting: all at once')
    const began = performance.now()
    await Promise.all(Array.from({ length: WAITERS }, (_, n) => time(`${n}`, waker(n))))
    const together = performance.now() - began
    return lines({ rss, heap, connections, own, theirs, together })
  } finally {
    progress('')
    await streams.shutdown()
    bare.close()
    if (child.connected) {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    }
  }
}

/** @returns {any} */
function note() {
  return { msg_id: randomUUID(), msg_type: 'Notification', content: { text: 'Something happened.' } }
}

/** @param {{ rss: number, heap: number, connections: number, own: number[], theirs: number[], together: number }} measured @returns {Line[]} */
function lines({ rss, heap, connections, own, theirs, together }) {
  const kb = rss / WAITERS / 1024
  const over = at(own, 0.99) - at(theirs, 0.99)
  return [
    {
      what: `memory of each of ${WAITERS} who wait in one process`,
      target: `< ${MOST_KB} KB`,
      measured: `${kb.toFixed(1)} KB (heap ${(heap / WAITERS / 1024).toFixed(1)} KB)`,
      ok: kb < MOST_KB,
    },
    { what: '– connections to Redis', target: '≤ 2', measured: `${connections}`, ok: connections <= 2 },
    {
      what: `– wake-up at ${WAKES_PER_SECOND} a second, p99, over a bare blocking XREAD`,
      target: `≤ ${MOST_OVER_MS} ms`,
      measured: `${over.toFixed(2)} ms`,
      ok: over <= MOST_OVER_MS,
      unsure: at(theirs, 0.99) > DISTURBED_MS,
    },
    { what: '– wake-up', measured: `p50 ${at(own, 0.5).toFixed(2)} ms, p99 ${at(own, 0.99).toFixed(2)} ms` },
    {
      what: '– bare XADD to blocking XREAD',
      measured: `p50 ${at(theirs, 0.5).toFixed(2)} ms, p99 ${at(theirs, 0.99).toFixed(2)} ms`,
    },
    { what: '– all at once: until the last is awake', measured: `${Math.round(together)} ms` },
  ]
}

/** @param {readonly number[]} values @param {number} part */
function at(values, part) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
