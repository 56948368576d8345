import { describe, expect, test } from 'vitest'
import { humanInTheLoop } from '../../src/policy/human-in-the-loop.ts'
import { Agent } from '../../src/runtime/agent/agent.ts'
import { run } from '../../src/runtime/run/run.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { type ScriptStep, scriptedModel } from '../../src/testing/scripted-model.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { entriesOf } from '../support/stores/entries.ts'

/** Two agents whose model turns go beside one another, each with tools of its own. */
function pair(north: [ScriptStep[], ReturnType<typeof gated>[]], south: [ScriptStep[], ReturnType<typeof gated>[]]) {
  const models = [scriptedModel(north[0]), scriptedModel(south[0])]
  const agents = [
    new Agent({ name: 'north', model: models[0]!, tools: north[1] }),
    new Agent({ name: 'south', model: models[1]!, tools: south[1] }),
  ]
  return { models, tools: agents.map((one) => one.asTool()) }
}

const both: ScriptStep = calls(['n', 'north', { input: 'go' }], ['s', 'south', { input: 'go' }])

describe('standing decisions when nested turns go beside one another', () => {
  test('a yes covers later calls of each agent, whichever was looked up last', async () => {
    const [climb, dive] = [gated('climb'), gated('dive')]
    const { tools } = pair(
      [[calls(['c1', 'climb']), 'up', calls(['c2', 'climb']), 'up again'], [climb]],
      [[calls(['d1', 'dive']), 'down', calls(['d2', 'dive']), 'down again'], [dive]],
    )
    const { agent } = scripted([both, both, 'done'], tools)
    const paused = await run(agent, 'go')
    for (const asked of paused.interruptions) await paused.state.approve(asked, { always: true })
    const done = await run(agent, paused.state)
    expect(done.status).toBe('completed')
    expect([climb.runs.length, dive.runs.length]).toEqual([2, 2])
  })

  test('G8: a standing no stops a call that the rule would let through by now, whatever the other agent looks up', async () => {
    let strict = true
    const climb = gated('climb', { needsApproval: () => strict })
    const dive = gated('dive')
    const { tools, models } = pair(
      [[calls(['c1', 'climb']), 'stayed', calls(['c2', 'climb']), 'stayed again'], [climb]],
      [['nothing yet', calls(['d2', 'dive']), 'down'], [dive]],
    )
    const { agent } = scripted([both, both, 'done'], tools)
    const paused = await run(agent, 'go')
    await paused.state.reject(only(paused), { always: true, message: 'never' })
    strict = false
    const second = await run(agent, paused.state)
    await second.state.approve(only(second))
    expect((await run(agent, second.state)).status).toBe('completed')
    expect(climb.runs).toHaveLength(0)
    expect(resultsIn(models[0]!.requests[3]?.messages)).toEqual([['c2', 'never']])
  })

  test('G2: one use is spent by one of two calls, and the other is asked', async () => {
    const climb = gated('climb')
    const north = new Agent({
      name: 'north',
      model: {
        respond: async ({ messages }) =>
          messages.length > 1 ? { content: 'up' } : { toolCalls: [{ id: 'c', name: 'climb', args: {} }] },
      },
      tools: [climb],
    })
    const two = calls(['a', 'north', { input: '1' }], ['b', 'north', { input: '2' }])
    const { agent } = scripted([calls(['x', 'north', { input: '0' }]), two, 'done'], [north.asTool()])
    const paused = await run(agent, 'go')
    await paused.state.approve(only(paused), { always: { uses: 1 } })
    const again = await run(agent, paused.state)
    expect(only(again).toolName).toBe('climb')
    expect(climb.runs).toHaveLength(2)
    await again.state.approve(only(again))
    expect((await run(agent, again.state)).status).toBe('completed')
    expect(climb.runs).toHaveLength(3)
  })
})

describe('G8: policies and hand-offs', () => {
  /** A root that calls a lead as a tool, who hands over to a payer, who may hand on to another. */
  function firm(options: { nested: boolean }) {
    const pay = free('pay')
    const payer = new Agent({ name: 'payer', model: scriptedModel([calls(['p', 'pay']), 'paid']), tools: [pay] })
    const clerk = new Agent({
      name: 'clerk',
      model: scriptedModel([calls(['t2', 'transfer_to_payer'])]),
      handoffs: [payer],
      policy: humanInTheLoop({ interruptOn: { pay: true } }),
    })
    const lead = new Agent({
      name: 'lead',
      model: scriptedModel([calls(['t1', 'transfer_to_clerk'])]),
      handoffs: [clerk],
    })
    if (!options.nested) return { pay, agent: lead }
    const root = new Agent({
      name: 'root',
      model: scriptedModel([calls(['l', 'lead', { input: 'go' }]), 'done']),
      tools: [lead.asTool()],
    })
    return { pay, agent: root }
  }

  test.each([
    [false, ['lead', 'clerk', 'payer']],
    [true, ['root', 'lead', 'clerk', 'payer']],
  ])('the policy of an agent that handed over still counts for who goes on (nested: %s)', async (nested, path) => {
    const { agent, pay } = firm({ nested })
    const paused = await run(agent, 'go')
    expect(only(paused)).toMatchObject({ toolName: 'pay', agent: 'payer', path })
    expect(pay.runs).toHaveLength(0)
    await paused.state.approve(only(paused))
    expect((await run(agent, paused.state)).status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
  })

  test('handing back ends what came in between: the path and the policies are those of the way', async () => {
    const store = memoryStore()
    const act = free('act')
    const strict: Agent = new Agent({
      name: 'strict',
      model: scriptedModel([calls(['2', 'transfer_to_loose'])]),
      handoffs: () => [loose],
      policy: humanInTheLoop({ interruptOn: { act: true } }),
    })
    const loose: Agent = new Agent({
      name: 'loose',
      model: scriptedModel([calls(['1', 'transfer_to_strict']), calls(['a', 'act']), 'acted']),
      tools: [act],
      handoffs: () => [strict],
    })
    const done = await run(loose, 'go', { store, threadId: 't' })
    expect(done.finalOutput).toBe('acted')
    expect((await entriesOf(store, 't')).filter(({ type }) => type === 'request.opened')).toEqual([])
  })
})
