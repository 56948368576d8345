import { describe, expect, test } from 'vitest'
import { memoryStore, openDesk, RunState, run } from '../../../src/index.ts'
import { DecisionInvalid } from '../../../src/protocol/errors/errors.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import { refused } from '../../support/agents/failures.ts'
import { gated } from '../../support/agents/recording-tools.ts'
import { only } from '../../support/agents/results.ts'
import { calls, scripted } from '../../support/agents/scripted-agent.ts'
import { brings, clockedStore, intercept } from '../../support/stores/wrapped-stores.ts'
import { until } from '../../support/until.ts'
import { payer, payTool } from '../payer.ts'

describe('what always is set to', () => {
  test.each([
    ['a text', 'yes'],
    ['null', null],
    ['a number', 1],
    ['a list', []],
    ['an unknown option', { scopes: 'run' }],
    ['an unknown scope', { scope: 'world' }],
    ['no uses', { uses: 0 }],
    ['half a use', { uses: 1.5 }],
    ['uses as text', { uses: '3' }],
    ['a cap without a field', { cap: { max: 3 } }],
    ['a cap without a name', { cap: { field: '', max: 3 } }],
    ['a cap of nothing', { cap: { field: 'amount', max: 0 } }],
    ['a cap without end', { cap: { field: 'amount', max: Number.POSITIVE_INFINITY } }],
    ['a cap with more', { cap: { field: 'amount', max: 1, min: 0 } }],
    ['no time', { expiresInSeconds: 0 }],
    ['a time without end', { expiresInSeconds: Number.POSITIVE_INFINITY }],
    ['a pattern that is no object', { args: [] }],
    ['a pattern that is not JSON', { args: { at: new Date() } }],
    ['a pattern that nothing fits', { args: { to: { oneOf: [] } } }],
  ])('%s is refused before anything is stored', async (_name, always) => {
    const store = memoryStore()
    const { agent, pay } = payer([{ amount: 1 }])
    const paused = await run(agent, 'go', { store, threadId: 't' })
    const { version } = await store.read('t')
    for (const refusing of [
      paused.state.approve(only(paused), { always: always as never }),
      paused.state.reject(only(paused), { always: always as never }),
      paused.state.decide({ decisions: [{ type: 'approve', always: always as never }] }),
    ]) {
      await refused(refusing, DecisionInvalid, 'decision_invalid')
    }
    expect((await store.read('t')).version).toBe(version)
    expect(pay.runs).toEqual([])
  })

  test('a cap goes with approve alone', async () => {
    const { agent } = payer([{}])
    const { state } = await run(agent, 'go')
    const always = { cap: { field: 'amount', max: 1 } }
    await refused(state.reject(state.interruptions[0]!, { always }), DecisionInvalid, 'decision_invalid')
  })

  test('false is no standing decision, and an empty object is one for the run', async () => {
    const store = memoryStore()
    const { agent } = payer([{}, {}])
    const paused = await run(agent, 'go', { store, threadId: 't' })
    await paused.state.approve(only(paused), { always: false })
    const second = await run(agent, paused.state)
    expect((await openDesk({ store }).grants()).grants).toEqual([])
    await second.state.approve(only(second), { always: {} })
    expect((await openDesk({ store }).grants()).grants).toMatchObject([{ scope: 'run' }])
  })

  test('a pattern keeps every key, also one that objects have of their own', async () => {
    const store = memoryStore()
    const pattern = JSON.parse('{"__proto__": 1, "constructor": 2}') as Record<string, number>
    const { agent } = payer([{}])
    const paused = await run(agent, 'go', { store, threadId: 't' })
    await paused.state.approve(only(paused), { always: { scope: 'agent', args: pattern } })
    const [grant] = (await openDesk({ store }).grants()).grants
    expect(JSON.stringify(grant?.args)).toBe('{"__proto__":1,"constructor":2}')
    expect((await run(payer([{}]).agent, 'go', { store, threadId: 'u' })).status).toBe('interrupted')
  })
})

