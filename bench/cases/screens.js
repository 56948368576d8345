// @ts-check
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { progress } from '../lib/report/progress.js'
import { spread } from '../lib/report/spread.js'
import { inFolder } from '../lib/sqlite/files.js'

/** @typedef {import('../lib/report/table.js').Line} Line */
/** @typedef {{ rss: number, heap: number }} Memory */

const SCREENS = 1000
const MOST_KB = 100
const MOST_MS = 500
const ASKS_PER_SECOND = 5
const CHILD = fileURLToPath(new URL('../lib/processes/screens-process.js', import.meta.url))

/** A thousand reviewers at one process: what each costs, and how soon a request is on the last screen. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
export async function screens({ quick }) {
  return inFolder(async (dir) => {
    progress(`screens: ${SCREENS} streams open, twice`)
    const gateway = await start('gateway', join(dir, 'store.db'))
    const bare = await start('bare', '')
    try {
      const [own, theirs] = [[], []].map(() => /** @type {number[]} */ ([]))
      for (let n = -5; n < (quick ? 50 : 200); n++) {
        progress(`screens: request ${n} of ${quick ? 50 : 200}`)
        const next = sleep(1000 / ASKS_PER_SECOND)
        const [one, other] = [await gateway.lastScreen(), await bare.lastScreen()]
        if (n >= 0) {
          own?.push(one)
          theirs?.push(other)
        }
        await next
      }
      return lines({ gateway: gateway.memory, bare: bare.memory, own: own ?? [], theirs: theirs ?? [] })
    } finally {
      progress('')
      await Promise.all([gateway.end(), bare.end()])
    }
  })
}

/** Starts a server and opens all streams. @param {string} kind @param {string} path */
async function start(kind, path) {
  const child = fork(CHILD, [kind, path, String(SCREENS)], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  /** @type {(what: string) => Promise<any>} */
  const say = async (what) => {
    child.send({ what })
    const [answer] = await once(child, 'message')
    return answer
  }
  const [{ ready }] = await once(child, 'message')
  const before = /** @type {Memory} */ ((await say('memory')).memory)
  const seen = await openStreams(ready)
  const after = /** @type {Memory} */ ((await say('memory')).memory)
  return {
    memory: { rss: after.rss - before.rss, heap: after.heap - before.heap },
    /** Milliseconds from the write of a request until every screen has it. */
    async lastScreen() {
      const arrived = seen.next()
      const { asked } = await say('ask')
      return Number((await arrived) - BigInt(asked.at)) / 1e6
    },
    async end() {
      seen.close()
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}

/** @param {{ port: number, cookies: string[] }} at */
async function openStreams({ port, cookies }) {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  let left = 0
  /** @type {(at: bigint) => void} */
  let done = () => undefined
  const opened = cookies.map(
    (cookie) =>
      new Promise((resolve, reject) => {
        get({ host: '127.0.0.1', port, path: '/v1/events', agent, headers: { cookie } }, (response) => {
          if (response.statusCode !== 200) return reject(new Error(`HTTP ${response.statusCode}`))
          response.setEncoding('utf8')
          response.on('data', (/** @type {string} */ text) => {
            if (text.includes('\nid: ') || text.startsWith('id: ')) resolve(undefined)
            if (!text.includes('"what":"opened"')) return
            left -= 1
            if (left === 0) done(process.hrtime.bigint())
          })
          response.on('error', () => undefined)
        }).on('error', reject)
      }),
  )
  await Promise.all(opened)
  return {
    /** Resolves to when the last screen got the next event. @returns {Promise<bigint>} */
    next() {
      left = cookies.length
      return new Promise((resolve) => {
        done = resolve
      })
    },
    close: () => agent.destroy(),
  }
}

/** @param {{ gateway: Memory, bare: Memory, own: number[], theirs: number[] }} measured @returns {Line[]} */
function lines({ gateway, bare, own, theirs }) {
  const kb = (/** @type {number} */ bytes) => bytes / SCREENS / 1024
  const ratio = spread(own.map((each, n) => each / (theirs[n] ?? Number.NaN)))
  const p99 = at(own, 0.99)
  return [
    {
      what: `memory of each of ${SCREENS} signed-in screens at one gateway`,
      target: `< ${MOST_KB} KB`,
      measured: `${kb(gateway.rss).toFixed(1)} KB (heap ${kb(gateway.heap).toFixed(1)} KB)`,
      ok: kb(gateway.rss) < MOST_KB,
    },
    {
      what: '– of each connection of a bare node:http server',
      measured: `${kb(bare.rss).toFixed(1)} KB (heap ${kb(bare.heap).toFixed(1)} KB); the gateway's are ${(gateway.rss / bare.rss).toFixed(1)}×`,
    },
    {
      what: `– from the write of a request to the last of ${SCREENS} screens, p99`,
      target: `≤ ${MOST_MS} ms`,
      measured: `${p99.toFixed(1)} ms (p50 ${at(own, 0.5).toFixed(1)} ms)`,
      ok: p99 <= MOST_MS,
    },
    {
      what: '– bare: the same bytes written to as many connections',
      measured: `p50 ${at(theirs, 0.5).toFixed(1)} ms, p99 ${at(theirs, 0.99).toFixed(1)} ms; the gateway takes ${ratio.median.toFixed(1)}× (${ratio.low.toFixed(1)}–${ratio.high.toFixed(1)})`,
    },
  ]
}

/** @param {readonly number[]} values @param {number} part */
function at(values, part) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
