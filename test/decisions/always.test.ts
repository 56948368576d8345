import { expect, test } from 'vitest'
import { memoryStore, openDesk, RunState, run } from '../../src/index.ts'
import { DecisionInvalid } from '../../src/protocol/errors/errors.ts'
import { refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

test('always approving lets later calls of the tool in this run through without asking', async () => {
  const pay = gated('pay')
  const { agent } = scripted(
    [calls(['a', 'pay', { n: 1 }]), calls(['b', 'pay', { n: 2 }], ['c', 'pay', { n: 3 }]), 'Done.'],
    [pay],
  )
  const paused = await run(agent, 'go')
  await paused.state.approve(only(paused), { always: true, by: 'ann' })
  const result = await run(agent, paused.state)
  expect(result.status).toBe('completed')
  expect(pay.runs.map(({ args }) => args)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  expect(pay.runs.map(({ ctx }) => ctx.approvedBy?.kind)).toEqual(['person', 'grant', 'grant'])
})

test('always rejecting refuses later calls with the same words, without asking', async () => {
  const pay = gated('pay')
  const { agent, model } = scripted([calls(['a', 'pay']), calls(['b', 'pay']), 'Done.'], [pay])
  const paused = await run(agent, 'go')
  await paused.state.reject(only(paused), { always: true, message: 'never pay' })
  const result = await run(agent, paused.state)
  expect(result.status).toBe('completed')
  expect(pay.runs).toEqual([])
  expect(resultsIn(model.requests[2]?.messages)).toEqual([
    ['a', 'never pay'],
    ['b', 'never pay'],
  ])
})

test('always rejecting without words lets the formatter word each refusal', async () => {
  const { agent, model } = scripted([calls(['a', 'pay']), calls(['b', 'pay']), 'Done.'], [gated('pay')])
  const paused = await run(agent, 'go')
  await paused.state.reject(only(paused), { always: true })
  await run(agent, paused.state, { toolErrorFormatter: ({ callId }) => `refused ${callId}` })
  expect(resultsIn(model.requests[2]?.messages)).toEqual([
    ['a', 'refused a'],
    ['b', 'refused b'],
  ])
})

test('a standing rejection also stops calls that the rule would let through: deny beats allow', async () => {
  const pay = gated('pay', { needsApproval: (_context: unknown, args: { big?: boolean }) => args.big === true })
  const { agent, model } = scripted(
    [calls(['a', 'pay', { big: true }]), calls(['b', 'pay', { big: false }]), 'Done.'],
    [pay],
  )
  const paused = await run(agent, 'go')
  await paused.state.reject(only(paused), { always: true, message: 'never' })
  await run(agent, paused.state)
  expect(pay.runs).toEqual([])
  expect(resultsIn(model.requests[2]?.messages)).toEqual([
    ['a', 'never'],
    ['b', 'never'],
  ])
})

test('a standing decision also settles other open requests of the same tool on resume', async () => {
  for (const approve of [true, false]) {
    const store = memoryStore()
    const pay = gated('pay')
    const { agent, model } = scripted([calls(['a', 'pay'], ['b', 'pay'], ['c', 'wire']), 'Done.'], [pay, gated('wire')])
    const paused = await run(agent, 'go', { store, threadId: 't' })
    const [a, b, c] = paused.interruptions
    if (approve) await paused.state.approve(a!, { always: true })
    else await paused.state.reject(a!, { always: true, message: 'never' })
    const still = await run(agent, paused.state)
    expect(still.interruptions.map(({ id }) => id)).toEqual([c!.id])
    expect(pay.runs).toHaveLength(approve ? 2 : 0)
    const settled = await openDesk({ store }).get(b!.id)
    expect(settled).toMatchObject({
      status: 'decided',
      decision: { type: approve ? 'approve' : 'reject', by: { kind: 'grant' } },
    })
    await still.state.approve(c!)
    await run(agent, still.state)
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      ['a', approve ? 'pay done' : 'never'],
      ['b', approve ? 'pay done' : 'never'],
      ['c', 'wire done'],
    ])
  }
})

test('an exact decision beats a standing one, both ways', async () => {
  const pay = gated('pay')
  const { agent, model } = scripted([calls(['a', 'pay'], ['b', 'pay']), 'Done.'], [pay])
  const paused = await run(agent, 'go')
  await paused.state.approve('a', { always: true })
  await paused.state.reject('b', { message: 'not this one' })
  await run(agent, paused.state)
  expect(resultsIn(model.requests[1]?.messages)).toEqual([
    ['a', 'pay done'],
    ['b', 'not this one'],
  ])

  const other = scripted([calls(['a', 'pay'], ['b', 'pay']), 'Done.'], [pay])
  const second = await run(other.agent, 'go')
  await second.state.reject('a', { always: true, message: 'never' })
  await second.state.approve('b')
  await run(other.agent, second.state)
  expect(resultsIn(other.model.requests[1]?.messages)).toEqual([
    ['a', 'never'],
    ['b', 'pay done'],
  ])
})

