// @ts-check
import { createRequire } from 'node:module'
import { loadHoldpoint } from '../lib/dist.js'
import { threadNames } from '../lib/names.js'
import { createHoldpoint } from '../peers/holdpoint.js'

const { postgresStore } = await loadHoldpoint()
/** The driver that holdpoint itself is given. */
const pg = createRequire(new URL('../../package.json', import.meta.url))('pg')

const COPY = [
  `INSERT INTO holdpoint.threads (tenant, id, rev, version, at, head, lease_token, lease_holder, lease_until)
   SELECT tenant, $1, rev, version, at, head, lease_token, lease_holder, lease_until FROM holdpoint.threads WHERE id = $2`,
  `INSERT INTO holdpoint.entries (thread, seq, at, body, salt, hash)
   SELECT (SELECT no FROM holdpoint.threads WHERE id = $1), seq, at, body, salt, hash
   FROM holdpoint.entries WHERE thread = (SELECT no FROM holdpoint.threads WHERE id = $2) ORDER BY seq`,
]

/** The whole durable cycle on Postgres, each time on a new copy of a thread with a history. @type {import('../lib/subject.js').CreateSubject} */
export async function create({ url = '', turns }) {
  const peer = createHoldpoint()
  const store = postgresStore({ connectionString: url })
  await peer.build(store, 'template', turns)
  const client = new pg.Client(url)
  await client.connect()
  const names = threadNames()
  return {
    async prepare(count) {
      const threads = names(count)
      for (const thread of threads) for (const sql of COPY) await client.query(sql, [thread, 'template'])
      return threads
    },
    run: (thread) => peer.durableCycle(store, thread),
    async close() {
      await client.end()
      await store.close()
    },
  }
}
