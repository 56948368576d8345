import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, handoff, humanInTheLoop, RunState, run, tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

interface Context {
  admin: boolean
}
type Given = { runContext: { context: unknown }; agent: string }
const forAdmins = ({ runContext }: Given) => (runContext.context as Context).admin
const names = (tools: readonly { name: string }[] | undefined) => tools?.map(({ name }) => name)

test('a tool or hand-off that is not enabled is not offered, and cannot be called', async () => {
  const ran: string[] = []
  const drop = tool({
    name: 'drop',
    description: '',
    parameters: z.object({}),
    isEnabled: forAdmins,
    execute: () => ran.push('drop'),
  })
  const other = new Agent({ name: 'other', model: scriptedModel(['Other.']) })
  const make = () =>
    scripted(
      [calls(['a', 'drop'], ['b', 'transfer_to_other'], ['c', 'other', { input: 'x' }]), 'Done.'],
      [drop, other.asTool({ isEnabled: false })],
      { handoffs: [handoff(other, { isEnabled: forAdmins })] },
    )
  const user = make()
  const done = await run(user.agent, 'go', { context: { admin: false } })
  expect(done).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
  expect(names(user.model.requests[0]?.tools)).toEqual([])
  expect(JSON.stringify(done.state.messages)).toContain('There is no tool \\"drop\\". There are no tools.')
  expect(ran).toEqual([])
  const admin = make()
  expect(await run(admin.agent, 'go', { context: { admin: true } })).toMatchObject({ finalOutput: 'Other.' })
  expect(names(admin.model.requests[0]?.tools)).toEqual(['drop', 'transfer_to_other'])
  expect(ran).toEqual(['drop'])
})

test('it is judged once before each model call, with the id of the agent', async () => {
  const asked: string[] = []
  const isEnabled = ({ agent }: Given) => {
    asked.push(agent)
    return asked.length === 1
  }
  const { agent, model } = scripted(
    [calls(['a', 'pay'], ['b', 'pay', { n: 2 }]), calls(['c', 'pay']), 'Done.'],
    [gated('pay', { isEnabled })],
  )
  const paused = await run(agent, 'go')
  expect(asked).toEqual(['clerk'])
  await paused.state.decide({ decisions: [{ type: 'approve' }, { type: 'approve' }] })
  await run(agent, paused.state)
  expect(asked).toEqual(['clerk', 'clerk', 'clerk'])
  expect(model.requests.map(({ tools }) => names(tools))).toEqual([['pay'], [], []])
})

test('a call that was judged while its tool was enabled runs when it is approved, on any machine', async () => {
  let enabled = true
  const pay = gated('pay', { isEnabled: () => enabled })
  const paused = await run(scripted([calls(['a', 'pay'])], [pay]).agent, 'go')
  await paused.state.approve(only(paused))
  const text = paused.state.toString()
  enabled = false
  const { agent, model } = scripted(['Done.'], [pay])
  expect(await run(agent, await RunState.fromString(agent, text))).toMatchObject({ status: 'completed' })
  expect(pay.runs).toHaveLength(1)
  expect(names(model.requests[0]?.tools)).toEqual([])
})

test('an edit cannot choose a tool that is not enabled', async () => {
  const off = gated('refund', { isEnabled: false })
  const { agent } = scripted([calls(['a', 'pay'])], [gated('pay'), off], {
    policy: humanInTheLoop({ interruptOn: { pay: true, refund: true } }),
  })
  const paused = await run(agent, 'go')
  const edit = paused.state.edit(only(paused), { toolName: 'refund', args: {} })
  await expect(edit).rejects.toMatchObject({ code: 'edit_invalid' })
})

test('what is neither a boolean nor returns one fails closed', async () => {
  expect(() => gated('pay', { isEnabled: 'yes' as never })).toThrow('isEnabled must be a boolean or a function')
  const throws = () => {
    throw new Error('no database')
  }
  for (const isEnabled of [() => 'yes' as never, throws]) {
    const pay = gated('pay', { isEnabled })
    const { agent, model } = scripted([calls(['a', 'pay'])], [pay])
    expect(await run(agent, 'go')).toMatchObject({ status: 'failed', error: { code: 'policy_failed' } })
    expect(model.requests).toEqual([])
  }
})

test('the formatter words a call of a tool that is not enabled', async () => {
  const { agent, model } = scripted([calls(['a', 'pay']), 'Done.'], [gated('pay', { isEnabled: false })], {
    toolErrorFormatter: ({ kind, toolName }) => (kind === 'tool_not_found' ? `No ${toolName} today.` : undefined),
  })
  await run(agent, 'go')
  expect(toolMessage(model.requests[1]?.messages).content).toBe('No pay today.')
})
