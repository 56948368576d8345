import { RunState } from '@openai/agents'
import { expect, test } from 'vitest'
import { createGate } from '../../../src/gate.ts'
import { humanInTheLoop, memoryStore, openDesk } from '../../../src/index.ts'
import { openaiGate } from '../../../src/openai-agents.ts'
import { ann, done, gateOn, outputs, refundDesk, refunding, runner } from './desk.ts'

const paying = [[refunding('c1', 'A-1', 1999)], done, done, done]

test('the SDK alone runs a call twice if its state is restored twice, and changed arguments as changed', async () => {
  const { agent, ran } = refundDesk(paying)
  const { state } = await runner.run(agent, 'Pay A-1 back.')
  for (const item of state.getInterruptions()) state.approve(item)
  const text = state.toString()
  for (let time = 0; time < 2; time++) await runner.run(agent, await RunState.fromString(agent, text))
  const plain = (await runner.run(refundDesk(paying).agent, 'Pay A-1 back.')).state.toString()
  const changed = await RunState.fromString(agent, plain.replaceAll('1999', '999999'))
  for (const item of changed.getInterruptions()) changed.approve(item)
  await runner.run(agent, changed)
  expect(ran).toEqual(['A-1 1999', 'A-1 1999', 'A-1 999999'])
})

test('the SDK alone runs a call three times if three processes approve it at once', async () => {
  const { agent, ran } = refundDesk(paying)
  const text = (await runner.run(agent, 'Pay A-1 back.')).state.toString()
  await Promise.all(
    [1, 2, 3].map(async () => {
      const state = await RunState.fromString(agent, text)
      for (const item of state.getInterruptions()) state.approve(item)
      await runner.run(agent, state)
    }),
  )
  expect(ran).toEqual(Array(3).fill('A-1 1999'))
})

test('the SDK alone runs a call, and tells the model that it was rejected, if one approves and one rejects at once', async () => {
  const { agent, ran, model } = refundDesk(paying)
  const text = (await runner.run(agent, 'Pay A-1 back.')).state.toString()
  const told: unknown[] = []
  for (const answer of ['approve', 'reject'] as const) {
    const state = await RunState.fromString(agent, text)
    for (const item of state.getInterruptions()) state[answer](item)
    await runner.run(agent, state)
    told.push(outputs(model).c1)
  }
  expect([ran, told[1]]).toEqual([['A-1 1999'], expect.stringMatching(/not approved/)])
})

