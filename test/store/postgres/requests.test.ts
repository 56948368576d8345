import pg from 'pg'
import { expect, it } from 'vitest'
import type { RequestQuery } from '../../../src/ports/store-lists.ts'
import { dialectOf } from '../../../src/store/postgres/tables/schema.ts'
import type { SqlQuery } from '../../../src/store/sql/dialect.ts'
import { planDue } from '../../../src/store/sql/due.ts'
import { planPage } from '../../../src/store/sql/find-requests.ts'
import { planQueue } from '../../../src/store/sql/queue.ts'
import { allIds, requestId, requestRow } from '../../../src/testing/store-suite/tools.ts'
import { freshSchema, usePostgres } from '../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'

const server = usePostgres()
const TOTAL = 12_000
const RARE = [1, 2, 5000, 7001, TOTAL]

it('looking for requests that no index serves looks at a bounded number at once, and every other way at few', async () => {
  const schema = freshSchema()
  const { connectionString } = server.get()
  const store = unsyncedPostgres({ connectionString, schema })
  for (let from = 1; from <= TOTAL; from += 1000) {
    const numbers = Array.from({ length: 1000 }, (_, i) => from + i)
    const outcome = await store.append({
      threadId: `t${from}`,
      entries: numbers.map((n) => `{"n":${n}}`),
      requests: numbers.map((n, position) => {
        const rare = RARE.includes(n) ? { tool: 'rare', questionId: 'rare', agent: 'rare', assignee: 'rare' } : {}
        return { op: 'open', entry: position, row: requestRow(n, rare) }
      }),
    })
    expect(outcome.ok).toBe(true)
  }
  const ids = RARE.map(requestId).reverse()
  for (const query of [{ tool: 'rare' }, { questionId: 'rare' }, { status: 'open', questionId: 'rare' }] as const) {
    const first = await store.findRequests(query)
    expect(first.requests.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    expect(first.next).toBe(requestId(TOTAL - 4999))
    expect(await allIds(store, query)).toEqual(ids)
    expect(await allIds(store, { ...query, limit: 1 })).toEqual(ids)
  }

  const client = new pg.Client(connectionString)
  await client.connect()
  await client.query('ANALYZE')
  const open = { status: 'open' } as const
  const scope = { tenant: 'default', clock: { sql: '?::bigint', values: [0] } }
  for (const [query, index] of [
    [{ ...open }, 'requests_status'],
    [{ ...open, tool: 'rare' }, 'requests_tool'],
    [{ ...open, agent: 'rare' }, 'requests_agent'],
    [{ ...open, assignee: 'rare' }, 'requests_assignee'],
    [{ threadId: 't1' }, 'requests_thread'],
    [{}, 'requests_pkey'],
    [{ order: 'changed' }, 'requests_changed'],
  ] as [RequestQuery, string][]) {
    const nodes = await explain(client, planPage(dialectOf(schema), scope, { ...query, limit: 20 }).rows(undefined))
    const used = nodes.filter((node) => node['Index Name']?.startsWith('requests_'))
    expect(used.length, `${JSON.stringify(query)} uses ${JSON.stringify(nodes)}`).toBe(1)
    // Any index that gives few rows in the right order will do; where all are open, the primary key is as good as the status.
    expect([index, 'requests_pkey'].slice(0, index === 'requests_status' ? 2 : 1)).toContain(used[0]!['Index Name'])
    expect(used[0]!['Actual Rows']).toBeLessThanOrEqual(21)
    expect(used[0]!['Rows Removed by Filter'] ?? 0).toBe(0)
  }
  await client.query(`UPDATE "${schema}".requests SET expires_at = random() * 1e12`)
  await client.query('ANALYZE')
  const after = { expiresAt: 5e11, tenantId: 'default', id: '' }
  for (const query of [{}, { after }]) {
    const nodes = await explain(client, planDue(dialectOf(schema), { sql: '0', values: [] }, query).query)
    const used = nodes.filter((node) => node['Index Name'] !== undefined)
    expect(used).toMatchObject([{ 'Index Name': 'requests_due', 'Actual Rows': 51 }])
  }
  const queue = await explain(client, planQueue(dialectOf(schema), { sql: '0', values: [] }))
  const oldest = queue.filter((node) => node['Index Name'] === 'requests_queue' && node['Actual Rows'] === 1)
  expect(oldest.length, JSON.stringify(queue)).toBe(1)
  await client.end()
  await store.close()
})

async function explain(client: pg.Client, { sql, values }: SqlQuery<unknown>): Promise<PlanNode[]> {
  let count = 0
  const text = `EXPLAIN (ANALYZE, FORMAT JSON) ${sql.replaceAll('?', () => `$${++count}`)}`
  const { rows } = await client.query({ text, values: [...values] })
  return flatten((rows[0] as { 'QUERY PLAN': { Plan: PlanNode }[] })['QUERY PLAN'][0]!.Plan)
}

interface PlanNode {
  'Index Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

function flatten(node: PlanNode): PlanNode[] {
  const { Plans = [], ...own } = node
  return [own, ...Plans.flatMap(flatten)]
}
