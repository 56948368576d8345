// @ts-check
import { createHmac, randomUUID } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'
import { openConnection } from '../lib/processes/http-connection.js'
import { withRedis } from '../lib/processes/redis.js'
import { startServer } from '../lib/processes/server.js'
import { progress } from '../lib/report/progress.js'
import { spread } from '../lib/report/spread.js'
import { judge, ms, times } from '../lib/report/table.js'
import { inFolder } from '../lib/sqlite/files.js'
import { loadGateway, loadHoldpoint } from '../lib/subject/dist.js'

/**
 * @typedef {import('../lib/report/table.js').Line} Line
 * @typedef {import('../lib/processes/server.js').Server} Server
 * @typedef {import('../lib/processes/http-connection.js').HttpConnection} HttpConnection
 * @typedef {{ perSecond: number, p99: number, cpuMs: number }} Turn
 */

const CONNECTIONS = 64
const SECRET = 'a secret that both servers and the client of this bench know'

/** Poll and respond next to a bare handler that does the same calls, and whole round trips of an interrupt at several sizes. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
export async function gateway({ quick }) {
  return inFolder((dir) =>
    withRedis(dir, async (redisUrl) => {
      const { redisStreams } = await loadGateway()
      const streams = redisStreams({ url: redisUrl })
      try {
        const params = { redisUrl, secret: SECRET }
        const lines = await besideBare(streams, params, quick)
        lines.push(...(await reload(params)))
        for (const sessions of quick ? [1, 100] : [1, 100, 10_000]) {
          lines.push(...(await roundTrips(streams, params, { sessions, quick })))
        }
        return lines
      } finally {
        progress('')
        await streams.shutdown()
      }
    }),
  )
}

/** @typedef {Awaited<ReturnType<typeof loadGateway>>} Gateway @typedef {ReturnType<Gateway['redisStreams']>} Streams */

