import { expect, test } from 'vitest'
import { z } from 'zod'
import { RunState, run, tool } from '../../src/index.ts'
import { PolicyFailed } from '../../src/protocol/errors/errors.ts'
import { failedWith } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const order = z.object({ amount: z.number(), tags: z.array(z.string()).default([]) })

test('a rule decides from the context, the checked arguments and the call id', async () => {
  const asked: unknown[] = []
  const pay = gated('pay', {
    parameters: order,
    needsApproval: (async (runContext: unknown, args: { amount: number }, callId: string) => {
      asked.push([structuredClone(runContext), structuredClone(args), callId])
      return args.amount > 10
    }) as never,
  })
  const { agent } = scripted([calls(['a', 'pay', { amount: 5, extra: 1 }], ['b', 'pay', { amount: 50 }])], [pay])
  const paused = await run(agent, 'go', { context: { user: 1 } })
  expect(only(paused).toolCallId).toBe('b')
  expect(pay.runs.map(({ args }) => args)).toEqual([{ amount: 5, tags: [] }])
  const runContext = { context: { user: 1 }, usage: { requests: 1, inputTokens: 0, outputTokens: 0, totalTokens: 0 } }
  expect(asked).toEqual([
    [runContext, { amount: 5, tags: [] }, 'a'],
    [runContext, { amount: 50, tags: [] }, 'b'],
  ])
})

test('a judged call is never judged again: not on resume, not after text, not when undecided', async () => {
  let asked = 0
  const pay = gated('pay', { needsApproval: () => ++asked > 0 })
  const { agent } = scripted([calls(['a', 'pay'], ['b', 'pay']), 'Done.'], [pay])
  const paused = await run(agent, 'go')
  expect(asked).toBe(2)
  await run(agent, paused.state)
  await paused.state.approve('a')
  const still = await run(agent, await RunState.fromString(agent, paused.state.toString()))
  await still.state.approve('b')
  expect((await run(agent, still.state)).status).toBe('completed')
  expect(asked).toBe(2)
})

test('a rule that says no meanwhile does not let an asked call through', async () => {
  let strict = true
  const pay = gated('pay', { needsApproval: () => strict })
  const { agent } = scripted([calls(['a', 'pay'])], [pay])
  const paused = await run(agent, 'go')
  strict = false
  expect(only(await run(agent, paused.state)).id).toBe(only(paused).id)
  expect(pay.runs).toEqual([])
})

test('a rule that changes its arguments changes neither what is shown nor what runs', async () => {
  const pay = gated('pay', {
    parameters: order,
    needsApproval: ((_context: unknown, args: { amount: number; tags: string[] }) => {
      args.amount = 1_000_000
      args.tags.push('hacked')
      return true
    }) as never,
  })
  const { agent } = scripted([calls(['a', 'pay', { amount: 5 }]), 'Done.'], [pay])
  const paused = await run(agent, 'go')
  expect(only(paused).args).toEqual({ amount: 5, tags: [] })
  await paused.state.approve('a')
  await run(agent, paused.state)
  expect(pay.runs[0]?.args).toEqual({ amount: 5, tags: [] })
})

test('a rule that throws or returns no boolean stops the whole turn: nothing runs, and the run stays resumable', async () => {
  const answers: (() => unknown)[] = [
    () => {
      throw new Error('no database')
    },
    async () => Promise.reject(new Error('no database')),
    () => undefined,
    () => null,
    () => 'no',
    () => 0,
    () => 10n,
    () => false,
  ]
  const look = free('look')
  const pay = gated('pay', { needsApproval: (() => answers.shift()!()) as never })
  const { agent } = scripted([...answers.map(() => calls(['b', 'look'], ['a', 'pay'])), 'Done.'], [pay, look])
  let result = await run(agent, 'go')
  for (let i = 0; i < 7; i++) {
    const error = failedWith(result, PolicyFailed, 'policy_failed')
    expect(error.toolName).toBe('pay')
    // What was discarded was paid for.
    expect([look.runs, pay.runs, result.usage.requests, result.interruptions]).toEqual([[], [], i + 1, []])
    result = await run(agent, result.state)
  }
  expect(result.status).toBe('completed')
  expect([look.runs.length, pay.runs.length]).toEqual([1, 1])
})

test('a needsApproval that is neither a boolean nor a function is refused when the tool is made', () => {
  expect(() =>
    tool({ name: 'x', description: '', parameters: order, execute: () => 1, needsApproval: 'always' as never }),
  ).toThrow(expect.objectContaining({ code: 'tool_invalid' }))
})
