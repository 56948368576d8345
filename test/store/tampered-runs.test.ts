import { join } from 'node:path'
import { expect, it } from 'vitest'
import { humanInTheLoop, openDesk, RunState, run, sweep } from '../../src/index.ts'
import { loadDriver } from '../../src/store/sqlite/connection/load-driver.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { policedAgent } from '../support/agents/policed-agent.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { temporaryFolder } from './sqlite/harness.ts'

const by = { kind: 'person', id: 'ann' } as const

function change(path: string, sql: string): void {
  // Another SQLite library in this process would drop the locks of the store's own.
  const db = loadDriver(undefined).open(path, 'write')
  db.exec(sql)
  db.close()
}

it('a run whose record was changed after it was approved does not go on, through any door', async () => {
  const path = join(temporaryFolder(), 'store.db')
  const store = sqliteStore({ path })
  const pay = gated('pay')
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [pay])
  const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
  const desk = openDesk({ store })
  await desk.decide({ request: interruptions[0]!, decision: { type: 'approve' }, by })
  change(path, `UPDATE entries SET body = body || ' ' WHERE body LIKE '%call.judged%'`)
  const corrupt = { name: 'StoreCorrupt', code: 'store_corrupt', threadId: 't' }
  await expect(RunState.load(agent, { store, threadId: 't' })).rejects.toMatchObject(corrupt)
  await expect(run(agent, 'more', { store, threadId: 't' })).rejects.toMatchObject(corrupt)
  await expect(agent.thread('t', { store }).resume()).rejects.toMatchObject(corrupt)
  expect(pay.runs).toEqual([])
  await store.close()
})

it('a sweep lists what cannot be trusted, and goes on with the rest', async () => {
  const path = join(temporaryFolder(), 'store.db')
  const clock = fakeClock()
  const store = sqliteStore({ path, clock })
  const policy = humanInTheLoop({ interruptOn: { ping: { timeoutSeconds: 60, onTimeout: 'reject' } } })
  const ids: string[] = []
  for (const threadId of ['sound', 'gone', 'changed', 'deleted']) {
    const { agent } = policedAgent(policy, { calls: [['ping', { query: '' }]] })
    ids.push((await run(agent, 'go', { store, threadId })).interruptions[0]!.id)
  }
  const of = (threadId: string) => `thread = (SELECT no FROM threads WHERE id = '${threadId}')`
  change(path, `DELETE FROM entries WHERE ${of('gone')} AND body LIKE '%request.opened%'`)
  change(path, `UPDATE entries SET body = '' WHERE ${of('changed')} AND body LIKE '%request.opened%'`)
  change(path, `DELETE FROM threads WHERE id = 'deleted'`)
  clock.advance(61_000)
  const done = await sweep(store)
  expect(done).toMatchObject({ expired: 1 })
  expect(done.problems.map(({ id }) => id).sort()).toEqual(ids.slice(1).sort())
  for (const { error } of done.problems) expect(error).toMatchObject({ name: 'StoreCorrupt' })
  await store.close()
})

it.each(['{"v":1,"type":"call.started"}', '{"v":1,"type":"model.answered","run":"r"}', '{"v":1,"type":"run.opened"}'])(
  'an entry that lacks its fields, with a chain that verifies, is a typed error: %s',
  async (body) => {
    const store = sqliteStore({ path: join(temporaryFolder(), 'store.db') })
    const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [gated('pay')])
    await run(agent, 'go', { store, threadId: 't' })
    await store.append({ threadId: 't', entries: [body] })
    await expect(RunState.load(agent, { store, threadId: 't' })).rejects.toMatchObject({ name: 'JournalInvalid' })
    await store.close()
  },
)
