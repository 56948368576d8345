import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ReadyQuery, RequestCountQuery } from '../../../src/ports/store-lists.ts'
import { planCount } from '../../../src/store/sql/find-requests.ts'
import { planReady } from '../../../src/store/sql/wake.ts'
import { sqliteStore } from '../../../src/store/sqlite/store.ts'
import { SQLITE } from '../../../src/store/sqlite/tables/schema.ts'
import { entry } from '../../../src/testing/store-suite/tools.ts'
import { onFile } from '../../support/stores/open-file.ts'
import { temporaryFolder } from './harness.ts'

/** The steps by which SQLite answers a query of a store. */
async function stepsOf({ sql, values }: ReturnType<typeof planCount>): Promise<string[]> {
  const path = join(temporaryFolder(), 'store.db')
  const store = sqliteStore({ path, driver: 'libsql', durability: 'process' })
  await store.append({ threadId: 't', entries: [entry(1)], wake: { op: 'by', inMs: 0 } })
  await store.close()
  const steps = onFile(path, (db) => db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values), 'libsql') as {
    detail: string
  }[]
  return steps.map(({ detail }) => detail)
}

const scope = { tenant: 'default', clock: { sql: '?', values: [1] } }
const after = { tenantId: 'x', threadId: 't', at: 1, tries: 0, agent: null, agentVersion: null }

it.each<[string, ReadyQuery, string]>([
  ['the first page', {}, 'wake_at<?'],
  ['a later page', { after }, '(wake_at,tenant,id)>(?,?,?)'],
])('threads to drive are searched in the index of wake marks: %s', async (_, query, range) => {
  const steps = await stepsOf(planReady(SQLITE, { sql: '?', values: [1] }, query).query)
  const reads = steps.filter((step) => / threads\b/.test(step))
  expect(reads).toEqual([
    expect.stringMatching(/^SEARCH threads USING (COVERING )?INDEX threads_wake/),
    expect.stringMatching(/^SEARCH threads USING (COVERING )?INDEX threads_wake/),
  ])
  expect(reads.join()).toContain(range)
})

const seen = { status: 'open', readers: ['user:ann', 'group:finance', '*'] } satisfies RequestCountQuery

it.each<[string, RequestCountQuery]>([
  ['open', seen],
  ['of a risk', { ...seen, risk: 'high' }],
  ['for a person to decide', { ...seen, satisfiedBy: ['user:ann', 'group:finance'], notAssignedToOthers: 'ann' }],
  ['taken by a person', { ...seen, assignedTo: 'ann' }],
])('requests that a person may see are counted in the index of readers alone: %s', async (_, query) => {
  const planned = planCount(SQLITE, scope, { ...query, limit: 1000 })
  const { sql, values } = planned
  const steps = await stepsOf(planned)
  // One more than the limit says that there are more, and nothing is read after it.
  expect([sql.endsWith(' LIMIT ?) r'), values.at(-1)]).toEqual([true, 1001])
  expect(steps.filter((step) => / requests\b/.test(step))).toEqual([
    'SEARCH requests USING COVERING INDEX requests_readers (tenant=?)',
  ])
})

it('requests of threads whose names begin alike are searched in the indexes of names and of threads', async () => {
  const query = { threadId: 'chat-1', threadsUnder: ['gate/a/chat-1/', 'gate/b/chat-1/'], limit: 1000 }
  const steps = await stepsOf(planCount(SQLITE, scope, query))
  const reads = steps.filter((step) => / (requests|threads)\b/.test(step))
  expect(reads.length).toBe(4)
  for (const read of reads)
    expect(read).toMatch(/^SEARCH .* INDEX .*\((thread=\?|tenant=\? AND id(=\?|>\? AND id<\?))\)$/)
})
