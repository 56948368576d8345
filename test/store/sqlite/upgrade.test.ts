import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { humanInTheLoop, openDesk, run, sweep } from '../../../src/index.ts'
import type { OnTimeout } from '../../../src/protocol/request.ts'
import { onTimeouts } from '../../../src/protocol/request.ts'
import { sqliteStore } from '../../../src/store/sqlite/store.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import { entry } from '../../../src/testing/store-suite/tools.ts'
import { policedAgent } from '../../support/agents/policed-agent.ts'
import { gated } from '../../support/agents/recording-tools.ts'
import { calls, scripted } from '../../support/agents/scripted-agent.ts'
import { manyRequests } from '../../support/stores/many-requests.ts'
import { onFile, openFile } from '../../support/stores/open-file.ts'
import { temporaryFolder } from './harness.ts'

const by = { kind: 'person', id: 'ann' } as const

/** What came with version 10. */
const WITHOUT_CHUNKS = 'DROP TRIGGER chunks_erased; DROP TABLE chunks'

/** What came with version 9. */
const WITHOUT_SNAPSHOTS = `${WITHOUT_CHUNKS}; DROP TRIGGER snapshots_erased; DROP TABLE snapshots`

/** What came with version 8. */
const WITHOUT_ERASURE = `${WITHOUT_SNAPSHOTS}; DROP TRIGGER thread_erased; ALTER TABLE threads DROP COLUMN erased_at`

/** What came with version 7. */
const WITHOUT_LISTS = [
  WITHOUT_ERASURE,
  ...['request_timed', 'request_timed_again'].map((name) => `DROP TRIGGER ${name}`),
  ...['requests_changed', 'requests_readers', 'outbox_tenant'].map((name) => `DROP INDEX ${name}`),
  ...['lists', 'changed_at'].map((name) => `ALTER TABLE requests DROP COLUMN ${name}`),
].join(';')

/** What came with version 6. */
const WITHOUT_WAKE = [
  WITHOUT_LISTS,
  'DROP INDEX threads_wake',
  ...['wake_at', 'wake_tries', 'run_agent', 'run_version'].map((name) => `ALTER TABLE threads DROP COLUMN ${name}`),
].join(';')

/** What came with version 5. */
const WITHOUT_INBOX = [
  WITHOUT_WAKE,
  ...['request_opened', 'request_settled', 'request_escalated', 'request_assigned', 'request_commented'].map(
    (name) => `DROP TRIGGER IF EXISTS ${name}`,
  ),
  ...['request_filled_in', 'grant_created', 'grant_revoked'].map((name) => `DROP TRIGGER IF EXISTS ${name}`),
  'DROP INDEX requests_queue',
  ...['outbox', 'records', 'holdpoint_store'].map((name) => `DROP TABLE ${name}`),
  ...['readers', 'risk', 'assigned_to', 'assigned_until', 'comments', 'noted_at', 'text'].map(
    (name) => `ALTER TABLE requests DROP COLUMN ${name}`,
  ),
].join(';')

/** Until version 3 nothing was signed. */
const WITHOUT_MACS = `${WITHOUT_INBOX};ALTER TABLE threads DROP COLUMN mac_key; ALTER TABLE threads DROP COLUMN mac`

/** A file as version 1 left it: no table of grants, and grants without anything but a run. */
async function fileOfVersion1(): Promise<string> {
  const path = join(temporaryFolder(), 'store.db')
  const store = sqliteStore({ path })
  const desk = openDesk({ store })
  for (const [threadId, withdrawn] of [
    ['kept', false],
    ['withdrawn', true],
  ] as const) {
    const { agent } = scripted([calls(['a', 'pay'], ['b', 'pay'])], [gated('pay')])
    const { interruptions } = await run(agent, 'go', { store, threadId })
    const [request] = interruptions
    await desk.decide({ request: request!, decision: { type: 'approve' }, by, always: true })
    if (withdrawn) await desk.withdraw(request!, by)
  }
  await store.close()
  onFile(path, (db) => db.exec(`DROP TABLE grants; DROP INDEX requests_due; ${WITHOUT_MACS}; PRAGMA user_version = 1`))
  return path
}

const versionOf = (path: string) =>
  onFile(path, (db) => (db.prepare('PRAGMA user_version').get([]) as { user_version: number }).user_version)

