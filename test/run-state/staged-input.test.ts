import { expect, test } from 'vitest'
import { Agent, memoryStore, RunState, run } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const user = (content: string) => ({ role: 'user' as const, content })

test('staged input can be read and cleared, also from a serialised state', async () => {
  const { agent, model } = scripted([calls(['a', 'pay']), 'Done.'], [gated('pay')])
  const paused = await run(agent, 'go')
  expect(paused.state.pendingInput).toEqual([])
  await paused.state.addInput('one')
  await paused.state.addInput('two')
  expect(paused.state.pendingInput).toEqual([user('one'), user('two')])
  const restored = await RunState.fromString(agent, paused.state.toString())
  expect(restored.pendingInput).toEqual([user('one'), user('two')])
  expect(await restored.clearPendingInput()).toEqual([user('one'), user('two')])
  expect(restored.pendingInput).toEqual([])
  expect(await restored.clearPendingInput()).toEqual([])
  await restored.addInput('three')
  const third = await RunState.fromString(agent, restored.toString())
  await third.approve(third.interruptions[0]!)
  await run(agent, third)
  const seen = JSON.stringify(model.requests[1]?.messages)
  expect(seen).toContain('three')
  expect(seen).not.toMatch(/"one"|"two"/)
})

test('input that the model has read stays in the conversation', async () => {
  const { agent } = scripted([calls(['a', 'pay']), calls(['b', 'pay'])], [gated('pay')])
  const paused = await run(agent, 'go')
  await paused.state.addInput('read')
  await paused.state.approve(only(paused))
  const again = await run(agent, paused.state)
  expect(again.state.pendingInput).toEqual([])
  expect(await again.state.clearPendingInput()).toEqual([])
  expect(again.state.messages).toContainEqual(user('read'))
})

test('an answer to input that was cleared while the model worked is not used, and its cost is counted', async () => {
  const store = memoryStore()
  const pay = gated('pay')
  const script = scriptedModel([calls(['a', 'pay']), 'I heard the secret.', 'Done.'])
  let clear: (() => Promise<unknown>) | undefined
  const model = {
    respond: async (request: Parameters<typeof script.respond>[0]) => {
      const answer = await script.respond(request)
      await clear?.()
      clear = undefined
      return answer
    },
  }
  const agent = new Agent({ name: 'clerk', model: model as never, tools: [pay] })
  const paused = await run(agent, 'go', { store, threadId: 't' })
  await paused.state.addInput('secret')
  await paused.state.approve(only(paused))
  const elsewhere = await RunState.load(agent, { store, threadId: 't' })
  clear = () => elsewhere.clearPendingInput()
  const done = await run(agent, paused.state)
  expect(done).toMatchObject({ status: 'completed', finalOutput: 'Done.', usage: { requests: 3 } })
  expect(JSON.stringify(done.state.messages)).not.toContain('secret')
  expect(pay.runs).toHaveLength(1)
})

test('what a person said about a held answer is not staged input, and is not cleared', async () => {
  const hold = {
    name: 'gate',
    afterModel: ({ turn }: { turn: number }) => (turn === 1 ? { hold: { description: 'Send?' } } : undefined),
  }
  const script = scriptedModel(['First.', 'Second.'])
  let asked = 0
  const model = {
    respond: (request: Parameters<typeof script.respond>[0]) => {
      asked += 1
      if (asked === 2) throw new Error('down')
      return script.respond(request)
    },
  }
  const agent = new Agent({ name: 'clerk', model: model as never, middleware: [hold] })
  const paused = await run(agent, 'go')
  await paused.state.addInput('and this')
  await paused.state.reject(only(paused), { message: 'Too short' })
  const failed = await run(agent, paused.state)
  expect(failed.status).toBe('failed')
  expect(failed.state.pendingInput).toEqual([user('and this')])
  await failed.state.clearPendingInput()
  const done = await run(agent, failed.state)
  expect(done).toMatchObject({ status: 'completed', finalOutput: 'Second.' })
  const seen = JSON.stringify(done.state.messages)
  expect(seen).toContain('Too short')
  expect(seen).not.toContain('and this')
})
