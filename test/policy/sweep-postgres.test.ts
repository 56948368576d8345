import { expect, test } from 'vitest'
import { humanInTheLoop, openDesk, run, sweep } from '../../src/index.ts'
import { policedAgent } from '../support/agents/policed-agent.ts'
import { freshSchema, usePostgres } from '../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../support/stores/unsynced-postgres.ts'

const server = usePostgres()

test('two sweepers on one Postgres database, by its clock: each request is written once, in every tenant', async () => {
  const options = { connectionString: server.get().connectionString, schema: freshSchema() }
  const stores = [unsyncedPostgres(options), unsyncedPostgres(options)] as const
  const policy = humanInTheLoop({ interruptOn: { execute_sql: { timeoutSeconds: 0.2, onTimeout: 'escalate' } } })
  const tenants = ['a', 'b', 'c', 'd']
  for (const tenant of tenants) {
    for (const threadId of ['t', 'u'])
      await run(policedAgent(policy).agent, 'go', { store: stores[0].tenant(tenant), threadId })
  }
  let escalated = 0
  await expect
    .poll(async () => {
      const swept = await Promise.all(stores.map((store) => sweep(store)))
      for (const each of swept) escalated += each.escalated
      return escalated
    })
    .toBe(8)
  expect(await sweep(stores[1])).toEqual({ expired: 0, escalated: 0, allowed: 0, passed: 0, problems: [] })
  for (const tenant of tenants) {
    const { requests } = await openDesk({ store: stores[1].tenant(tenant) }).list()
    expect(requests.map(({ version, escalated: late }) => [version, late])).toEqual([
      [2, true],
      [2, true],
    ])
  }
  for (const store of stores) await store.close()
})