/** @param {Streams} streams @param {{ redisUrl: string, secret: string }} params @param {boolean} quick @returns {Promise<Line[]>} */
async function besideBare(streams, params, quick) {
  const names = /** @type {const} */ (['gateway', 'bare', 'steps'])
  const servers = await Promise.all([
    startServer('server-gateway', params),
    startServer('server-bare', params),
    startServer('server-bare', { ...params, steps: true }),
  ])
  try {
    const clients = await Promise.all(servers.map(({ port }) => connections(port, CONNECTIONS)))
    const cycles = quick ? 1000 : 2000
    /** @type {Record<(typeof names)[number], Turn>[]} */
    const rounds = []
    // The first rounds warm up and do not count.
    const warm = quick ? 2 : 5
    for (let round = -warm; round < (quick ? 8 : 25); round++) {
      progress(`gateway: round ${round + warm + 1}`)
      const turns = /** @type {Record<string, Turn>} */ ({})
      for (const at of round % 2 === 0 ? [0, 1, 2] : [2, 1, 0]) {
        const server = /** @type {Server} */ (servers[at])
        turns[/** @type {string} */ (names[at])] = await playTurn(
          streams,
          server,
          /** @type {HttpConnection[]} */ (clients[at]),
          cycles,
        )
      }
      if (round >= 0) rounds.push(/** @type {Record<(typeof names)[number], Turn>} */ (turns))
    }
    for (const client of clients.flat()) client.close()
    // Client, server and Redis keep two processors busy by themselves; more than twice that is other people's work.
    const unsure = (loadavg()[0] ?? 0) > 2 * availableParallelism()
    const ratio = (/** @type {keyof Turn} */ what, /** @type {'bare' | 'steps'} */ other = 'bare') => ({
      ...spread(rounds.map((round) => round.gateway[what] / round[other][what])),
      unsure,
    })
    const of = (/** @type {(typeof names)[number]} */ name, /** @type {keyof Turn} */ what) =>
      spread(rounds.map((round) => round[name][what]))
    const rate = ({ median, low, high } = of('gateway', 'perSecond')) =>
      `${median.toFixed(0)}/s (${low.toFixed(0)}–${high.toFixed(0)})`
    const throughput = ratio('perSecond')
    const p99 = ratio('p99')
    return [
      {
        what: 'poll + respond, 64 connections: throughput ÷ bare node:http handler',
        measured: times(throughput),
        ...judge(throughput, '≥', 0.85),
      },
      {
        what: '  throughput ÷ bare handler that looks and answers in two steps, and tells no others',
        measured: times(ratio('perSecond', 'steps')),
      },
      { what: '  p99 of a request ÷ bare', measured: times(p99), ...judge(p99, '≤', 2) },
      { what: '  processor time of the server ÷ bare', measured: times(ratio('cpuMs')) },
      { what: '  requests, gateway', measured: rate() },
      { what: '  requests, bare', measured: rate(of('bare', 'perSecond')) },
      { what: '  requests, bare in two steps', measured: rate(of('steps', 'perSecond')) },
      { what: '  p99, gateway', measured: ms(of('gateway', 'p99')) },
      { what: '  p99, bare', measured: ms(of('bare', 'p99')) },
    ]
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** Questions that wait are polled and answered, one after the other on each connection. @param {Streams} streams @param {Server} server @param {HttpConnection[]} clients @param {number} cycles @returns {Promise<Turn>} */
async function playTurn(streams, server, clients, cycles) {
  const asked = Array.from({ length: cycles }, () => ({ session: randomUUID(), id: randomUUID() }))
  await Promise.all(asked.map(({ session }) => streams.open(session, { owner: 'ann', expireSeconds: 600 })))
  await Promise.all(asked.map(({ session, id }) => streams.send(session, question(id))))
  /** @type {number[]} */
  const latencies = []
  const timed = async (/** @type {Promise<{ status: number, body: string }>} */ sent) => {
    const start = performance.now()
    const answer = await sent
    latencies.push(performance.now() - start)
    if (answer.status !== 200) throw new Error(`a request was answered with ${answer.status}: ${answer.body}`)
    return answer
  }
  let next = 0
  const used = await server.usage()
  const began = performance.now()
  await Promise.all(
    clients.map(async (client) => {
      for (let each = asked[next++]; each; each = asked[next++]) {
        const polled = await timed(
          client.post('/hil/poll', JSON.stringify({ session_task_id: each.session, timeout: 30 })),
        )
        const { HIL_msg } = JSON.parse(polled.body)
        await timed(
          client.post(
            '/hil/respond',
            JSON.stringify({ session_task_id: each.session, hil_msg_id: HIL_msg.msg_id, msg: { choice: 'a' } }),
          ),
        )
      }
    }),
  )
  const seconds = (performance.now() - began) / 1000
  const { cpuMs } = await server.usage()
  await Promise.all(asked.map(({ session }) => streams.close(session)))
  latencies.sort((a, b) => a - b)
  const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN
  return { perSecond: latencies.length / seconds, p99, cpuMs: (cpuMs - used.cpuMs) / latencies.length }
}

/** A fresh client of a session with a long log, all of which is kept, looks for what is open. @param {{ redisUrl: string, secret: string }} params @returns {Promise<Line[]>} */
async function reload(params) {
  const { redisStreams } = await loadGateway()
  const streams = redisStreams({ url: params.redisUrl, keyPrefix: 'holdpoint:', maxNotifications: 20_000 })
  const server = await startServer('server-gateway', params)
  try {
    progress('gateway: reload')
    const session = randomUUID()
    await streams.open(session, { owner: 'ann', expireSeconds: 600 })
    for (let n = 0; n < 10_000; n += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, i) => streams.send(session, line(n + i))))
    }
    await streams.send(session, question(randomUUID()))
    /** @type {number[]} */
    const took = []
    for (let i = 0; i < 50; i++) {
      const [client] = await connections(server.port, 1)
      const start = performance.now()
      const { body } = await /** @type {HttpConnection} */ (client).get(`/hil/open?session_task_id=${session}`)
      took.push(performance.now() - start)
      if (JSON.parse(body).open.length !== 1) throw new Error('the open question is not there')
      client?.close()
    }
    await streams.close(session)
    const spreadOf = spread(took)
    return [
      {
        what: 'a fresh client sees an open question behind 10,000 log lines',
        measured: ms(spreadOf),
        target: '≤ 100 ms',
        ok: spreadOf.median <= 100,
        unsure: false,
      },
    ]
  } finally {
    await server.stop()
    await streams.shutdown()
  }
}

/** @param {number} n @returns {Parameters<Streams['send']>[1]} */
function line(n) {
  return { msg_id: randomUUID(), msg_type: 'Notification', content: { text: `line ${n}` } }
}

