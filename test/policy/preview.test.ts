import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, memoryStore, RunState, run, tool } from '../../src/index.ts'
import { ToolInvalid } from '../../src/protocol/errors/errors.ts'
import { scriptedModel } from '../../src/testing.ts'

/** A bank whose balance is what a transfer depends on. */
function bank(balance = 100) {
  const paid: number[] = []
  const state = { balance }
  const transfer = tool({
    name: 'transfer',
    description: 'Send money',
    parameters: z.object({ cents: z.number() }),
    needsApproval: true,
    risk: 'high',
    preview: ({ cents }) => `- ${state.balance}\n+ ${state.balance - cents}`,
    preconditions: () => ({ balance: state.balance }),
    execute: ({ cents }) => {
      paid.push(cents)
      return 'sent'
    },
  })
  const call = { toolCalls: [{ id: 'c1', name: 'transfer', args: { cents: 30 } }] }
  const model = scriptedModel(
    Array.from(
      { length: 5 },
      () =>
        ({ messages }) =>
          messages.some((message) => message.role === 'tool') ? 'Done.' : call,
    ),
  )
  return { state, paid, agent: new Agent({ name: 'teller', model, tools: [transfer] }) }
}

test('what a tool shows and depends on is part of the request and of its digest', async () => {
  const [first, second] = [bank(100), bank(90)]
  const [a] = (await run(first.agent, 'go')).interruptions
  const [b] = (await run(second.agent, 'go')).interruptions
  expect(a).toMatchObject({ preview: '- 100\n+ 70', preconditions: { balance: 100 }, risk: 'high' })
  expect(b).toMatchObject({ preview: '- 90\n+ 60', preconditions: { balance: 90 } })
  expect(a?.digest).not.toBe(b?.digest)
})

test('a call whose preconditions still hold runs', async () => {
  const { agent, paid } = bank()
  const { state } = await run(agent, 'go')
  await state.approve(state.interruptions[0]!)
  expect((await run(agent, state)).status).toBe('completed')
  expect(paid).toEqual([30])
})

test('preconditions that changed meanwhile: nothing runs, and a new request shows the difference', async () => {
  const { agent, paid, state: account } = bank()
  const store = memoryStore()
  const { state } = await run(agent, 'go', { threadId: 't', store })
  const [asked] = state.interruptions
  await state.approve(asked!)
  account.balance = 20
  const again = await run(agent, await RunState.load(agent, { threadId: 't', store }))
  expect(again.status).toBe('interrupted')
  expect(paid).toEqual([])
  expect(again.interruptions).toHaveLength(1)
  expect(again.interruptions[0]).toMatchObject({
    supersedes: asked!.id,
    reason: 'changed',
    preview: '- 20\n+ -10',
    preconditions: { balance: 20 },
    details: { preconditions: { before: { balance: 100 }, now: { balance: 20 } } },
    risk: 'high',
  })
  await again.state.approve(again.interruptions[0]!)
  expect((await run(agent, again.state)).status).toBe('completed')
  expect(paid).toEqual([30])
})

test('an edit of what has changed since its author saw it is not taken over: they are asked again', async () => {
  const { agent, paid, state: account } = bank()
  const { state } = await run(agent, 'go')
  const [asked] = state.interruptions
  await state.edit(asked!, { args: { cents: 10 } })
  account.balance = 99
  const again = await run(agent, state)
  expect(again.status).toBe('interrupted')
  expect(again.interruptions).toMatchObject([
    {
      reason: 'changed',
      supersedes: asked!.id,
      args: { cents: 30 },
      preconditions: { balance: 99 },
      details: { preconditions: { before: { balance: 100 }, now: { balance: 99 } } },
    },
  ])
  await again.state.edit(again.interruptions[0]!, { args: { cents: 10 } })
  expect((await run(agent, again.state)).status).toBe('completed')
  expect(paid).toEqual([10])
})

test('a preview or precondition that throws, or is not data, fails the turn: nobody is asked about what cannot be shown', async () => {
  for (const broken of [
    { preview: () => Promise.reject(new Error('no')) },
    { preconditions: () => new Map() as never },
  ]) {
    const odd = tool({
      name: 'odd',
      description: '',
      parameters: z.object({}),
      needsApproval: true,
      execute: () => 'ran',
      ...broken,
    })
    const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'odd', args: {} }] }])
    const result = await run(new Agent({ name: 'a', model, tools: [odd] }), 'go')
    expect(result.status).toBe('failed')
    expect(result.error).toBeInstanceOf(ToolInvalid)
    expect(result.interruptions).toEqual([])
  }
})