describe('a file of schema version 1', () => {
  it('is upgraded when it is opened, and the grants of its journals are found', async () => {
    const path = await fileOfVersion1()
    const store = sqliteStore({ path })
    const { grants } = await openDesk({ store }).grants({ status: 'all' })
    expect(grants.map(({ threadId, status, scope, toolName, by }) => [threadId, status, scope, toolName, by])).toEqual([
      ['withdrawn', 'revoked', 'run', 'pay', by],
      ['kept', 'active', 'run', 'pay', by],
    ])
    expect(grants[0]?.revoked).toMatchObject({ by })
    const pay = gated('pay')
    const { agent } = scripted(['Done.'], [pay])
    const kept = await agent.thread('kept', { store }).resume()
    expect(kept.status).toBe('completed')
    expect(pay.runs.map(({ ctx }) => ctx.approvedBy?.kind)).toEqual(['person', 'grant'])
    await store.close()
    expect(versionOf(path)).toBe(4)
  })

  it('is upgraded once by stores that open it together', async () => {
    const path = await fileOfVersion1()
    const stores = Array.from({ length: 8 }, () => sqliteStore({ path }))
    const outcomes = await Promise.all(
      stores.map((store, n) => store.append({ threadId: `new ${n}`, entries: [entry(n)] })),
    )
    expect(outcomes.every(({ ok }) => ok)).toBe(true)
    for (const store of stores) {
      expect((await store.findGrants({})).grants).toHaveLength(1)
      await store.close()
    }
  })

  it('waits for a writer of the old version instead of failing', async () => {
    const path = await fileOfVersion1()
    const db = openFile(path)
    db.exec('BEGIN IMMEDIATE')
    const store = sqliteStore({ path })
    const finding = store.findGrants({})
    await new Promise((resolve) => setTimeout(resolve, 100))
    db.exec('COMMIT')
    db.close()
    expect((await finding).grants).toHaveLength(1)
    await store.close()
  })

  it('is upgraded whole or not at all', async () => {
    const path = await fileOfVersion1()
    onFile(path, (db) => db.exec('CREATE TABLE grants (odd)'))
    const store = sqliteStore({ path })
    await expect(store.read('kept')).rejects.toMatchObject({ name: expect.stringMatching(/^Store/) })
    await store.close()
    expect(versionOf(path)).toBe(1)
    onFile(path, (db) => db.exec('DROP TABLE grants'))
    const mended = sqliteStore({ path })
    expect((await mended.findGrants({})).grants).toHaveLength(1)
    await mended.close()
  })
})

/** A file as version 2 left it: no index of what is due, and deadlines that were over or meant nothing were still in its rows. */
async function fileOfVersion2(): Promise<{ path: string; ids: Record<OnTimeout, string> }> {
  const path = join(temporaryFolder(), 'store.db')
  const clock = fakeClock()
  const store = sqliteStore({ path, clock })
  const ids: Partial<Record<OnTimeout, string>> = {}
  for (const onTimeout of onTimeouts) {
    const policy = humanInTheLoop({ interruptOn: { ping: { timeoutSeconds: 60, onTimeout } } })
    const { agent } = policedAgent(policy, { calls: [['ping', { query: '' }]] })
    const { interruptions } = await run(agent, 'go', { store, threadId: onTimeout })
    ids[onTimeout] = interruptions[0]!.id
  }
  clock.advance(61_000)
  const late = { request: ids.escalate!, decision: { type: 'approve' }, by, version: 1 }
  await expect(openDesk({ store }).decide(late)).rejects.toMatchObject({ code: 'stale_answer' })
  await store.close()
  onFile(path, (db) =>
    db.exec(`DROP INDEX requests_due; ${WITHOUT_MACS};
      UPDATE requests SET expires_at = ${clock.now()} WHERE expires_at IS NULL;
      PRAGMA user_version = 2`),
  )
  return { path, ids: ids as Record<OnTimeout, string> }
}

describe('a file of schema version 2', () => {
  it('is upgraded when it is opened: what time still decides is found, and nothing else', async () => {
    const { path, ids } = await fileOfVersion2()
    const store = sqliteStore({ path })
    const { requests, nextAt } = await store.due()
    expect(requests.map(({ id }) => id).sort()).toEqual([ids.reject, ids.allow].sort())
    expect(nextAt).toBe(null)
    expect(await sweep(store)).toEqual({ expired: 1, escalated: 0, allowed: 1, passed: 0, problems: [] })
    const desk = openDesk({ store })
    expect(await desk.get(ids.escalate)).toMatchObject({ status: 'open', escalated: true })
    expect(await desk.get(ids.keep)).toMatchObject({ status: 'open', version: 1 })
    await store.close()
    expect(versionOf(path)).toBe(4)
  })
})

describe('a file of schema version 6', () => {
  it('is upgraded when it is opened: decisions are listed by their time, and reviewer lists are known', async () => {
    const path = join(temporaryFolder(), 'store.db')
    const clock = fakeClock()
    const before = sqliteStore({ path, clock })
    const several = [['user:ann'], ['group:ops']]
    const ids = await manyRequests(before, 3, (nth) => (nth === 0 ? { lists: several } : {}))
    for (const request of [ids[1]!, ids[0]!]) {
      clock.advance(1000)
      const ops = { kind: 'person' as const, id: 'ann', groups: ['ops'] }
      await openDesk({ store: before }).decide({ request, decision: { type: 'approve' }, by: ops })
    }
    await before.close()
    onFile(path, (db) => db.exec(`${WITHOUT_LISTS}; UPDATE holdpoint_store SET version = 6`))
    const store = sqliteStore({ path, clock })
    const { requests } = await store.findRequests({ order: 'changed' })
    expect(requests.map(({ id }) => id)).toEqual([ids[0], ids[1], ids[2]])
    expect(await store.countRequests({ satisfiedBy: ['user:ann'] })).toEqual({ count: 2, more: false })
    expect(await store.countRequests({ satisfiedBy: ['user:ann', 'group:ops'] })).toEqual({ count: 3, more: false })
    await store.close()
    expect(versionOf(path)).toBe(4)
  })
})
