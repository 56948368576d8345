import { expect, expectTypeOf, test } from 'vitest'
import {
  Agent,
  handoff,
  type Message,
  memorySession,
  memoryStore,
  type RunItem,
  RunState,
  run,
} from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { assertValidHistory, only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const kinds = (items: readonly RunItem[]) => items.map(({ type, agent }) => `${agent} ${type}`)

test('newItems names what the run added and which agent did, across hand-offs and pauses', async () => {
  const billing = new Agent({
    name: 'billing',
    model: scriptedModel([calls(['p', 'pay'], ['l', 'look']), 'Paid.']),
    tools: [gated('pay'), free('look')],
  })
  const { agent } = scripted([calls(['l', 'look']), calls(['h', 'transfer_to_billing'])], [free('look')], {
    handoffs: [handoff(billing)],
  })
  const paused = await run(agent, 'go')
  expectTypeOf(paused.newItems).toEqualTypeOf<RunItem[]>()
  expect(kinds(paused.newItems)).toEqual([
    'clerk tool_call_item',
    'clerk tool_call_output_item',
    'clerk handoff_call_item',
    'clerk handoff_output_item',
    'billing tool_call_item',
    'billing tool_call_item',
    'billing tool_call_output_item',
    'billing tool_approval_item',
  ])
  expect(paused.lastAgent).toBe(billing)
  const restored = await RunState.fromString(agent, paused.state.toString())
  expect(restored.newItems).toEqual(paused.newItems)
  await restored.approve(restored.interruptions[0]!)
  const done = await run(agent, restored)
  expect(kinds(done.newItems).slice(6)).toEqual([
    'billing tool_call_output_item',
    'billing tool_call_output_item',
    'billing message_output_item',
  ])
  expect(done.newItems.at(-1)).toEqual({ type: 'message_output_item', agent: 'billing', content: 'Paid.' })
  expect(done.lastAgent).toBe(billing)
})

test('a result keeps what it was, whatever the run does next', async () => {
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [gated('pay')])
  const paused = await run(agent, 'go')
  const before = { items: paused.newItems, history: paused.history }
  expect(before.history).toEqual([{ role: 'user', content: 'go' }])
  await paused.state.approve(only(paused))
  const done = await run(agent, paused.state)
  expect({ items: paused.newItems, history: paused.history }).toEqual(before)
  expect(paused.interruptions).toHaveLength(1)
  assertValidHistory(done.history)
  expect(done.history).toEqual(done.state.messages)
})

test('interruptions, items and history are fresh copies each time', async () => {
  const { agent } = scripted([calls(['a', 'pay', { n: 1 }]), 'Done.'], [gated('pay')])
  const paused = await run(agent, 'go')
  const [first] = paused.interruptions
  first!.args!.n = 1_000_000
  paused.interruptions.length = 0
  paused.newItems.length = 0
  paused.history.length = 0
  expect(paused.interruptions[0]?.args).toEqual({ n: 1 })
  expect(paused.newItems).toHaveLength(2)
  expect(paused.history).toHaveLength(1)
  // A copy that was changed is not what is asked.
  await expect(paused.state.approve(first!)).rejects.toMatchObject({ code: 'request_changed' })
  await paused.state.approve(paused.interruptions[0]!)
  const done = await run(agent, paused.state)
  expect(done.history[1]).toMatchObject({ toolCalls: [{ args: { n: 1 } }] })
})

test('the history of a result and new input are the input of another run', async () => {
  const first = await run(scripted([calls(['a', 'look']), 'It is 5.'], [free('look')]).agent, 'What is it?')
  const { agent, model } = scripted(['Doubled: 10.'])
  const again = await run(agent, [...first.history, { role: 'user', content: 'Double it.' }])
  expect(again).toMatchObject({ status: 'completed', finalOutput: 'Doubled: 10.' })
  expect(model.requests[0]?.messages).toEqual([...first.history, { role: 'user', content: 'Double it.' }])
  expect(again.newItems).toEqual([{ type: 'message_output_item', agent: 'clerk', content: 'Doubled: 10.' }])
  const restored = await RunState.fromString(agent, again.state.toString())
  expect(restored.history).toEqual(again.history)
})

test('a call in an earlier conversation is never work: without its result it is left out', async () => {
  const pay = free('pay')
  const dangling: Message[] = [
    { role: 'user', content: 'Pay.' },
    { role: 'assistant', content: 'I will.', toolCalls: [{ id: 'x', name: 'pay', args: {} }], stopReason: 'toolCalls' },
    { role: 'user', content: 'And?' },
  ]
  const { agent, model } = scripted(['Nothing was paid.'], [pay])
  await run(agent, dangling)
  expect(pay.runs).toEqual([])
  expect(model.requests[0]?.messages[1]).toEqual({ role: 'assistant', content: 'I will.', stopReason: 'stop' })
})

test('an earlier conversation is refused where there is one already, or without new input', async () => {
  const { agent } = scripted(['One.', 'Two.'])
  const store = memoryStore()
  const first = await run(agent, 'go', { store, threadId: 't' })
  const more = [...first.history, { role: 'user' as const, content: 'more' }]
  await expect(run(agent, more, { store, threadId: 't' })).rejects.toThrow('has its own history')
  await expect(run(agent, more, { session: memorySession() })).rejects.toThrow('session has the earlier conversation')
  await expect(run(agent, first.history)).rejects.toThrow('add the new input')
  await expect(run(agent, [{ role: 'tool', content: 5 } as never, ...more])).rejects.toMatchObject({
    code: 'input_invalid',
  })
})

test('a stream has the same views', async () => {
  const { agent } = scripted(['Hello.'])
  const stream = await run(agent, 'go', { stream: true })
  await stream.completed
  expect(stream.newItems).toEqual([{ type: 'message_output_item', agent: 'clerk', content: 'Hello.' }])
  expect(stream.history).toHaveLength(2)
  expect(stream.lastAgent).toBe(agent)
})
