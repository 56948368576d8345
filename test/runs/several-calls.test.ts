import { expect, test } from 'vitest'
import { memoryStore, run } from '../../src/index.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { latch } from '../support/latch.ts'
import { typesOf } from '../support/stores/entries.ts'

test('free calls of a turn run at once while the gated ones wait', async () => {
  const look = free('look')
  const pay = gated('pay')
  const { agent, model } = scripted([calls(['a', 'pay'], ['b', 'look'], ['c', 'pay']), 'Done.'], [look, pay])
  const paused = await run(agent, 'go')
  expect(paused.interruptions.map(({ toolCallId }) => toolCallId)).toEqual(['a', 'c'])
  expect(look.runs).toHaveLength(1)
  expect(pay.runs).toHaveLength(0)
  expect(model.requests).toHaveLength(1)
  expect(resultsIn(paused.state.messages)).toEqual([])
})

test('results reach the model in call order, whatever order they came in', async () => {
  const slow = latch()
  const first = free('first', { execute: () => slow.passed.then(() => 'one') })
  const third = free('third', {
    execute() {
      slow.open()
      return 'three'
    },
  })
  const { agent, model } = scripted(
    [calls(['1', 'first'], ['2', 'pay'], ['3', 'third'], ['4', 'nope'], ['5', 'pay']), 'Done.'],
    [first, third, gated('pay', { execute: () => 'paid' })],
  )
  const paused = await run(agent, 'go')
  const [two, five] = paused.interruptions
  await paused.state.respond(five!, { message: 'five' })
  const still = await run(agent, paused.state)
  expect(only(still).toolCallId).toBe('2')
  await still.state.approve(two!)
  await run(agent, still.state)
  expect(resultsIn(model.requests[1]?.messages)).toEqual([
    ['1', 'one'],
    ['2', 'paid'],
    ['3', 'three'],
    ['4', expect.stringContaining('no tool "nope"')],
    ['5', 'five'],
  ])
})

test('any subset may be decided in any order; the rest stays open and the model is not asked before the last', async () => {
  const orders = [
    [2, 0, 1],
    [1, 2, 0],
    [0, 1, 2],
  ]
  for (const order of orders) {
    const pay = gated('pay')
    const { agent, model } = scripted(
      [calls(['a', 'pay', { n: 0 }], ['b', 'pay', { n: 1 }], ['c', 'pay', { n: 2 }]), 'Done.'],
      [pay],
    )
    let result = await run(agent, 'go')
    const asked = result.interruptions
    for (const [done, index] of order.entries()) {
      expect(model.requests).toHaveLength(1)
      await result.state.approve(asked[index]!)
      result = await run(agent, result.state)
      expect(pay.runs.map(({ args }) => args)).toEqual(order.slice(0, done + 1).map((n) => ({ n })))
      expect(result.interruptions.map(({ id }) => id)).toEqual(
        asked.filter((_, i) => !order.slice(0, done + 1).includes(i)).map(({ id }) => id),
      )
    }
    expect(result.status).toBe('completed')
    expect(resultsIn(model.requests[1]?.messages).map(([id]) => id)).toEqual(['a', 'b', 'c'])
    model.assertConsumed()
  }
})

test('resuming with nothing decided changes nothing: same requests, no model call, no new entry', async () => {
  const store = memoryStore()
  const { agent, model } = scripted([calls(['a', 'pay'])], [gated('pay')])
  const paused = await run(agent, 'go', { store, threadId: 't' })
  const before = await typesOf(store, 't')
  for (let i = 0; i < 3; i++) expect((await run(agent, paused.state)).interruptions).toEqual(paused.interruptions)
  expect(await typesOf(store, 't')).toEqual(before)
  expect(model.requests).toHaveLength(1)
})

test('all calls of one answer are judged before any of them starts', async () => {
  const order: string[] = []
  const ask = (name: string) => async () => {
    await Promise.resolve()
    order.push(`judge ${name}`)
    return false
  }
  const tools = ['a', 'b', 'c'].map((name) =>
    gated(name, { needsApproval: ask(name), execute: () => void order.push(`run ${name}`) }),
  )
  const { agent } = scripted([calls(['1', 'a'], ['2', 'b'], ['3', 'c']), 'Done.'], tools)
  await run(agent, 'go')
  expect(order.slice(0, 3)).toEqual(['judge a', 'judge b', 'judge c'])
  expect(order.slice(3).sort()).toEqual(['run a', 'run b', 'run c'])
})