test('approve and reject at once: the first decision counts in every process', async () => {
  const store = memoryStore()
  const { agent, ran, model } = refundDesk(paying)
  const gate = () => openaiGate(gateOn(store), { threadId: 'chat', runner })
  const paused = await gate().run(agent, 'Pay A-1 back.')
  const text = paused.state.toString()
  const decided = await Promise.allSettled(
    [{ type: 'approve' } as const, { type: 'reject', message: 'No.' } as const].map((decision) =>
      gate().decide(paused.interruptions[0]!, decision, { by: ann }),
    ),
  )
  expect(decided.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const told: unknown[] = []
  for (const answer of ['approve', 'reject'] as const) {
    const gated = gate().agent(agent)
    const state = await RunState.fromString(gated, text)
    if (answer === 'approve') for (const item of state.getInterruptions()) state.approve(item)
    await runner.run(gated, state)
    told.push(outputs(model).c1)
  }
  const expected = decided[0]?.status === 'fulfilled' ? '1999 cents paid back for A-1' : 'No.'
  expect([told, ran.length]).toEqual([[expected, expected], decided[0]?.status === 'fulfilled' ? 1 : 0])
})

test('two restores of one state run the call once, and both get its result', async () => {
  const store = memoryStore()
  const { agent, ran, model } = refundDesk(paying)
  const first = openaiGate(gateOn(store), { threadId: 'chat', runner })
  const paused = await first.run(agent, 'Pay A-1 back.')
  const text = paused.state.toString()
  await first.decide(paused.interruptions[0]!, { type: 'approve' }, { by: ann })
  expect(ran).toEqual([])
  for (const name of ['one', 'two']) {
    const gated = openaiGate(gateOn(store), { threadId: 'chat', runner }).agent(agent)
    const state = await RunState.fromString(gated, text)
    for (const item of state.getInterruptions()) state.approve(item)
    const result = await runner.run(gated, state)
    expect([name, result.finalOutput]).toEqual([name, 'Done.'])
    expect(JSON.stringify(model.lastCall?.request.input)).toContain('1999 cents paid back for A-1')
  }
  expect(ran).toEqual(['A-1 1999'])
})

test('three concurrent approvals run the call once', async () => {
  const store = memoryStore()
  const { agent, ran } = refundDesk(paying)
  const first = openaiGate(gateOn(store), { threadId: 'chat', runner })
  const paused = await first.run(agent, 'Pay A-1 back.')
  const decided = await Promise.allSettled(
    ['ann', 'bob', 'cem'].map((id) =>
      first.decide(paused.interruptions[0]!, { type: 'approve' }, { by: { kind: 'person', id } }),
    ),
  )
  expect(decided.filter(({ status }) => status === 'fulfilled').length).toBe(1)
  const results = await Promise.all(
    [1, 2, 3].map(() => openaiGate(gateOn(store), { threadId: 'chat', runner }).resume(agent)),
  )
  expect(results.map((result) => result?.finalOutput)).toEqual(['Done.', 'Done.', 'Done.'])
  expect(ran).toEqual(['A-1 1999'])
})

test('approve and reject in one batch: one runs, the other tells the model why not', async () => {
  const { agent, ran, model } = refundDesk([[refunding('c1', 'A-1', 1999), refunding('c2', 'A-2', 5000)], done])
  const gate = openaiGate(gateOn(memoryStore()), { threadId: 'chat', runner })
  const { interruptions } = await gate.run(agent, 'Pay both back.')
  await gate.decide(interruptions[0]!, { type: 'approve' }, { by: ann })
  await gate.decide(interruptions[1]!, { type: 'reject', message: 'A-2 arrived.' }, { by: ann })
  const result = await gate.resume(agent)
  expect(result?.finalOutput).toBe('Done.')
  expect(ran).toEqual(['A-1 1999'])
  expect(outputs(model)).toEqual({ c1: '1999 cents paid back for A-1', c2: 'A-2 arrived.' })
})

test('decided one by one, in another order: each runs once, and the model is called after the last', async () => {
  const store = memoryStore()
  const { agent, ran, model } = refundDesk([
    [refunding('c1', 'A-1', 1000), refunding('c2', 'A-2', 2000), refunding('c3', 'A-3', 3000)],
    done,
  ])
  const paused = await openaiGate(gateOn(store), { threadId: 'chat', runner }).run(agent, 'Pay all back.')
  for (const [index, left] of [
    [2, 2],
    [0, 1],
    [1, 0],
  ] as const) {
    const gate = openaiGate(gateOn(store), { threadId: 'chat', runner })
    await gate.decide(paused.interruptions[index]!, { type: 'approve' }, { by: ann })
    const result = await gate.resume(agent)
    expect(result?.interruptions.length).toBe(left)
  }
  expect(ran).toEqual(['A-3 3000', 'A-1 1000', 'A-2 2000'])
  expect(Object.keys(outputs(model)).sort()).toEqual(['c1', 'c2', 'c3'])
  expect(model.calls.length).toBe(2)
})

test('a reordered state is refused; decisions in another order leave the calls in the order of the model', async () => {
  const store = memoryStore()
  const { agent, ran, model } = refundDesk([[refunding('c1', 'A-1', 1999), refunding('c2', 'A-2', 5000)], done])
  const gate = openaiGate(gateOn(store), { threadId: 'chat', runner })
  const paused = await gate.run(agent, 'Pay both back.')
  await gate.decide(paused.interruptions[1]!, { type: 'approve' }, { by: ann })
  await gate.decide(paused.interruptions[0]!, { type: 'reject', message: 'A-1 arrived.' }, { by: ann })
  const other = reordered(paused.state.toString())
  await expect(RunState.fromString(gate.agent(agent), other)).rejects.toThrow(/mismatch/)
  expect(ran).toEqual([])
  const result = await gate.resume(agent)
  expect(result?.history.flatMap((item) => (item.type === 'function_call' ? [item.callId] : []))).toEqual(['c1', 'c2'])
  expect([ran, outputs(model)]).toEqual([['A-2 5000'], { c1: 'A-1 arrived.', c2: '5000 cents paid back for A-2' }])
})

test('a state with changed arguments or an invented call runs nothing', async () => {
  const store = memoryStore()
  const { agent, ran, model } = refundDesk(paying)
  const gate = openaiGate(gateOn(store), { threadId: 'chat', runner })
  const paused = await gate.run(agent, 'Pay A-1 back.')
  await gate.decide(paused.interruptions[0]!, { type: 'approve' }, { by: ann })
  const gated = gate.agent(agent)
  for (const forge of [
    (text: string) => text.replaceAll('1999', '999999'),
    (text: string) => text.replaceAll('"c1"', '"c9"'),
  ]) {
    const state = await RunState.fromString(gated, forge(paused.state.toString()))
    for (const item of state.getInterruptions()) state.approve(item)
    await runner.run(gated, state)
    expect(Object.values(outputs(model))).toEqual([expect.stringContaining('Not run: nobody was asked')])
  }
  expect(ran).toEqual([])
})

test('a state that says approved runs nothing that nobody approved', async () => {
  const { agent, ran } = refundDesk(paying)
  const gate = openaiGate(gateOn(memoryStore()), { threadId: 'chat', runner })
  const { state } = await gate.run(agent, 'Pay A-1 back.')
  for (const item of state.getInterruptions()) state.approve(item, { alwaysApprove: true })
  await expect(runner.run(gate.agent(agent), state)).rejects.toThrow(/a person has to decide/)
  expect(ran).toEqual([])
})

test('a rule that changes its mind does not let an undecided call run', async () => {
  const store = memoryStore()
  const { agent, refund, ran } = refundDesk(paying)
  const gate = () => openaiGate(gateOn(store), { threadId: 'chat', runner })
  await gate().run(agent, 'Pay A-1 back.')
  const lax = agent.clone({ tools: [{ ...refund, needsApproval: async () => false }] })
  const again = await gate().resume(lax)
  expect([again?.interruptions.length, ran]).toEqual([1, []])
})

test('a decision made at a desk in another process, an edit and a message in place of a result', async () => {
  const store = memoryStore()
  const { agent, ran, model } = refundDesk([[refunding('c1', 'A-1', 1999), refunding('c2', 'A-2', 5000)], done])
  await openaiGate(gateOn(store), { threadId: 'chat', runner }).run(agent, 'Pay both back.')
  const desk = openDesk({ store })
  for (const request of (await desk.list({ status: 'open' })).requests) {
    const isFirst = request.args?.order === 'A-1'
    const decision = isFirst
      ? ({ type: 'edit', args: { order: 'A-1', cents: 5 } } as const)
      : ({ type: 'respond', message: 'Paid by hand.' } as const)
    await desk.decide({ request, decision, by: ann })
  }
  await openaiGate(gateOn(store), { threadId: 'chat', runner }).resume(agent)
  expect(ran).toEqual(['A-1 5'])
  expect(outputs(model)).toEqual({
    c1: 'A person changed the arguments to {"order":"A-1","cents":5}. Result: 5 cents paid back for A-1',
    c2: 'Paid by hand.',
  })
})

test('nothing runs while the store is down, and a gate without hostPolicy refuses rules of tools', async () => {
  const { agent, ran } = refundDesk(paying)
  const store = memoryStore()
  const gate = openaiGate(gateOn(store), { threadId: 'chat', runner })
  await store.close()
  await expect(gate.run(agent, 'Pay A-1 back.')).rejects.toThrow()
  const other = createGate({
    store: memoryStore(),
    policy: humanInTheLoop({ interruptOn: {} }),
    source: 'openai-agents',
  })
  await expect(openaiGate(other, { threadId: 'chat', runner }).run(refundDesk(paying).agent, 'Pay.')).rejects.toThrow(
    /hostPolicy/,
  )
  expect(ran).toEqual([])
})

/** A state whose interruptions are the other way round. */
function reordered(text: string): string {
  let reversed = 0
  const changed = JSON.stringify(JSON.parse(text), (key, value: unknown) => {
    if (key !== 'interruptions' || !Array.isArray(value)) return value
    reversed += 1
    return value.toReversed() as unknown
  })
  expect(reversed).toBeGreaterThan(0)
  return changed
}
