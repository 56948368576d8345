import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type Decision, InMemoryChannel, memoryStore, RunState, run, tool } from '../../src/index.ts'
import { HitlChannelMissing } from '../../src/protocol/errors/errors.ts'
import { scriptedModel } from '../../src/testing.ts'

/** A tool that books what a person lets it, after a step that must happen once. */
function booking(resumable = true) {
  const log: unknown[] = []
  const book = tool({
    name: 'book',
    description: 'Book a room',
    parameters: z.object({ room: z.string() }),
    resumable,
    execute: async ({ room }, ctx) => {
      const price = resumable ? await ctx.step('quote', () => log.push('quoted') * 100) : 100
      const decision = await ctx.hold({ description: `Book ${room} for ${price}`, args: { room, price }, risk: 'high' })
      if (decision.type === 'reject' || decision.type === 'respond')
        return { booked: false, said: decision.message ?? '' }
      const paid = decision.type === 'edit' ? decision.args : { room, price }
      log.push(paid)
      return { booked: true, ...paid }
    },
  })
  const call = { toolCalls: [{ id: 'c1', name: 'book', args: { room: 'A' } }] }
  const model = scriptedModel(
    Array.from(
      { length: 4 },
      () =>
        ({ messages }) =>
          messages.some((message) => message.role === 'tool') ? 'Done.' : call,
    ),
  )
  return { log, agent: new Agent({ name: 'a', model, tools: [book] }) }
}

describe('a tool that asks for a decision in its body', () => {
  test.each<[Decision, unknown[]]>([
    [{ type: 'approve' }, ['quoted', { room: 'A', price: 100 }]],
    [{ type: 'edit', args: { room: 'B', price: 80 } }, ['quoted', { room: 'B', price: 80 }]],
    [{ type: 'reject', message: 'no' }, ['quoted']],
    [{ type: 'respond', message: 'full' }, ['quoted']],
  ])(
    'pauses a plain run, and goes on with %j after a restart without repeating its steps',
    async (decision, expected) => {
      const { agent, log } = booking()
      const store = memoryStore()
      const paused = await run(agent, 'go', { threadId: 't', store })
      expect(paused.status, String(paused.error)).toBe('interrupted')
      expect(paused.interruptions[0]).toMatchObject({
        kind: 'approve',
        description: 'Book A for 100',
        args: { room: 'A', price: 100 },
        risk: 'high',
        toolName: 'book',
      })
      const state = await RunState.load(agent, { threadId: 't', store })
      await state.decide({ decisions: [decision], unbound: true })
      const done = await run(agent, state)
      expect(done.status, String(done.error)).toBe('completed')
      expect(log).toEqual(expected)
    },
  )

  test('refuses an undo window, since the body goes on at once', async () => {
    const { agent, log } = booking()
    const store = memoryStore()
    const { state } = await run(agent, 'go', { threadId: 't', store })
    const [asked] = state.interruptions
    await expect(state.approve(asked!, { undoSeconds: 60 })).rejects.toMatchObject({ code: 'decision_invalid' })
    await state.approve(asked!)
    expect((await run(agent, state)).status).toBe('completed')
    expect(log).toHaveLength(2)
  })

  test('carries its question in a text', async () => {
    const { agent, log } = booking()
    const paused = await run(agent, 'go')
    const state = await RunState.fromString(agent, paused.state.toString())
    await state.approve(state.interruptions[0]!)
    expect((await run(agent, state)).status).toBe('completed')
    expect(log).toEqual(['quoted', { room: 'A', price: 100 }])
  })

  test('is asked on the channel of a live thread', async () => {
    const { agent, log } = booking(false)
    const channel = new InMemoryChannel()
    channel.subscribe((request) => channel.answer(request.questionId, { type: 'approve' }))
    expect((await agent.thread('t', { channel }).prompt('go')).status).toBe('completed')
    expect(log).toEqual([{ room: 'A', price: 100 }])
  })

  test('is told that it must be resumable where nobody can answer', async () => {
    const failed = await run(booking(false).agent, 'go')
    expect(failed.error).toBeInstanceOf(HitlChannelMissing)
  })
})

test('confirm and ask pause a plain run too, and are answered on its state', async () => {
  const asker = tool({
    name: 'asker',
    description: '',
    parameters: z.object({}),
    resumable: true,
    execute: async (_args, ctx) => {
      if (!(await ctx.confirm('Sure?'))) return 'no'
      const { size } = await ctx.ask([{ key: 'size', prompt: 'Which size?' }])
      return `size ${size}`
    },
  })
  const call = { toolCalls: [{ id: 'c1', name: 'asker', args: {} }] }
  const agent = new Agent({ name: 'a', model: scriptedModel([call, 'Done.']), tools: [asker] })
  const first = await run(agent, 'go')
  await first.state.answer(first.interruptions[0]!, true, { by: 'ann', comment: 'see ticket 7' })
  const second = await run(agent, first.state)
  expect(second.interruptions[0]).toMatchObject({ kind: 'ask', questions: [{ key: 'size' }] })
  await expect(second.state.answer(second.interruptions[0]!, { colour: 'red' })).rejects.toThrow(/no question "colour"/)
  await second.state.answer(second.interruptions[0]!, { size: 'M' })
  const done = await run(agent, second.state)
  expect(done.state.messages.find((message) => message.role === 'tool')?.content).toBe('size M')
  // For the record alone.
  expect(done.state.toString().match(/see ticket 7/g)).toHaveLength(1)
  expect(JSON.stringify(done.state.messages)).not.toContain('see ticket 7')
})
