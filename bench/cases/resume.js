// @ts-check

import { withPostgres } from '../lib/postgres/postgres-server.js'
import { withRedis } from '../lib/processes/redis.js'
import { startPair } from '../lib/processes/resume-pair.js'
import { progress } from '../lib/report/progress.js'
import { percentile } from '../lib/report/spread.js'
import { judge, ms, perSecond, times } from '../lib/report/table.js'
import { inFolder } from '../lib/sqlite/files.js'
import { measure } from '../lib/subject/measure.js'
import { threadNames } from '../lib/subject/names.js'

/** @typedef {import('../lib/report/table.js').Line} Line */
/** @typedef {import('../lib/processes/resume-pair.js').PairSpec} PairSpec */
/** @typedef {(system: PairSpec['system'], url: string) => PairSpec} ToSpec */

const TURNS = 10
const LANES = 32
const OVER_BARE_MS = 10

/** Decision → a worker in another process resumes → tool → done, on Postgres with Redis and on Postgres alone, next to LangGraph. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
export async function resume({ quick }) {
  const redis = await inFolder((dir) =>
    withRedis(dir, (port) => onEngine('Postgres and Redis', (system, url) => onRedis(system, url, port), quick)),
  )
  return [...redis, ...(await onEngine('Postgres alone', onPostgres, quick))]
}

/** @param {PairSpec['system']} system @param {string} url @param {number} port @returns {PairSpec} */
function onRedis(system, url, port) {
  const queue = (/** @type {string} */ prefix) =>
    /** @type {const} */ ({ engine: 'bullmq', options: { connection: `redis://127.0.0.1:${port}`, prefix } })
  return { system, url, turns: TURNS, queue: queue(system), bare: queue('bare') }
}

/** @param {PairSpec['system']} system @param {string} url @returns {PairSpec} */
function onPostgres(system, url) {
  const queue = (/** @type {string} */ schema, more = {}) =>
    /** @type {const} */ ({
      engine: 'postgres',
      options: { connectionString: url, listenConnectionString: url, schema, ...more },
    })
  const own = queue(system, system === 'holdpoint' ? { schema: 'holdpoint_queue', storeSchema: 'holdpoint' } : {})
  return { system, url, turns: TURNS, queue: own, bare: queue('bare') }
}

/** @param {string} name @param {ToSpec} toSpec @param {boolean} quick @returns {Promise<Line[]>} */
async function onEngine(name, toSpec, quick) {
  const title = `decision → resumed by another process → done, ${TURNS} prior tool turns, on ${name}`
  const one = await measured(title, { toSpec, lanes: 1, quick })
  const many = await measured(`${title}, ${LANES} in flight`, { toSpec, lanes: LANES, quick })
  const [ratio, ratioOfMany] = [one.ratio('langgraph', 'holdpoint'), many.ratio('langgraph', 'holdpoint')]
  const rate = (/** @type {string} */ system) => perSecond(many.time(system), LANES).text
  return [
    { what: `${title}: LangGraph ÷ holdpoint`, measured: times(bare(ratio)), ...judge(ratio, '≥', 5) },
    { what: '  holdpoint', measured: ms(one.time('holdpoint')) },
    { what: '  langgraph', measured: ms(one.time('langgraph')) },
    { what: `  ${LANES} in flight: LangGraph ÷ holdpoint, time`, measured: times(bare(ratioOfMany)) },
    { what: `  ${LANES} in flight, holdpoint`, measured: rate('holdpoint') },
    { what: `  ${LANES} in flight, langgraph`, measured: rate('langgraph') },
    ...(await handOffs(name, toSpec, quick)),
  ]
}

/** Without the processor time, which is that of the deciding process alone. @param {import('../lib/report/spread.js').Spread} ratio */
function bare({ median, low, high }) {
  return { median, low, high }
}

/** @param {string} title @param {{ toSpec: ToSpec, lanes: number, quick: boolean }} options */
function measured(title, { toSpec, lanes, quick }) {
  return withPostgres((url) => {
    const systems = /** @type {const} */ (['holdpoint', 'langgraph'])
    const subjects = systems.map((name) => ({
      name,
      module: 'resume',
      params: { dir: '', turns: TURNS, lanes, pair: toSpec(name, url) },
    }))
    return measure(title, subjects, {
      rounds: quick ? 5 : 15,
      // See the case `postgres`.
      warmUpMs: quick ? 6000 : 20_000,
      turnMs: quick ? 200 : 500,
      patienceMs: (quick ? 4 : 20) * 1000,
      // The deciding process mostly waits for the server and the worker.
      minShare: 0.02,
    })
  })
}

/** How long a decision takes to reach a worker that sleeps, in turn with bare rings of the same engine to the same process. @param {string} name @param {ToSpec} toSpec @param {boolean} quick @returns {Promise<Line[]>} */
async function handOffs(name, toSpec, quick) {
  const rounds = quick ? 300 : 1500
  const warmUp = 50
  const decided = /** @type {number[]} */ ([])
  const rung = /** @type {number[]} */ ([])
  await withPostgres(async (url) => {
    const pair = await startPair(toSpec('holdpoint', url))
    try {
      const ids = threadNames()(rounds + warmUp)
      for (const [n, id] of ids.entries()) {
        progress(`decision → sleeping worker on ${name}: ${n} of ${ids.length}`)
        const held = await pair.prepare(id)
        const direct = await pair.handOff(`bare-${id}`)
        const { handed } = await pair.decide(held)
        if (n < warmUp) continue
        decided.push(handed)
        rung.push(direct)
      }
    } finally {
      await pair.close()
      progress('')
    }
  })
  const over = percentile(decided, 0.99) - percentile(rung, 0.99)
  const tell = (/** @type {number[]} */ all) =>
    `p50 ${percentile(all, 0.5).toFixed(2)} ms, p99 ${percentile(all, 0.99).toFixed(2)} ms`
  return [
    {
      what: `  decision → sleeping worker, p99, over the bare hand-off`,
      target: `≤ ${OVER_BARE_MS} ms`,
      measured: `${over.toFixed(2)} ms`,
      ok: over <= OVER_BARE_MS,
    },
    { what: '  decision → sleeping worker', measured: tell(decided) },
    { what: '  bare ring → handler', measured: tell(rung) },
  ]
}
