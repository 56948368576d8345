import { expect, test } from 'vitest'
import { definePolicy, humanInTheLoop, memoryStore, run } from '../../src/index.ts'
import { PolicyFailed, ToolInvalid } from '../../src/protocol/errors/errors.ts'
import { shell } from '../support/agents/built-in-tools.ts'
import { failedWith } from '../support/agents/failures.ts'
import { only, resultsIn } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { entriesOf } from '../support/stores/entries.ts'

const step = calls(['a', 'shell', { commands: ['ls'] }])

test('a call that code approves runs without a pause, released by the code, which was asked once', async () => {
  const store = memoryStore()
  const asked: unknown[] = []
  const tool = shell({
    onApproval: async (runContext, item) => {
      asked.push([runContext.context, item])
      return { approve: true }
    },
  })
  const { agent } = scripted([step, 'Done.'], [tool])
  expect((await run(agent, 'go', { store, threadId: 't', context: { user: 'ann' } })).status).toBe('completed')
  expect(asked).toEqual([
    [{ user: 'ann' }, { toolName: 'shell', toolCallId: 'a', args: { commands: ['ls'] }, agent: 'clerk' }],
  ])
  expect(tool.ran).toEqual(['begin ls', 'end ls'])
  const entries = await entriesOf(store, 't')
  expect(entries.find(({ type }) => type === 'call.released')).toMatchObject({
    by: { kind: 'policy', id: 'onApproval' },
  })
  expect(entries.find(({ type }) => type === 'call.judged')).toMatchObject({ verdict: { kind: 'allow' } })
})

test('a call that code rejects does not run, and the model reads the reason', async () => {
  const store = memoryStore()
  const tool = shell({ onApproval: () => ({ approve: false, reason: 'Use git instead.' }) })
  const { agent, model } = scripted([step, 'Done.'], [tool])
  expect((await run(agent, 'go', { store, threadId: 't' })).status).toBe('completed')
  expect(resultsIn(model.requests[1]?.messages)).toEqual([['a', 'Use git instead.']])
  expect(tool.ran).toEqual([])
  expect((await entriesOf(store, 't')).find(({ type }) => type === 'call.refused')).toMatchObject({
    cause: 'denied',
    by: { kind: 'policy', id: 'onApproval' },
  })
})

test('a rejection without a reason says at least that it was one', async () => {
  const { agent, model } = scripted([step, 'Done.'], [shell({ onApproval: () => ({ approve: false, reason: '' }) })])
  await run(agent, 'go')
  expect(resultsIn(model.requests[1]?.messages)).toEqual([['a', 'This call of shell was rejected. It was not run.']])
})

test('where code has no answer people are asked, and it is not asked again about the call', async () => {
  let asked = 0
  const tool = shell({
    onApproval: () => {
      asked += 1
      return undefined
    },
  })
  const { agent } = scripted([step, 'Done.'], [tool])
  const paused = await run(agent, 'go')
  await run(agent, paused.state)
  await paused.state.approve(only(paused))
  expect((await run(agent, paused.state)).status).toBe('completed')
  expect([asked, tool.ran.length]).toEqual([1, 2])
})

test('code is not asked where the rule of the tool lets the call run', async () => {
  const onApproval = () => {
    throw new Error('asked')
  }
  const { agent } = scripted([step, 'Done.'], [shell({ needsApproval: false, onApproval })])
  expect((await run(agent, 'go')).status).toBe('completed')
})

test('a policy is stricter: what code approves is held or denied all the same', async () => {
  const onApproval = () => ({ approve: true })
  const review = humanInTheLoop({ interruptOn: { shell: { allowedDecisions: ['reject'] } } })
  const held = scripted([step], [shell({ onApproval })], { policy: review })
  expect(only(await run(held.agent, 'go')).allowedDecisions).toEqual(['reject'])
  const deny = definePolicy(() => ({ verdict: 'deny', reason: 'Not on Sundays.' }))
  const denied = scripted([step, 'Done.'], [shell({ onApproval })], { policy: deny })
  await run(denied.agent, 'go')
  expect(resultsIn(denied.model.requests[1]?.messages)).toEqual([['a', 'Not run: Not on Sundays.']])
})

test('what code rejects is not held for people by a policy either', async () => {
  const policy = humanInTheLoop({ interruptOn: { shell: true } })
  const { agent, model } = scripted(
    [step, 'Done.'],
    [shell({ onApproval: () => ({ approve: false, reason: 'No.' }) })],
    {
      policy,
    },
  )
  expect((await run(agent, 'go')).status).toBe('completed')
  expect(resultsIn(model.requests[1]?.messages)).toEqual([['a', 'No.']])
})

test('a standing rejection of a person stops what code would approve', async () => {
  const store = memoryStore()
  const before = scripted([step, 'Done.'], [shell()])
  const paused = await run(before.agent, 'go', { store, threadId: 't' })
  await paused.state.reject(only(paused), { always: { scope: 'thread' }, message: 'Never.' })
  await run(before.agent, paused.state)
  const tool = shell({ onApproval: () => ({ approve: true }) })
  const after = scripted([calls(['b', 'shell', { commands: ['ls'] }]), 'Done.'], [tool])
  await run(after.agent, 'again', { store, threadId: 't' })
  expect(resultsIn(after.model.requests[1]?.messages).at(-1)).toEqual(['b', 'Never.'])
  expect(tool.ran).toEqual([])
})

test.each([
  ['throws', () => Promise.reject(new Error('down'))],
  ['returns something else', () => ({ approved: true }) as never],
  ['returns a reason that is no text', () => ({ approve: false, reason: 7 }) as never],
  ['returns a boolean', () => true as never],
])('code that %s fails the turn, and nothing runs', async (_what, onApproval) => {
  const tool = shell({ onApproval })
  const { agent } = scripted([step], [tool])
  const error = failedWith(await run(agent, 'go'), PolicyFailed, 'policy_failed')
  expect(error).toMatchObject({ toolName: 'shell', message: expect.stringContaining('onApproval of tool "shell"') })
  expect(tool.ran).toEqual([])
})

test('an onApproval that is no function is refused when the tool is made', () => {
  expect(() => shell({ onApproval: true as never })).toThrow(ToolInvalid)
})
