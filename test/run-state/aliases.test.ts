import { expect, test } from 'vitest'
import { humanInTheLoop, memoryStore, RunState, run } from '../../src/index.ts'
import { AgentInvalid, OutcomeUnknown, ToolInvalid } from '../../src/protocol/errors/errors.ts'
import { tool } from '../../src/runtime/definition/tool/tool.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const renamed = (name: string, aliases: string[], runs: unknown[]) =>
  tool({
    name,
    aliases,
    description: 'pays',
    parameters: gated('pay').parameters,
    needsApproval: true,
    execute: (args) => {
      runs.push(args)
      return 'paid'
    },
  })

test('an approval of a call under the old name of a tool holds when the tool has a new one', async () => {
  const store = memoryStore()
  const runs: unknown[] = []
  const before = scripted([calls(['a', 'old_pay', { n: 1 }])], [renamed('old_pay', [], runs)])
  const paused = await run(before.agent, 'go', { store, threadId: 't' })
  await paused.state.approve(only(paused))
  const after = scripted(['Done.'], [renamed('pay', ['old_pay'], runs)])
  const result = await run(after.agent, await RunState.load(after.agent, { threadId: 't', store }))
  expect(result.status).toBe('completed')
  expect(runs).toEqual([{ n: 1 }])
  expect(after.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['pay'])
})

test.each([
  ['old_pay', [], 'pay', ['old_pay']],
  ['pay', ['old_pay'], 'old_pay', ['pay']],
])('a standing decision under %s covers calls under the other name', async (name, aliases, next, others) => {
  const store = memoryStore()
  const runs: unknown[] = []
  const before = scripted([calls(['a', name, { n: 1 }]), 'Done.'], [renamed(name, aliases, runs)])
  const paused = await run(before.agent, 'go', { store, threadId: 't' })
  await paused.state.approve(only(paused), { always: { scope: 'thread' } })
  await run(before.agent, paused.state)
  const after = scripted([calls(['b', next, { n: 2 }], ['c', name, { n: 3 }]), 'Done.'], [renamed(next, others, runs)])
  expect((await run(after.agent, 'again', { store, threadId: 't' })).status).toBe('completed')
  expect(runs).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
})

test('a standing decision does not cover another definition under an alias', async () => {
  const store = memoryStore()
  const before = scripted([calls(['a', 'old_pay', { n: 1 }]), 'Done.'], [gated('old_pay', { description: 'looks' })])
  const paused = await run(before.agent, 'go', { store, threadId: 't' })
  await paused.state.approve(only(paused), { always: { scope: 'thread' } })
  await run(before.agent, paused.state)
  const after = scripted([calls(['b', 'pay', { n: 2 }])], [renamed('pay', ['old_pay'], [])])
  expect(only(await run(after.agent, 'again', { store, threadId: 't' })).toolName).toBe('pay')
})

test('a rule under any name of a tool is about it, and one for its first name also counts for calls under another', async () => {
  const runs: unknown[] = []
  const policy = humanInTheLoop({ interruptOn: { old_pay: { allowedDecisions: ['reject'] }, 'pa*': false } })
  const { agent } = scripted(
    [calls(['a', 'pay', { n: 1 }], ['b', 'old_pay', { n: 2 }])],
    [renamed('pay', ['old_pay'], runs)],
    {
      policy,
    },
  )
  const paused = await run(agent, 'go')
  expect(paused.interruptions.map(({ allowedDecisions }) => allowedDecisions)).toEqual([['reject'], ['reject']])
})

test('names must be different and well-formed', () => {
  expect(() => scripted([], [renamed('pay', ['old'], []), renamed('old', [], [])])).toThrow(AgentInvalid)
  expect(() => renamed('pay', ['pay'], [])).toThrow(ToolInvalid)
  expect(() => renamed('pay', ['not a name'], [])).toThrow(ToolInvalid)
})

test('a body that does not know what it did leaves an unknown outcome, as its tool says', async () => {
  const doubtful = (onUnknownOutcome: 'ask' | 'fail') =>
    tool({
      name: 'pay',
      description: 'pays',
      parameters: gated('pay').parameters,
      onUnknownOutcome,
      execute: () => {
        throw new OutcomeUnknown('the line went dead')
      },
    })
  const asks = scripted([calls(['a', 'pay', { n: 1 }])], [doubtful('ask')])
  expect(only(await run(asks.agent, 'go')).reason).toBe('unknown_outcome')
  const fails = scripted([calls(['a', 'pay', { n: 1 }]), 'Done.'], [doubtful('fail')])
  const result = await run(fails.agent, 'go')
  expect(resultsIn(result.state.messages)).toEqual([['a', expect.stringContaining('not known whether it took effect')]])
})
