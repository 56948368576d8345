// @ts-check
import { pg } from '../postgres/postgres-driver.js'
import { progress } from '../report/progress.js'
import { fillOpen, requestName, threadName } from './fill-open.js'
import { startPart } from './part.js'
import { postgresCpu } from './postgres-cpu.js'
import { createReviewers } from './reviewers.js'

/**
 * What a load used: processor time of each part in milliseconds, bytes of write-ahead log, and commits that screens have to hear of.
 *
 * @typedef {'gateway' | 'worker' | 'agents' | 'postgres' | 'wal' | 'changes'} Resource
 * @typedef {Record<Resource, number>} Usage
 * @typedef {{ open: number, people: number }} Size
 * @typedef {import('./part.js').Part} Part
 * @typedef {{ client: import('pg').Client, schema: string, open: number, reviewers: import('./reviewers.js').Reviewers, gateway: Part, worker: Part, agents: Part }} Running
 * @typedef {ReturnType<typeof toInstallation> & { bytesPerRequest: number }} Installation
 */

/** Prime, so that the requests that are decided lie all over the store. */
const STRIDE = 7919

/**
 * Runs one gateway, one worker and one process of agents on a store with so many open requests.
 *
 * @template T
 * @param {string} url @param {Size} size @param {(installation: Installation) => Promise<T>} work
 */
export async function withInstallation(url, { open, people }, work) {
  const schema = `open${open}`
  const client = new pg.Client(url)
  /** @type {import('./part.js').Part[]} */
  const parts = []
  const start = async (/** @type {'gateway' | 'worker' | 'agents'} */ role) => {
    progress(`capacity: starting the ${role}`)
    const part = await startPart(role, { url, schema, people })
    parts.push(part)
    return part
  }
  await client.connect()
  try {
    const bytesPerRequest = await fillOpen(client, { url, schema, open })
    const made = { gateway: await start('gateway'), worker: await start('worker'), agents: await start('agents') }
    const reviewers = createReviewers(made.gateway.ready)
    try {
      return await work({ ...toInstallation({ client, schema, open, reviewers, ...made }), bytesPerRequest })
    } finally {
      reviewers.close()
    }
  } finally {
    await Promise.all(parts.map((part) => part.end()))
    await client.end()
  }
}

/** @param {Running} running */
function toInstallation({ client, schema, open, reviewers, gateway, worker, agents }) {
  let [opened, decided] = [0, 0]
  /** @type {(() => number) | undefined} */
  let ofPostgres
  return {
    reviewers,
    gatewayMemory: () => gateway.memory(),
    /** An agent asks. */
    openOne: () => agents.open(`new-${++opened}`),
    /** A person decides. Resolves to the milliseconds until the decision was stored, and until the run was over. */
    async decideOne() {
      const n = 1 + ((++decided * STRIDE) % open)
      const over = worker.told(`over ${threadName(n)}`)
      const { sent, answered } = await reviewers.decide(requestName(n))
      const ended = BigInt(await over)
      return { stored: Number(answered - sent) / 1e6, over: Number(ended - sent) / 1e6 }
    },
    /** @returns {Promise<Usage>} since the start */
    async used() {
      const { rows } = await client.query(
        `SELECT pg_backend_pid() AS pid, (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 AS wal, (SELECT count(DISTINCT xid)::float8 FROM ${schema}.outbox) AS changes`,
      )
      const { pid, wal, changes } = rows[0]
      ofPostgres ??= postgresCpu(pid)
      const [ofGateway, ofWorker, ofAgents] = await Promise.all([gateway.cpu(), worker.cpu(), agents.cpu()])
      return { gateway: ofGateway, worker: ofWorker, agents: ofAgents, postgres: ofPostgres(), wal, changes }
    },
  }
}