test('of two standing decisions the rejecting one wins', async () => {
  const pay = gated('pay')
  const { agent, model } = scripted([calls(['a', 'pay'], ['b', 'pay']), calls(['c', 'pay']), 'Done.'], [pay])
  const paused = await run(agent, 'go')
  await paused.state.reject('b', { always: true, message: 'never' })
  await paused.state.approve('a', { always: true })
  await run(agent, paused.state)
  expect(resultsIn(model.requests[2]?.messages)).toEqual([
    ['a', 'pay done'],
    ['b', 'never'],
    ['c', 'never'],
  ])
})

test('a standing decision leaves other tools and later runs alone', async () => {
  const store = memoryStore()
  const [pay, wire] = [gated('pay'), gated('wire')]
  const { agent } = scripted([calls(['a', 'pay']), calls(['b', 'wire']), 'Done.', calls(['c', 'pay'])], [pay, wire])
  const paused = await run(agent, 'go', { store, threadId: 't' })
  await paused.state.approve('a', { always: true })
  const second = await run(agent, paused.state)
  expect(only(second).toolName).toBe('wire')
  await second.state.approve('b')
  expect((await run(agent, second.state)).status).toBe('completed')
  expect(only(await run(agent, 'again', { store, threadId: 't' })).toolName).toBe('pay')
})

test('a standing decision survives the way through text and store', async () => {
  const pay = gated('pay')
  const script = [calls(['a', 'pay']), calls(['b', 'pay']), 'Done.']
  const { agent } = scripted(script, [pay])
  const paused = await run(agent, 'go')
  await paused.state.approve('a', { always: true })
  const restored = await RunState.fromString(agent, paused.state.toString(), { trust: true })
  const store = memoryStore()
  const result = await run(agent, restored, { store })
  expect(result.status).toBe('completed')
  expect(pay.runs).toHaveLength(2)
})

test('a standing approval of one definition does not cover the tool once it was changed', async () => {
  const before = gated('pay', { description: 'pays' })
  const after = gated('pay', { description: 'pays double' })
  const { agent } = scripted([calls(['a', 'pay'], ['b', 'pay'])], [before])
  const paused = await run(agent, 'go')
  await paused.state.approve('a', { always: true })
  const { agent: changed } = scripted([], [after])
  const asked = await run(changed, await RunState.fromString(changed, paused.state.toString()))
  expect(asked.status).toBe('interrupted')
  expect(asked.interruptions.map(({ toolCallId, reason }) => [toolCallId, reason])).toEqual([
    ['a', 'changed'],
    ['b', 'changed'],
  ])
  expect([before.runs, after.runs]).toEqual([[], []])
})

test('always goes with approve and reject alone', async () => {
  const { agent } = scripted([calls(['a', 'pay'])], [gated('pay')])
  const { state } = await run(agent, 'go')
  await refused(state.edit('a', { args: {}, always: true } as never), DecisionInvalid, 'decision_invalid')
  await refused(state.respond('a', { message: 'x', always: true } as never), DecisionInvalid, 'decision_invalid')
  expect(state.interruptions).toHaveLength(1)
})

test('withdrawing a standing decision takes its grant back too', async () => {
  const store = memoryStore()
  const pay = gated('pay')
  const { agent } = scripted([calls(['a', 'pay'], ['b', 'pay'])], [pay])
  const paused = await run(agent, 'go', { store, threadId: 't' })
  const desk = openDesk({ store })
  const by = { kind: 'person', id: 'ann' } as const
  await desk.decide({
    request: paused.interruptions[0]!,
    decision: { type: 'approve' },
    by,
    always: true,
    undoSeconds: 60,
  })
  await desk.withdraw(paused.interruptions[0]!, by)
  const again = await run(agent, paused.state)
  expect(again.interruptions.map(({ toolCallId, version }) => [toolCallId, version])).toEqual([
    ['a', 3],
    ['b', 1],
  ])
  expect(pay.runs).toEqual([])
})

test('the grant is kept with who gave it', async () => {
  const { agent, model } = scripted([calls(['a', 'pay']), calls(['b', 'pay']), 'Done.'], [gated('pay')])
  const paused = await run(agent, 'go')
  await paused.state.approve('a', { always: true, by: { kind: 'person', id: 'ann', via: 'cli' } })
  await run(agent, paused.state)
  const text = JSON.parse(paused.state.toString()) as { entries: [number, { type: string; grant?: unknown }][] }
  expect(text.entries.filter(([, { type }]) => type === 'grant.created')).toMatchObject([
    [
      expect.any(Number),
      { grant: { effect: 'allow', tool: 'pay', agent: 'clerk', by: { kind: 'person', id: 'ann', via: 'cli' } } },
    ],
  ])
  expect(toolMessage(model.requests[1]?.messages).content).toBe('pay done')
})
