import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  createSweeper,
  humanInTheLoop,
  memoryStore,
  openDesk,
  RunState,
  run,
  type Store,
  type Sweep,
  sweep,
  type ToolRule,
} from '../../src/index.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { opening, requestRow } from '../../src/testing/store-suite/tools.ts'
import { fakeClock } from '../../src/testing.ts'
import { temporaryFolder } from '../store/sqlite/harness.ts'
import { policedAgent } from '../support/agents/policed-agent.ts'

type OnTimeout = NonNullable<Exclude<ToolRule, boolean>['onTimeout']>
const ann = { kind: 'person', id: 'ann' } as const
const nothing: Sweep = { expired: 0, escalated: 0, allowed: 0, passed: 0, problems: [] }

/** A run that waits for a person, for 60 seconds. */
async function pause(store: Store, onTimeout: OnTimeout, threadId: string = onTimeout) {
  const name = onTimeout === 'allow' ? 'ping' : 'execute_sql'
  const { agent, ran } = policedAgent(humanInTheLoop({ interruptOn: { [name]: { timeoutSeconds: 60, onTimeout } } }), {
    calls: [[name, { query: 'DELETE' }]],
  })
  const { interruptions } = await run(agent, 'go', { threadId, store })
  const resume = async () => run(agent, await RunState.load(agent, { threadId, store }))
  return { agent, ran, request: interruptions[0]!, resume }
}

const backends: [string, (clock: ReturnType<typeof fakeClock>) => Store][] = [
  ['memory', (clock) => memoryStore({ clock })],
  ['SQLite', (clock) => sqliteStore({ path: join(temporaryFolder(), 'store.db'), durability: 'process', clock })],
]

describe.each(backends)('sweeping a store in %s', (_, open) => {
  test('does to each request what its policy says, once, and tells when the next is due', async () => {
    const clock = fakeClock()
    const store = open(clock)
    const runs = { reject: await pause(store, 'reject'), escalate: await pause(store, 'escalate') }
    const more = { keep: await pause(store, 'keep'), allow: await pause(store, 'allow') }
    const { nextAt, ...before } = await sweep(store)
    expect(before).toEqual(nothing)
    const dated = [runs.reject, runs.escalate, more.allow].map(({ request }) => request.expiresAt!)
    expect(nextAt).toBe(dated.sort()[0])
    clock.advance(61_000)
    const late = await pause(store, 'reject', 'late')
    expect(await sweep(store)).toEqual({
      ...nothing,
      expired: 1,
      escalated: 1,
      allowed: 1,
      nextAt: late.request.expiresAt,
    })
    expect(await sweep(store)).toEqual({ ...nothing, nextAt: late.request.expiresAt })
    const desk = openDesk({ store })
    expect(await desk.get(runs.reject.request.id)).toMatchObject({ status: 'expired', version: 2 })
    expect(await desk.get(runs.escalate.request.id)).toMatchObject({ status: 'open', version: 2, escalated: true })
    expect(await desk.get(more.keep.request.id)).toEqual(more.keep.request)
    expect(await desk.get(more.allow.request.id)).toMatchObject({
      status: 'decided',
      decision: { type: 'approve', by: { kind: 'time', id: 'deadline' } },
    })
    expect(more.allow.ran).toEqual([])
    expect((await more.allow.resume()).status).toBe('completed')
    expect(more.allow.ran).toHaveLength(1)
    expect((await runs.reject.resume()).state.messages.find(({ role }) => role === 'tool')?.content).toMatch(
      /nobody answered in time/,
    )
    await desk.decide({ request: runs.escalate.request.id, decision: { type: 'approve' }, by: ann })
    expect((await runs.escalate.resume()).status).toBe('completed')
    expect(runs.escalate.ran).toHaveLength(1)
    await store.close()
  })

  test('an escalated request stays without a deadline when a decision on it is withdrawn', async () => {
    const clock = fakeClock()
    const store = open(clock)
    const { request } = await pause(store, 'escalate')
    clock.advance(61_000)
    expect(await sweep(store)).toEqual({ ...nothing, escalated: 1 })
    const desk = openDesk({ store })
    await desk.decide({ request: request.id, decision: { type: 'approve' }, by: ann, undoSeconds: 60 })
    await desk.withdraw(request.id, ann)
    expect(await desk.get(request.id)).toMatchObject({ status: 'open', version: 4, escalated: true })
    expect(await sweep(store)).toEqual(nothing)
    await desk.decide({ request: request.id, decision: { type: 'approve' }, by: ann })
    expect(await desk.get(request.id)).toMatchObject({ status: 'decided', version: 5 })
    await store.close()
  })

  test('all tenants are swept, within the limit', async () => {
    const clock = fakeClock()
    const store = open(clock)
    for (const tenant of ['a', 'b', 'c']) {
      for (const thread of ['t', 'u']) await pause(store.tenant(tenant), 'reject', thread)
    }
    clock.advance(61_000)
    const first = await sweep(store, { limit: 4 })
    expect(first).toMatchObject({ expired: 4 })
    expect(Date.parse(first.nextAt!)).toBeLessThanOrEqual(clock.now())
    expect(await sweep(store.tenant('elsewhere'), { limit: 4 })).toEqual({ ...nothing, expired: 2 })
    for (const tenant of ['a', 'b', 'c']) {
      expect((await store.tenant(tenant).findRequests({ status: 'expired' })).requests).toHaveLength(2)
    }
    await store.close()
  })

  test('of many sweepers and people exactly one settles each request, and the others learn it', async () => {
    const clock = fakeClock()
    const store = open(clock)
    for (let n = 0; n < 20; n++) await pause(store, n % 2 === 0 ? 'reject' : 'escalate', `t${n}`)
    clock.advance(61_000)
    const desk = openDesk({ store })
    const { requests } = await desk.list({ status: 'open' })
    const deciding = requests.map((request) =>
      desk.decide({ request, decision: { type: 'approve' }, by: ann, version: 1 }).then(
        () => 'decided',
        (error: Error) => error.name,
      ),
    )
    const sweeps = await Promise.all([sweep(store), sweep(store), sweep(store)])
    expect(new Set(await Promise.all(deciding))).toEqual(new Set(['HitlStaleAnswer']))
    const wrote = (key: 'expired' | 'escalated') => sweeps.reduce((sum, each) => sum + each[key], 0)
    expect(wrote('expired')).toBeLessThanOrEqual(10)
    expect(wrote('escalated')).toBeLessThanOrEqual(10)
    const after = await desk.list()
    expect(after.requests.filter(({ status }) => status === 'expired')).toHaveLength(10)
    expect(after.requests.filter(({ escalated }) => escalated)).toHaveLength(10)
    expect(new Set(after.requests.map(({ version }) => version))).toEqual(new Set([2]))
    await store.close()
  })
})