describe('grants in a state text', () => {
  test('are still there after it, with what was spent of them', async () => {
    const { agent, pay } = payer([{ amount: 1 }, { amount: 6 }, { amount: 5 }, { amount: 4 }, { amount: 1 }])
    const first = await run(agent, 'go')
    await first.state.approve(only(first), { always: { cap: { field: 'amount', max: 10 }, uses: 2 } })
    const second = await run(agent, await RunState.fromString(agent, first.state.toString()))
    expect(only(second).args).toEqual({ amount: 5 })
    await second.state.reject(only(second))
    const third = await run(agent, await RunState.fromString(agent, second.state.toString()))
    expect(only(third).args).toEqual({ amount: 1 })
    expect(pay.runs.map((one) => one.args)).toEqual([{ amount: 1 }, { amount: 6 }, { amount: 4 }])
  })

  test('go into a store with what was spent of them', async () => {
    const store = memoryStore()
    const { agent } = payer([{}, {}, {}, {}])
    const first = await run(agent, 'go')
    await first.state.approve(only(first), { always: { scope: 'agent', uses: 2 } })
    const second = await run(agent, first.state)
    const state = await RunState.fromString(agent, second.state.toString(), { trust: true })
    expect((await run(agent, state, { store })).status).toBe('interrupted')
    expect((await openDesk({ store }).grants({ status: 'all' })).grants).toMatchObject([{ status: 'used_up', used: 2 }])
    expect((await run(payer([{}]).agent, 'go', { store, threadId: 'u' })).status).toBe('interrupted')
  })

  test('that were given on a text of a stored thread go through the desk, with the time that is left', async () => {
    const clock = fakeClock(Date.now())
    const store = memoryStore({ clock })
    const { agent } = payer([{}, {}])
    const stored = await run(agent, 'go', { store, threadId: 't' })
    const copy = await RunState.fromString(agent, stored.state.toString())
    await copy.approve(copy.interruptions[0]!, { always: { scope: 'agent', uses: 5, expiresInSeconds: 60 } })
    clock.advance(20_000)
    expect((await run(agent, copy, { store })).status).toBe('completed')
    const [grant] = (await openDesk({ store }).grants()).grants
    expect(grant).toMatchObject({ scope: 'agent', uses: 5, used: 1 })
    const left = Date.parse(grant!.expiresAt!) - clock.now()
    expect(left).toBeGreaterThan(30_000)
    expect(left).toBeLessThan(60_000)
  })

  test('that are of another thread are asked for again without their store', async () => {
    const store = memoryStore()
    const giver = payer([{}])
    const given = await run(giver.agent, 'go', { store, threadId: 'given' })
    await given.state.approve(only(given), { always: { scope: 'agent' } })
    const pay = payTool()
    const { agent } = scripted([calls(['a', 'pay'], ['b', 'wire'])], [pay, gated('wire')], { name: 'payer' })
    const options = { store, threadId: 'u', toolExecution: { start: 'settled' } } as const
    const paused = await run(agent, 'go', options)
    const copy = await RunState.fromString(agent, paused.state.toString())
    await copy.approve('b')
    const asked = await run(agent, copy)
    expect(only(asked)).toMatchObject({ toolName: 'pay', reason: 'grant_gone' })
    expect(pay.runs).toEqual([])
  })
})

test('a call that a grant let through and whose outcome is unknown is run again without another use', async () => {
  const { store, advance } = clockedStore()
  const { agent, pay } = payer([{ n: 1 }, { n: 2 }], payTool({ idempotent: true }))
  const paused = await run(agent, 'go', { store, threadId: 't' })
  await paused.state.approve(only(paused), { always: { uses: 1 } })
  const never = new Promise<void>(() => {})
  let reports = 0
  const silent = intercept(store, (append) => (brings(append, 'call.finished') && ++reports === 2 ? never : undefined))
  void run(agent, await RunState.load(agent, { threadId: 't', store: silent }))
  await until(() => reports === 2)
  advance(31_000)
  expect((await run(agent, await RunState.load(agent, { threadId: 't', store }))).status).toBe('completed')
  expect(pay.runs.map(({ ctx }) => ctx.approvedBy?.kind)).toEqual(['person', 'grant', 'grant'])
  expect((await openDesk({ store }).grants({ status: 'all' })).grants).toMatchObject([{ used: 1, status: 'used_up' }])
})
