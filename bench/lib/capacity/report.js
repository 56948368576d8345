// @ts-check
import { percentile } from '../report/spread.js'
import { limits, lostCosts, needs, predict } from './model.js'

/**
 * @typedef {import('../report/table.js').Line} Line
 * @typedef {import('./model.js').Parameters} Parameters
 * @typedef {{ size: import('./installation.js').Size, played: import('./play.js').Played, personBytes: number, requestBytes: number, first: boolean, factor: number }} Checked
 */

const PARTS = /** @type {const} */ (['gateway', 'worker', 'agents', 'postgres'])

/** What was predicted for a size, next to what was measured there. @param {Parameters} parameters @param {Checked} checked @returns {Line[]} */
export function compare(parameters, { size, played, personBytes, requestBytes, first, factor }) {
  const { counts, used, times } = played
  const predicted = predict(parameters, counts, size.people)
  const rate = (counts.decision / counts.second).toFixed(1)
  const name = `${size.open.toLocaleString('en')} open, ${size.people} screens, ${rate} decisions/s`
  const cpu = PARTS.map((part) =>
    judged(`${name}: CPU of ${part} for a decision`, [predicted[part], used[part]], {
      unit: 'ms',
      by: counts.decision,
      factor,
    }),
  )
  const tell = (/** @type {number[]} */ all) =>
    `p50 ${percentile(all, 0.5).toFixed(0)} ms, p99 ${percentile(all, 0.99).toFixed(0)} ms`
  const memory = `${name}: memory of the gateway for a screen`
  const disk = `${name}: disk for a request`
  return [
    ...cpu,
    judged(`${name}: write-ahead log for a decision`, [predicted.wal, used.wal], {
      unit: 'B',
      by: counts.decision,
      factor,
    }),
    // At the first size these are the parameters themselves.
    ...(first
      ? [
          { what: memory, measured: `${three(personBytes)} B` },
          { what: disk, measured: `${three(requestBytes)} B` },
        ]
      : [
          judged(memory, [parameters.personBytes, personBytes], { unit: 'B', by: 1, factor }),
          judged(disk, [parameters.requestBytes, requestBytes], { unit: 'B', by: 1, factor }),
        ]),
    { what: `${name}: decision → stored`, measured: tell(times.map(({ stored }) => stored)) },
    { what: `${name}: decision → run over`, measured: tell(times.map(({ over }) => over)) },
  ]
}

/** @param {string} what @param {[number, number]} pair what was predicted and measured @param {{ unit: string, by: number, factor: number }} how @returns {Line} */
function judged(what, [predicted, measured], { unit, by, factor }) {
  const ratio = measured / predicted
  const text = (/** @type {number} */ value) => `${three(value / by)} ${unit}`
  return {
    what,
    target: `within ${factor}×`,
    measured: `predicted ${text(predicted)}, measured ${text(measured)}: ${ratio.toFixed(2)}×`,
    ok: ratio <= factor && ratio >= 1 / factor,
  }
}

/** The parameters: milliseconds of processor time. @param {Parameters} parameters @returns {Line[]} */
export function tellCosts({ costs }) {
  const works = /** @type {import('./model.js').Work[]} */ (Object.keys(costs.gateway))
  return works.map((work) => ({
    what: `cost of: ${work}`,
    measured: `${PARTS.map((part) => `${part} ${three(costs[part][work])} ms`).join(', ')}; log ${Math.round(costs.wal[work])} B`,
  }))
}

/** What a million open requests and ten thousand reviewers need, and where one process stops. @param {Parameters} parameters @returns {Line[]} */
export function tellNeeds(parameters) {
  const demand = { open: 1_000_000, reviewers: 10_000, decisionsPerMinute: 1, pagesPerMinute: 2 }
  const forms = [100, 1].flatMap((tenants) =>
    toLines(tenants === 1 ? '1 tenant' : `${tenants} tenants`, needs(parameters, { ...demand, tenants })),
  )
  const lost = lostCosts(parameters)
  const measured = lost.length === 0 ? 'none' : lost.join(', ')
  const line = { what: 'costs that were too small to measure', target: 'none', measured, ok: lost.length === 0 }
  return [line, ...forms, ...tellLimits(parameters)]
}

/** @param {string} title @param {ReturnType<typeof needs>} need @returns {Line[]} */
function toLines(title, need) {
  const lines = {
    'decisions and changes a second': `${three(need.decision)}, ${three(need.changes)}`,
    gateways: `${three(need.gateways)} processes, ${three(need.gatewayCores)} cores, ${three(need.gatewayMemory / 1e9)} GB`,
    workers: `${need.workers} processes, ${three(need.workerCores)} cores`,
    'agents until they ask': `${three(need.agentCores)} cores`,
    Postgres: `${three(need.postgresCores)} cores, ${three(need.disk / 1e9)} GB of disk, ${three(need.walPerSecond / 1e6)} MB/s of log`,
    connections: three(need.connections),
  }
  return Object.entries(lines).map(([what, measured]) => ({
    what: `1,000,000 open, 10,000 reviewers, ${title}: ${what}`,
    measured,
  }))
}

/** @param {Parameters} parameters @returns {Line[]} */
function tellLimits(parameters) {
  const found = limits(parameters)
  const lines = {
    'a gateway: pages, or decisions': `${three(found.pages)}/s, ${three(found.decisions)}/s`,
    'a gateway: changes that it hears of, alone and 100 at once': `${three(found.heard)}/s, ${three(found.heardTogether)}/s`,
    'a gateway: changes × screens, alone and 100 at once': `${three(found.offers)}/s, ${three(found.offersTogether)}/s`,
    'a worker: runs resumed': `${three(found.resumes)}/s`,
    'a process of agents: requests opened': `${three(found.opens)}/s`,
    'a core of Postgres: requests opened, decided and resumed': `${three(found.cycles)}/s`,
    'a core of Postgres: pages': `${three(found.postgresPages)}/s`,
  }
  return Object.entries(lines).map(([what, measured]) => ({ what: `one core is used up by: ${what}`, measured }))
}

/** Three digits that matter. @param {number} value */
function three(value) {
  return Number.isFinite(value) ? Number(value.toPrecision(3)).toLocaleString('en') : '∞'
}