test('a request that cannot be read is reported, left unchanged, and blocks no other', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const row = requestRow(1, { expiresAt: clock.now() })
  await store.append(opening('odd', row))
  const { request } = await pause(store, 'reject')
  clock.advance(61_000)
  for (const expired of [1, 0]) {
    const swept = await sweep(store)
    expect(swept).toMatchObject({ ...nothing, expired, problems: [{ tenantId: 'default', id: row.id }] })
    expect(swept.problems[0]?.error.code).toBe('journal_invalid')
  }
  expect((await openDesk({ store }).get(request.id)).status).toBe('expired')
  expect((await store.getRequest(row.id))?.status).toBe('open')
})

test('a signal ends a sweep, wrong options are refused, and trouble of the store is the caller’s', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const { request } = await pause(store, 'reject')
  clock.advance(61_000)
  expect(await sweep(store, { signal: AbortSignal.abort() })).toEqual({ ...nothing, nextAt: request.expiresAt })
  await expect(sweep(store, { limit: 0 })).rejects.toMatchObject({ code: 'input_invalid' })
  await expect(sweep(store, { limits: 1 } as never)).rejects.toMatchObject({ code: 'input_invalid' })
  await store.close()
  await expect(sweep(store)).rejects.toMatchObject({ code: 'store_closed' })
})

describe('a sweeper', () => {
  test('sweeps repeatedly, one sweep at a time, until it is disposed of', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    let running = 0
    let most = 0
    let sweeps = 0
    const watched: Store = {
      ...store,
      async due(query) {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 3))
        running -= 1
        sweeps += 1
        return store.due(query)
      },
    }
    const errors: unknown[] = []
    const { request } = await pause(store, 'reject')
    {
      await using _sweeper = createSweeper(watched, { everyMs: 1, onError: (error) => errors.push(error) })
      await expect.poll(() => sweeps).toBeGreaterThan(3)
      clock.advance(61_000)
      await expect.poll(async () => (await store.getRequest(request.id))?.status).toBe('expired')
    }
    const ended = sweeps
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([sweeps, running, most, errors]).toEqual([ended, 0, 1, []])
  })

  test('reports failures and continues', async () => {
    const store = memoryStore()
    let sweeps = 0
    const failing: Store = {
      ...store,
      due(query) {
        sweeps += 1
        return sweeps < 3 ? Promise.reject(new Error(`no disk ${sweeps}`)) : store.due(query)
      },
    }
    const errors: string[] = []
    const sweeper = createSweeper(failing, { everyMs: 1, onError: (error) => errors.push((error as Error).message) })
    await expect.poll(() => sweeps).toBeGreaterThan(4)
    await sweeper.stop()
    await sweeper.stop()
    expect(errors).toEqual(['no disk 1', 'no disk 2'])
  })

  test('needs an error handler and valid intervals', () => {
    const store = memoryStore()
    const onError = () => undefined
    expect(() => createSweeper(store, {} as never)).toThrow('onError')
    expect(() => createSweeper(store, { onError, everyMs: 0 })).toThrow('everyMs')
    expect(() => createSweeper(store, { onError, every: 1 } as never)).toThrow('every')
  })
})
