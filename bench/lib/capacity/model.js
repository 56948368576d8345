// @ts-check

/**
 * The capacity model. What a resource is used for a load is a sum: for each kind of work its count × its cost. Costs are measured at a small size (calibrate.js).
 *
 * - `second`: a second in which nothing happens
 * - `page`: a list of 50 open requests over HTTP
 * - `open`: an agent runs until it waits for a decision
 * - `decision`: a request is read and approved over HTTP, and a worker resumes the run until it is over
 * - `change`: a commit that one gateway with screens has to hear of, each alone
 * - `offer`: one screen is told of one change: its sign-in is read again, together with those of the other screens
 * - `openTogether`, `changeTogether`, `offerTogether`: the same where 100 come at once, which a gateway and its screens take in few steps
 *
 * @typedef {'second' | 'page' | 'open' | 'decision' | 'change' | 'offer' | 'openTogether' | 'changeTogether' | 'offerTogether'} Work
 * @typedef {import('./installation.js').Resource} Resource
 * @typedef {Record<Work, number>} Counts
 * @typedef {{ costs: Record<Resource, Counts>, personBytes: number, gatewayBytes: number, requestBytes: number }} Parameters
 * @typedef {{ second: number, page: number, open: number, decision: number }} Load
 * @typedef {{ open: number, reviewers: number, tenants: number, decisionsPerMinute: number, pagesPerMinute: number }} Demand
 */

/** Which work a resource is used for. @satisfies {Record<Resource, readonly Work[]>} */
export const DOES = /** @type {const} */ ({
  gateway: ['second', 'page', 'decision', 'change', 'offer', 'changeTogether', 'offerTogether'],
  worker: ['second', 'open', 'decision', 'openTogether'],
  agents: ['second', 'open', 'openTogether'],
  postgres: [
    'second',
    'page',
    'open',
    'decision',
    'change',
    'offer',
    'openTogether',
    'changeTogether',
    'offerTogether',
  ],
  wal: ['second', 'open', 'decision', 'openTogether'],
  changes: ['open', 'decision', 'openTogether'],
})

/** Above so many changes a second they come together. Below, each was measured alone. */
const CROWDED = 10
/** How much of a core a process may use on average, so that peaks and restarts fit. */
const BUSY = 0.6
/** Of one process, at most; a worker has a queue in Postgres, too. */
const CONNECTIONS = 12
const WORKER_CONNECTIONS = 20

/** What a load uses with so many screens at one gateway. @param {Parameters} parameters @param {Load} load @param {number} screens @returns {import('./installation.js').Usage} */
export function predict({ costs }, load, screens) {
  const changes = changesOf(costs, load)
  const counts = { ...load, change: changes, offer: changes * screens }
  const use = (/** @type {Counts} */ cost) =>
    Object.entries(counts).reduce((sum, [work, count]) => sum + count * cost[/** @type {Work} */ (work)], 0)
  const { gateway, worker, agents, postgres, wal } = costs
  return {
    gateway: use(gateway),
    worker: use(worker),
    agents: use(agents),
    postgres: use(postgres),
    wal: use(wal),
    changes,
  }
}

/** @param {Parameters['costs']} costs @param {Load} load */
function changesOf({ changes }, { open, decision }) {
  return open * changes.open + decision * changes.decision
}

/**
 * What an installation needs. Every gateway hears every change, but offers it only to the screens of its tenant.
 *
 * @param {Parameters} parameters @param {Demand} demand
 */
export function needs(parameters, demand) {
  const { costs, personBytes, gatewayBytes, requestBytes } = parameters
  const decision = (demand.reviewers * demand.decisionsPerMinute) / 60
  const load = { second: 0, page: (demand.reviewers * demand.pagesPerMinute) / 60, open: decision, decision }
  const changes = changesOf(costs, load)
  const offers = (changes * demand.reviewers) / demand.tenants
  const heard = changes > CROWDED ? 'changeTogether' : 'change'
  const offer = changes / demand.tenants > CROWDED ? 'offerTogether' : 'offer'
  const alone = predict(parameters, load, 0)
  /** Without hearing of changes. @param {'gateway' | 'worker' | 'agents' | 'postgres'} part */
  const cores = (part) => (alone[part] - changes * costs[part].change + offers * costs[part][offer]) / 1000
  // Each process spends the same on hearing, whatever number of them there is. What is left is for its screens.
  const hearing = (changes * costs.gateway[heard]) / 1000
  const gateways = hearing < BUSY ? Math.ceil(cores('gateway') / (BUSY - hearing)) : Number.POSITIVE_INFINITY
  const workers = Math.ceil(cores('worker') / BUSY)
  return {
    decision,
    changes,
    gateways,
    gatewayCores: cores('gateway') + gateways * hearing,
    workers,
    workerCores: cores('worker'),
    agentCores: cores('agents'),
    postgresCores: cores('postgres') + (gateways * changes * costs.postgres[heard]) / 1000,
    connections: gateways * CONNECTIONS + workers * WORKER_CONNECTIONS,
    gatewayMemory: gateways * gatewayBytes + demand.reviewers * personBytes,
    disk: demand.open * requestBytes,
    walPerSecond: decision * (costs.wal.open + costs.wal.decision),
  }
}

/** Costs that were lost in noise. With one of them at zero, the needs of an installation come out too small. @param {Parameters} parameters */
export function lostCosts({ costs }) {
  const parts = /** @type {const} */ (['gateway', 'worker', 'agents', 'postgres'])
  const unused = ['second', 'openTogether']
  return parts.flatMap((part) =>
    DOES[part].filter((work) => !unused.includes(work) && costs[part][work] <= 0).map((work) => `${part}: ${work}`),
  )
}

/** Where a part has used up one core. @param {Parameters} parameters */
export function limits({ costs }) {
  const { gateway, worker, agents, postgres } = costs
  const perSecond = (/** @type {number} */ ms) => (ms > 0 ? 1000 / ms : Number.POSITIVE_INFINITY)
  return {
    pages: perSecond(gateway.page),
    decisions: perSecond(gateway.decision),
    heard: perSecond(gateway.change),
    heardTogether: perSecond(gateway.changeTogether),
    offers: perSecond(gateway.offer),
    offersTogether: perSecond(gateway.offerTogether),
    resumes: perSecond(worker.decision + worker.open),
    opens: perSecond(agents.open),
    cycles: perSecond(postgres.open + postgres.decision),
    postgresPages: perSecond(postgres.page),
  }
}
