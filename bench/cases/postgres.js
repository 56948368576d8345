// @ts-check

import { withPostgres } from '../lib/postgres/postgres-server.js'
import { countWal } from '../lib/postgres/wal.js'
import { judge, ms, perSecond, times, upTo } from '../lib/report/table.js'
import { measure } from '../lib/subject/measure.js'

/** @typedef {import('../lib/report/table.js').Line} Line */

const TURNS = 10
const LANES = 32
/** Cycles of each of them that make a sample, so that most of it has all of them under way. */
const EACH = 4
const PEERS = ['holdpoint', 'langchain', 'dbos']

/** The whole durable approve cycle on Postgres, next to LangChain's, DBOS' and bare commits: alone, many at once, and what it writes. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
export async function postgres({ quick }) {
  return [...(await alone(quick)), ...(await atOnce(quick)), ...(await written(quick))]
}

/** @param {boolean} quick @returns {Promise<Line[]>} */
async function alone(quick) {
  const title = `durable cycle on Postgres, ${TURNS} prior tool turns`
  const found = await measured(title, 1, quick)
  const { time, ratio, tail, tailRatio } = found
  const [langchain, dbos, floor] = [
    ratio('langchain', 'holdpoint'),
    ratio('dbos', 'holdpoint'),
    ratio('holdpoint', 'floor'),
  ]
  const spikes = tailRatio('holdpoint')
  return [
    { what: `${title}: LangChain ÷ holdpoint`, measured: times(langchain), ...judge(langchain, '≥', 5) },
    { what: '  DBOS ÷ holdpoint', measured: times(dbos), ...judge(dbos, '≥', 2) },
    { what: '  holdpoint ÷ six bare commits and two reads', measured: times(floor) },
    { what: '  holdpoint, p95 ÷ p50', measured: times(spikes), ...judge(spikes, '≤', 1.5) },
    { what: '  holdpoint, p50', measured: ms(time('holdpoint')), ...upTo(time('holdpoint'), 3, spikes.unsure) },
    { what: '  holdpoint, p95', measured: ms(tail('holdpoint')) },
    ...['langchain', 'dbos'].flatMap((name) => [
      { what: `  ${name}, p50`, measured: ms(time(name)) },
      { what: `  ${name}, p95 ÷ p50`, measured: times(tailRatio(name)) },
    ]),
    { what: '  six bare commits and two reads', measured: ms(time('floor')) },
  ]
}

/** @param {boolean} quick @returns {Promise<Line[]>} */
async function atOnce(quick) {
  const title = `durable cycles on Postgres, ${TURNS} prior tool turns, ${LANES} in flight`
  const { time, ratio } = await measured(title, LANES, quick)
  const [langchain, dbos, floor] = [
    ratio('langchain', 'holdpoint'),
    ratio('dbos', 'holdpoint'),
    ratio('holdpoint', 'floor'),
  ]
  const own = perSecond(time('holdpoint'), LANES * EACH)
  return [
    {
      what: `${title}: cycles a second`,
      target: '≥ 800',
      measured: own.text,
      ok: own.median >= 800,
      unsure: dbos.unsure,
    },
    ...['langchain', 'dbos', 'floor'].map((name) => ({
      what: `  ${name}`,
      measured: perSecond(time(name), LANES * EACH).text,
    })),
    { what: '  LangChain ÷ holdpoint, time', measured: times(langchain), ...judge(langchain, '≥', 5) },
    { what: '  DBOS ÷ holdpoint, time', measured: times(dbos), ...judge(dbos, '≥', 3) },
    { what: '  holdpoint ÷ six bare commits and two reads, time', measured: times(floor) },
  ]
}

/** @param {boolean} quick @returns {Promise<Line[]>} */
async function written(quick) {
  const lines = []
  for (const mode of /** @type {const} */ (['plain', 'checkpoint'])) {
    const samples = quick ? 100 : 400
    const found = await countWal(mode, samples, (url) => toSpecs(PEERS, url, 1))
    const bytes = (/** @type {string} */ name) => found.get(name) ?? Number.NaN
    const pages = mode === 'plain' ? 'without full pages' : `with full pages, ${samples} cycles from a checkpoint on`
    const ratio = bytes('holdpoint') / bytes('dbos')
    lines.push(
      {
        what: `write-ahead log of a cycle, ${pages}: holdpoint ÷ DBOS`,
        target: '≤ 1×',
        measured: `${ratio.toFixed(2)}×`,
        ok: ratio <= 1,
      },
      ...PEERS.map((name) => ({ what: `  ${name}`, measured: `${(bytes(name) / 1000).toFixed(1)} kB` })),
    )
  }
  return lines
}

/** @param {string} title @param {number} lanes @param {boolean} quick */
function measured(title, lanes, quick) {
  return withPostgres((url) =>
    measure(title, toSpecs([...PEERS, 'floor'], url, lanes), {
      rounds: quick ? 5 : 15,
      // Until the compiler has got to all that a cycle runs: some thousand cycles.
      warmUpMs: quick ? 6000 : 20_000,
      turnMs: quick ? 150 : 300,
      // The server works too, so a process of its own seldom has a processor all the time.
      patienceMs: (quick ? 4 : 20) * 1000,
      minShare: 0.2,
    }),
  )
}

/** @param {readonly string[]} names @param {string} url @param {number} lanes */
function toSpecs(names, url, lanes) {
  return names.map((name) => ({
    name,
    module: `${name}-postgres`,
    params: { dir: '', turns: TURNS, url, lanes, each: lanes > 1 ? EACH : 1 },
  }))
}
