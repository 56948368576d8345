import { CheckpointedChannel, memoryStore } from 'holdpoint'
import { fakeClock, ScriptedChannel, scriptedModel } from 'holdpoint/testing'
import { expect, test } from 'vitest'
import { type Bank, supportAgent } from './agent.ts'

function fakeBank() {
  const paid: number[] = []
  const bank: Bank = {
    pay: async (cents) => {
      paid.push(cents)
    },
  }
  return { bank, paid }
}

const wantsRefund = { toolCalls: [{ id: 'c1', name: 'refund', args: { cents: 1_999 } }] }

test('a refund is paid once a person has approved it', async () => {
  const { bank, paid } = fakeBank()
  const model = scriptedModel([wantsRefund, 'It is on its way.'])
  const channel = new ScriptedChannel({ answers: [{ type: 'approve' }] })

  const result = await supportAgent(model).thread('t', { channel, deps: bank }).prompt('My lamp came broken.')

  expect(result).toMatchObject({ status: 'completed', finalOutput: 'It is on its way.' })
  expect(paid).toEqual([1_999])
  expect(channel.history).toMatchObject([{ kind: 'approve', toolName: 'refund', args: { cents: 1_999 } }])
  model.assertConsumed()
})

test('a rejected refund is not paid, and the model reads why', async () => {
  const { bank, paid } = fakeBank()
  const model = scriptedModel([wantsRefund, 'I am sorry.'])
  // An answer may also be a function of the request.
  const channel = new ScriptedChannel({ answers: [({ args }) => ({ type: 'reject', message: `Not ${args?.cents}.` })] })

  await supportAgent(model).thread('t', { channel, deps: bank }).prompt('My lamp came broken.')

  expect(paid).toEqual([])
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Not 1999.' })
  model.assertConsumed()
})

test('a refund that nobody decides within a day is not paid', async () => {
  const { bank, paid } = fakeBank()
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const model = scriptedModel([wantsRefund, 'Nobody was there to decide.'])
  const agent = supportAgent(model)

  // The process that asked leaves as soon as the question is stored.
  const channel = new CheckpointedChannel({ store, threadId: 't', defaultTimeoutSeconds: 24 * 60 * 60 })
  const asking = agent.thread('t', { store, channel, deps: bank })
  channel.subscribe(() => asking.detach())
  expect((await asking.prompt('My lamp came broken.')).status).toBe('suspended')

  // Another one resumes it, a day later by the store's clock.
  clock.advance(25 * 60 * 60 * 1000)
  expect((await agent.thread('t', { store, deps: bank }).resume()).status).toBe('completed')

  expect(paid).toEqual([])
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ content: 'Not run: nobody answered in time.' })
  model.assertConsumed()
})
