import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type AgentOptions,
  definePolicy,
  humanInTheLoop,
  openDesk,
  RunState,
  run,
  type Store,
  sweep,
} from '../../src/index.ts'
import { uuidSource } from '../../src/protocol/uuid.ts'
import { Journal } from '../../src/runtime/journal/journal.ts'
import { Loop } from '../../src/runtime/loop/loop.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts'
import { temporaryFolder } from '../store/sqlite/harness.ts'
import { policedAgent } from '../support/agents/policed-agent.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { brings, clockedStore, intercept } from '../support/stores/wrapped-stores.ts'
import { until } from '../support/until.ts'

const by = 'ann'
const approve = { type: 'approve' } as const
const valid = humanInTheLoop({ interruptOn: { execute_sql: { decisionValidSeconds: 60 } } })

const STORES: [string, (clock: FakeClock) => Store][] = [
  ['memory', (clock) => memoryStore({ clock })],
  ['SQLite', (clock) => sqliteStore({ path: join(temporaryFolder(), 'store.db'), durability: 'process', clock })],
]

async function paused(policy: AgentOptions['policy'] = valid, open: (clock: FakeClock) => Store = STORES[0]![1]) {
  const clock = fakeClock()
  const store = open(clock)
  const { agent, ran } = policedAgent(policy)
  const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
  const resume = async () => run(agent, await RunState.load(agent, { store, threadId: 't' }))
  return { clock, store, desk: openDesk({ store }), agent, ran, resume, request: interruptions[0]! }
}

describe.each(STORES)('decisionValidSeconds on %s', (_, open) => {
  it('asks again about a call that was approved and not started in time, and says why', async () => {
    const { clock, store, desk, ran, resume, request } = await paused(valid, open)
    expect(request).toMatchObject({ decisionValidSeconds: 60 })
    await desk.decide({ request, decision: approve, by })
    clock.advance(60_000)
    const { status, interruptions } = await resume()
    expect(status).toBe('interrupted')
    expect(ran).toEqual([])
    const [again] = interruptions
    expect(again).toMatchObject({
      status: 'open',
      reason: 'decision_expired',
      supersedes: request.id,
      args: { query: 'DELETE' },
      digest: request.digest,
      decisionValidSeconds: 60,
    })
    await desk.decide({ request: again!, decision: approve, by })
    clock.advance(59_999)
    expect((await resume()).status).toBe('completed')
    expect(ran).toHaveLength(1)
    await store.close()
  })

  it('counts from the end of the undo window', async () => {
    const { clock, store, desk, ran, resume, request } = await paused(valid, open)
    await desk.decide({ request, decision: approve, by, undoSeconds: 30 })
    clock.advance(89_999)
    expect((await resume()).status).toBe('completed')
    expect(ran).toHaveLength(1)
    await store.close()
  })
})

describe('decisionValidSeconds', () => {
  it('is judged by the time of the store: a process whose clock is behind cannot start the call', async () => {
    const { clock, store, desk, agent, ran, request } = await paused()
    await desk.decide({ request, decision: approve, by })
    const journal = await Journal.open({ ...store, clock: { ...clock, now: () => 0 } }, 't')
    clock.advance(60_000)
    const loop = new Loop(agent, journal, { newId: uuidSource(), whenWaiting: 'leave' })
    expect(await loop.drive()).toEqual({ kind: 'paused' })
    expect((await desk.list({ status: 'open' })).requests).toMatchObject([{ reason: 'decision_expired' }])
    expect(ran).toEqual([])
  })

  it('counts from the decision, not from when an edit was checked', async () => {
    const { clock, desk, ran, resume, request } = await paused()
    await desk.decide({ request, decision: { type: 'edit', args: { query: 'SELECT' } }, by })
    clock.advance(60_000)
    expect((await resume()).interruptions).toMatchObject([{ reason: 'decision_expired', args: { query: 'SELECT' } }])
    expect(ran).toEqual([])
  })

  it('is off by default: an approval counts for ever', async () => {
    const { clock, desk, ran, resume, request } = await paused(humanInTheLoop({ interruptOn: { execute_sql: true } }))
    await desk.decide({ request, decision: approve, by })
    clock.advance(365 * 86_400_000)
    expect((await resume()).status).toBe('completed')
    expect(ran).toHaveLength(1)
  })

  it('concerns approvals of people: rejections, and deadlines that allow, are acted on at any time', async () => {
    const rejected = await paused()
    await rejected.desk.decide({ request: rejected.request, decision: { type: 'reject' }, by })
    rejected.clock.advance(3_600_000)
    expect((await rejected.resume()).status).toBe('completed')

    const rule = { decisionValidSeconds: 60, timeoutSeconds: 5, onTimeout: 'allow' } as const
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const policy = humanInTheLoop({ interruptOn: { ping: rule } })
    const { agent, ran } = policedAgent(policy, { calls: [['ping', { query: '' }]] })
    await run(agent, 'go', { store, threadId: 't' })
    clock.advance(6_000)
    await sweep(store)
    clock.advance(3_600_000)
    expect((await run(agent, await RunState.load(agent, { store, threadId: 't' }))).status).toBe('completed')
    expect(ran).toHaveLength(1)
  })

  it('does not end a grant that the approval gave, nor what the grant clears', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const deleting = (id: string) => calls([id, 'execute_sql', { query: 'DELETE' }])
    const { agent, ran } = policedAgent(valid, { steps: [deleting('c1'), deleting('c2'), 'Done.'] })
    const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
    await openDesk({ store }).decide({ request: interruptions[0]!, decision: approve, by, always: true })
    clock.advance(59_999)
    expect((await run(agent, await RunState.load(agent, { store, threadId: 't' }))).status).toBe('completed')
    expect(ran).toHaveLength(2)
  })

  it('leaves calls whose outcome is unknown alone: they are asked about for that reason, and the answer counts', async () => {
    const { store, advance } = clockedStore()
    let stuck = false
    const worker = intercept(store, async (append) => {
      if (stuck || !brings(append, 'call.finished')) return
      stuck = true
      await new Promise(() => undefined)
    })
    const pay = gated('pay', { review: { decisionValidSeconds: 60 } })
    const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [pay])
    const resume = async (by: Store) => run(agent, await RunState.load(agent, { store: by, threadId: 't' }))
    const desk = openDesk({ store })
    await desk.decide({ request: only(await run(agent, 'go', { store, threadId: 't' })), decision: approve, by })
    void resume(worker)
    await until(() => stuck)
    advance(120_000)
    const asked = only(await resume(store))
    expect(asked).toMatchObject({ reason: 'unknown_outcome' })
    await desk.decide({ request: asked, decision: approve, by })
    advance(3_600_000)
    expect((await resume(store)).status).toBe('completed')
    expect(pay.runs).toHaveLength(2)
  })

  it('of several policies the shortest counts', async () => {
    const other = definePolicy(() => ({ verdict: 'review', decisionValidSeconds: 5 }))
    const { request } = await paused([valid, other])
    expect(request).toMatchObject({ decisionValidSeconds: 5 })
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '60'])('refuses %s when the policy is made', (wrong) => {
    const make = () => humanInTheLoop({ interruptOn: { x: { decisionValidSeconds: wrong as number } } })
    expect(make).toThrow('has a decisionValidSeconds that is not a positive number')
  })
})