test('a failing sibling neither loses finished results nor repeats them', async () => {
  const good = gated('good')
  const bad = gated('bad', {
    execute() {
      throw new Error('boom')
    },
  })
  const { agent, model } = scripted([calls(['a', 'good'], ['b', 'bad']), 'Done.'], [good, bad])
  const paused = await run(agent, 'go')
  await paused.state.decide({ decisions: [{ type: 'approve' }, { type: 'approve' }] })
  const result = await run(agent, paused.state)
  expect(result.status).toBe('completed')
  expect(resultsIn(model.requests[1]?.messages)).toEqual([
    ['a', 'good done'],
    ['b', 'The tool failed: boom'],
  ])
  expect([good.runs.length, bad.runs.length]).toEqual([1, 1])
})

test('calls that start together run side by side', async () => {
  const both = latch()
  let running = 0
  const tool = gated('t', {
    execute: async () => {
      if (++running === 2) both.open()
      await both.passed
    },
  })
  const { agent } = scripted([calls(['a', 't'], ['b', 't']), 'Done.'], [tool])
  const paused = await run(agent, 'go')
  await paused.state.decide({ decisions: [{ type: 'approve' }, { type: 'approve' }] })
  expect((await run(agent, paused.state)).status).toBe('completed')
})

test("with start: 'settled' nothing starts before the whole turn is decided", async () => {
  const look = free('look')
  const pay = gated('pay')
  const { agent, model } = scripted([calls(['a', 'look'], ['b', 'pay'], ['c', 'pay']), 'Done.'], [look, pay])
  let result = await run(agent, 'go', { toolExecution: { start: 'settled' } })
  expect(look.runs).toHaveLength(0)
  const [b, c] = result.interruptions
  await result.state.approve(b!)
  result = await run(agent, result.state)
  expect(only(result).id).toBe(c!.id)
  expect([look.runs.length, pay.runs.length]).toEqual([0, 0])
  await result.state.reject(c!, { message: 'no' })
  result = await run(agent, result.state)
  expect(result.status).toBe('completed')
  expect([look.runs.length, pay.runs.length]).toEqual([1, 1])
  expect(resultsIn(model.requests[1]?.messages)).toEqual([
    ['a', 'look done'],
    ['b', 'pay done'],
    ['c', 'no'],
  ])
})

test("with start: 'settled' a turn without gated calls runs at once", async () => {
  const look = free('look')
  const { agent } = scripted([calls(['a', 'look'], ['b', 'look']), 'Done.'], [look])
  const result = await run(agent, 'go', { toolExecution: { start: 'settled' } })
  expect(result.status).toBe('completed')
  expect(look.runs).toHaveLength(2)
})

test('between pause and resume the history only grows: what the model has read is never rewritten', async () => {
  const pay = gated('pay')
  const { agent, model } = scripted([calls(['a', 'pay']), calls(['a', 'pay'], ['b', 'pay']), 'Done.'], [pay])
  let result = await run(agent, 'go')
  while (result.status === 'interrupted') {
    await result.state.approve(result.interruptions[0]!)
    result = await run(agent, result.state)
  }
  expect(result.status).toBe('completed')
  const seen = [...model.requests.map(({ messages }) => messages), result.state.messages]
  for (const [i, messages] of seen.entries())
    expect(messages.slice(0, seen[i - 1]?.length ?? 0)).toEqual(seen[i - 1] ?? [])
})

test('a call id that the model uses again later is a new call and is asked again', async () => {
  const pay = gated('pay')
  const { agent } = scripted([calls(['a', 'pay', { n: 1 }]), calls(['a', 'pay', { n: 2 }]), 'Done.'], [pay])
  const first = await run(agent, 'go')
  await first.state.approve(only(first))
  const second = await run(agent, first.state)
  expect(only(second)).toMatchObject({ questionId: 'a', args: { n: 2 } })
  expect(only(second).id).not.toBe(only(first).id)
  await second.state.approve('a')
  await run(agent, second.state)
  expect(pay.runs.map(({ args, ctx }) => [args, ctx.idempotencyKey])).toEqual([
    [{ n: 1 }, expect.any(String)],
    [{ n: 2 }, expect.any(String)],
  ])
  expect(pay.runs[0]?.ctx.idempotencyKey).not.toBe(pay.runs[1]?.ctx.idempotencyKey)
})