/** Applications ask, clients that wait get the question and answer it, and the applications go on. @param {Streams} streams @param {{ redisUrl: string, secret: string }} params @param {{ sessions: number, quick: boolean }} plan @returns {Promise<Line[]>} */
async function roundTrips(streams, params, { sessions: count, quick }) {
  const { interrupt } = await loadHoldpoint()
  const server = await startServer('server-gateway', params)
  try {
    progress(`gateway: round trips, ${count} sessions`)
    const idle = await server.usage()
    const sessions = Array.from({ length: count }, () => randomUUID())
    await Promise.all(sessions.map((session) => streams.open(session, { owner: 'ann', expireSeconds: 600 })))
    const clients = await connections(server.port, count)
    const people = sessions.map((session, i) => person(/** @type {HttpConnection} */ (clients[i]), session))
    const waiting = await onceQuiet(server)
    const content = /** @type {const} */ ({
      source: 'agent_tool_call',
      body: { tool_name: 'pick', type: 'ChoiceForm', tool_exec_uuid: 'x', detail: {} },
    })
    /** @type {number[]} */
    const trips = []
    const each = Math.max(1, Math.round((quick ? 1000 : 4000) / count))
    const began = performance.now()
    await Promise.all(
      sessions.map(async (session) => {
        for (let i = 0; i < each; i++) {
          const start = performance.now()
          await interrupt(content, { stream: session, streams, timeoutSeconds: 300 })
          trips.push(performance.now() - start)
        }
      }),
    )
    const seconds = (performance.now() - began) / 1000
    await Promise.all(sessions.map((session) => streams.close(session)))
    await Promise.all(people)
    for (const client of clients) client.close()
    const kB = (waiting.rss - idle.rss) / 1024 / count
    // Of a few, what the process needs anyway is most.
    const small = count >= 10_000 ? { target: '< 40 kB', ok: kB < 40, unsure: false } : {}
    return [
      {
        what: `interrupt round trips, ${count} sessions at once`,
        measured: `${(trips.length / seconds).toFixed(0)}/s, ${ms(spread(trips))} each`,
      },
      ...(count > 1 ? [{ what: '  memory of a poll that waits', measured: `${kB.toFixed(1)} kB`, ...small }] : []),
    ]
  } finally {
    await server.stop()
  }
}

/** What a server has used once it is idle: on a busy machine, polls that have not been read yet would make the figure too small. @param {Server} server */
async function onceQuiet(server) {
  for (let before = await server.usage(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const now = await server.usage()
    if (now.cpuMs - before.cpuMs < 20) return now
    before = now
  }
}

/** Polls, answers what is asked, and goes when the session is gone. @param {HttpConnection} client @param {string} session */
async function person(client, session) {
  let after = '0'
  for (;;) {
    const polled = await client.post(
      '/hil/poll',
      JSON.stringify({ session_task_id: session, timeout: 60, redis_last_id: after }),
    )
    if (polled.status === 404) return
    if (polled.status === 204) continue
    const { redis_last_id, HIL_msg } = JSON.parse(polled.body)
    after = redis_last_id
    if (HIL_msg.msg_type !== 'HIL_interrupt_request') continue
    await client.post(
      '/hil/respond',
      JSON.stringify({ session_task_id: session, hil_msg_id: HIL_msg.msg_id, msg: 'a' }),
    )
  }
}

/** @param {number} port @param {number} count */
async function connections(port, count) {
  const token = makeToken()
  /** @type {HttpConnection[]} */
  const opened = []
  // In groups: thousands at once overflow what the system keeps waiting.
  while (opened.length < count) {
    const group = Math.min(200, count - opened.length)
    opened.push(...(await Promise.all(Array.from({ length: group }, () => openConnection(port, token)))))
  }
  return opened
}

function makeToken() {
  const exp = Math.floor(Date.now() / 1000) + 3600
  const parts = [{ alg: 'HS256' }, { sub: 'ann', iss: 'holdpoint', aud: 'holdpoint', exp }]
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`
}

/** @param {string} id @returns {Parameters<Streams['send']>[1]} */
function question(id) {
  const body = { tool_name: 'pick', type: 'ChoiceForm', tool_exec_uuid: id, detail: { choices: ['a', 'b'] } }
  return { msg_id: id, msg_type: 'HIL_interrupt_request', content: { source: 'agent_tool_call', body } }
}
