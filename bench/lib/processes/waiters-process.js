// @ts-check
import { setTimeout as sleep } from 'node:timers/promises'
import { loadRedisStreams } from '../subject/dist.js'
import { bareConnection } from './redis.js'

/**
 * The process that waits. It is told a port and how many, opens so many sessions, waits on each, tells what that costs, and from then on tells when
 * each wake came: the clock that all processes of the machine share, and which one it was (`bare`, or the number of a session).
 */
const [, , port = '0', count = '0'] = process.argv
const WAIT_MS = 600_000

const { redisStreams } = await loadRedisStreams()
const streams = redisStreams({ url: `redis://127.0.0.1:${port}` })
const look = await bareConnection(Number(port))
const sessions = Array.from({ length: Number(count) }, (_, n) => `session-${n}`)
for (let i = 0; i < sessions.length; i += 500) {
  const some = sessions.slice(i, i + 500)
  await Promise.all(some.map((session) => streams.open(session, { owner: 'ann', expireSeconds: 3600 })))
}
const before = await memory()

/** @param {string} session @param {number} n */
async function waitOn(session, n) {
  for (let after = '0'; ; ) {
    const read = await streams.read(session, { after, waitMs: WAIT_MS })
    const at = process.hrtime.bigint()
    if (read.kind !== 'messages') return
    after = read.messages[0]?.position ?? after
    process.send?.({ woken: String(n), at: String(at) })
  }
}

const waiting = sessions.map(waitOn)
await until(async () => {
  const heard = /channels:(\d+)/.exec(await look.say('INFO stats'))?.[1]
  return Number(heard) >= sessions.length
})
await sleep(500)
const after = await memory()
// Two are not of the streams: the one that looks, and the one of the process that wakes.
const connections = (await look.say('CLIENT LIST')).match(/^id=/gm)?.length ?? 0
look.close()

const bare = await bareConnection(Number(port))
async function waitBare() {
  for (let last = '$'; ; ) {
    const answer = await bare.say(`XREAD BLOCK 0 STREAMS bare ${last}`)
    const at = process.hrtime.bigint()
    last = /(\d+-\d+)/.exec(answer)?.[1] ?? last
    process.send?.({ woken: 'bare', at: String(at) })
  }
}
waitBare().catch(() => undefined)
await sleep(50)
process.send?.({ ready: { rss: after.rss - before.rss, heap: after.heap - before.heap, connections: connections - 2 } })

process.on('disconnect', async () => {
  bare.close()
  await streams.shutdown()
  await Promise.all(waiting)
  process.exit()
})

/** Bytes, when what is not needed was collected. */
async function memory() {
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.()
    await sleep(50)
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, heap: heapUsed + external }
}

/** @param {() => Promise<boolean>} holds */
async function until(holds) {
  while (!(await holds())) await sleep(50)
}
