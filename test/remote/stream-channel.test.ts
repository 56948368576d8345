import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  HitlDetached,
  type JsonObject,
  memoryStore,
  memoryStreams,
  openDesk,
  StreamChannel,
  tool,
} from '../../src/index.ts'
import { HilContentError, InputInvalid } from '../../src/ports.ts'
import { application, refundOnce, refundTool } from '../support/agents/remote-application.ts'
import { until } from '../support/until.ts'

const ANN = { kind: 'person', id: 'ann', via: 'stream' }

describe('an agent that asks over a stream', () => {
  it('sends the request as it is stored, waits, and runs what was approved', async () => {
    const done: JsonObject[] = []
    const app = await application(refundOnce, [refundTool(done)])
    const { thread } = app.open()
    const result = thread.prompt('go')
    const [question] = await app.asked()
    const stored = await openDesk(app).list({ status: 'open' })
    expect(question!.msg_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(question!.content).toEqual({
      source: 'agent_tool_call',
      body: {
        tool_name: 'refund',
        type: 'HoldpointApprove',
        tool_exec_uuid: stored.requests[0]!.id,
        detail: stored.requests[0],
      },
    })
    expect(done).toEqual([])
    await app.streams.answer(app.session, question!.msg_id, { decision: { type: 'approve' } })
    expect((await result).status).toBe('completed')
    expect(done).toEqual([{ cents: 500 }])
    const [request] = (await openDesk(app).list({})).requests
    expect(request!.decision).toMatchObject({ type: 'approve', by: ANN })
  })

  it.each([
    ['approve', [{ cents: 500 }], '500 cents paid back'],
    ['no', [], expect.stringContaining('refund')],
    [{ decision: { type: 'reject', message: 'never' } }, [], 'never'],
    [{ decision: { type: 'respond', message: 'paid by hand' } }, [], 'paid by hand'],
    [{ decision: { type: 'edit', args: { cents: 5 } } }, [{ cents: 5 }], expect.stringContaining('5 cents paid back')],
  ])('does what the reply says: %j', async (reply, ran, told) => {
    const done: JsonObject[] = []
    const app = await application(refundOnce, [refundTool(done)])
    const { thread, channel } = app.open()
    const result = thread.prompt('go')
    const [question] = await app.asked()
    await app.streams.answer(app.session, question!.msg_id, reply)
    const { messages } = await result
    expect(done).toEqual(ran)
    expect(messages.find(({ role }) => role === 'tool')?.content).toEqual(told)
    await channel.flush()
    expect(await app.questions()).toEqual([])
  })

  it('asks for confirmations and forms from inside a tool, with a store and without', async () => {
    const book = tool({
      name: 'book',
      description: 'books',
      parameters: z.object({}),
      resumable: true,
      execute: async (_, ctx) => {
        const sure = await ctx.confirm('Sure?')
        const { seat } = await ctx.ask([{ key: 'seat', prompt: 'Which seat?' }])
        return `${sure} ${String(seat)}`
      },
    })
    const script = [{ toolCalls: [{ id: 'c1', name: 'book', args: {} }] }, 'Done.']
    const stored = await application(script, [book])
    const plain = await application(script, [book])
    const threads = [
      stored.open().thread,
      plain.agent.thread('t', { channel: new StreamChannel({ streams: plain.streams, session: plain.session }) }),
    ]
    for (const [index, app] of [stored, plain].entries()) {
      const result = threads[index]!.prompt('go')
      const [first] = await app.asked()
      expect(first!.content.body).toMatchObject({ tool_name: 'book', type: 'HoldpointConfirm' })
      await app.streams.answer(app.session, first!.msg_id, { answer: true })
      await until(async () => (await app.questions()).some(({ msg_id }) => msg_id !== first!.msg_id))
      const [second] = await app.questions()
      expect(second!.content.body).toMatchObject({ type: 'HoldpointAsk' })
      await app.streams.answer(app.session, second!.msg_id, { answer: { seat: '12A' } })
      const { messages } = await result
      expect(messages.find(({ role }) => role === 'tool')?.content).toBe('true 12A')
    }
  })

  it('asks again, with the reason, when the reply does not fit', async () => {
    const done: JsonObject[] = []
    const app = await application(refundOnce, [refundTool(done)])
    const { thread } = app.open()
    const result = thread.prompt('go')
    const replies = ['perhaps', { decision: { type: 'edit', args: { cents: -1 } } }, { decision: { type: 'shrug' } }]
    let last = ''
    for (const reply of replies) {
      await until(async () => (await app.questions()).some(({ msg_id }) => msg_id !== last))
      const [question] = await app.questions()
      last = question!.msg_id
      await app.streams.answer(app.session, last, reply)
    }
    await until(async () => (await app.questions()).some(({ msg_id }) => msg_id !== last))
    const [question] = await app.questions()
    expect(question!.content.body.problem).toContain('This is not a decision')
    expect(done).toEqual([])
    await app.streams.answer(app.session, question!.msg_id, 'yes')
    expect((await result).status).toBe('completed')
    expect(done).toEqual([{ cents: 500 }])
  })

  it('has all questions of a turn on the stream, in order, answered in any order', async () => {
    const done: JsonObject[] = []
    const calls = [1, 2, 3].map((n) => ({ id: `c${n}`, name: 'refund', args: { cents: n } }))
    const app = await application([{ toolCalls: calls }, 'Done.'], [refundTool(done)])
    const { thread, channel } = app.open()
    const result = thread.prompt('go')
    const questions = await app.asked(3)
    const argsOf = (index: number) => (questions[index]!.content.body.detail as JsonObject).args
    expect([0, 1, 2].map(argsOf)).toEqual([{ cents: 1 }, { cents: 2 }, { cents: 3 }])
    expect(channel.pending?.questionId).toBe('c1')
    for (const index of [2, 0, 1]) await app.streams.answer(app.session, questions[index]!.msg_id, 'yes')
    expect((await result).status).toBe('completed')
    expect(done).toEqual([{ cents: 1 }, { cents: 2 }, { cents: 3 }])
  })
})

describe('a request that is settled elsewhere', () => {
  it.each([
    ['at the desk', 'desk'],
    ['on the channel', 'channel'],
  ])('%s is taken off the stream, and clients are told', async (_, where) => {
    const done: JsonObject[] = []
    const app = await application(refundOnce, [refundTool(done)])
    const { thread, channel } = app.open()
    const result = thread.prompt('go')
    const [question] = await app.asked()
    if (where === 'channel') await channel.answer('c1', { type: 'approve' })
    else {
      const by = { kind: 'person', id: 'bob' } as const
      await openDesk(app).decide({
        request: question!.content.body.tool_exec_uuid,
        decision: { type: 'approve' },
        by,
      })
    }
    expect((await result).status).toBe('completed')
    await channel.flush()
    expect(await app.questions()).toEqual([])
    expect(await app.notices()).toEqual([
      {
        source: 'agent_tool_call',
        body: {
          tool_name: 'refund',
          type: 'Retracted',
          tool_exec_uuid: question!.content.body.tool_exec_uuid,
          detail: { msg_id: question!.msg_id, reason: 'decided' },
        },
      },
    ])
    expect(await app.streams.answer(app.session, question!.msg_id, 'no')).toBe('unknown')
    expect(done).toEqual([{ cents: 500 }])
  })

  it('and answered on the stream at the same time runs once', async () => {
    for (let round = 0; round < 10; round++) {
      const done: JsonObject[] = []
      const app = await application(refundOnce, [refundTool(done)])
      const { thread, channel } = app.open()
      const result = thread.prompt('go')
      const [question] = await app.asked()
      await Promise.allSettled([
        app.streams.answer(app.session, question!.msg_id, 'yes'),
        channel.answer('c1', { type: 'approve' }),
      ])
      expect((await result).status).toBe('completed')
      expect(done).toHaveLength(1)
    }
  })

  it('by its deadline is taken off the stream', async () => {
    const app = await application([], [])
    const { channel } = app.open()
    await expect(channel.confirm('Sure?', { timeoutSeconds: 0.05 })).rejects.toMatchObject({ code: 'hitl_timed_out' })
    await channel.flush()
    expect(await app.questions()).toEqual([])
    expect(await app.notices()).toMatchObject([{ body: { type: 'Retracted', detail: { reason: 'expired' } } }])
  })
})

describe('a stream channel', () => {
  it('does not send what is too large, and says what to do', async () => {
    const app = await application([], [])
    const { channel } = app.open({ maxMessageBytes: 2_000 })
    const asked = channel.confirm('Sure?', { details: { text: 'x'.repeat(3_000) } })
    await expect(asked).rejects.toBeInstanceOf(HilContentError)
    await expect(asked).rejects.toThrow(/maxMessageBytes/)
    expect(await app.questions()).toEqual([])
  })

  it('refuses options that cannot work', () => {
    const streams = memoryStreams()
    expect(() => new StreamChannel({ streams, session: 's', store: memoryStore() })).toThrow(InputInvalid)
    expect(() => new StreamChannel({ streams, session: '' })).toThrow(InputInvalid)
    expect(() => new StreamChannel({ streams, session: 's', owner: 'ann' } as never)).toThrow('no option "owner"')
  })

  it('lets a detached body go, and leaves its question on the stream', async () => {
    let thrown: unknown
    const hold = tool({
      name: 'refund',
      description: 'waits',
      parameters: z.object({ cents: z.number() }),
      resumable: true,
      execute: async (_, ctx) => {
        try {
          return String(await ctx.confirm('Sure?'))
        } catch (error) {
          thrown = error
          throw error
        }
      },
    })
    const app = await application(refundOnce, [hold])
    const first = app.open()
    const left = first.thread.prompt('go')
    await app.asked()
    await first.thread.detach()
    expect((await left).status).toBe('suspended')
    expect(thrown).toBeInstanceOf(HitlDetached)
    await first.channel.flush()
    const [question] = await app.questions()
    const result = app.open().thread.resume()
    await app.streams.answer(app.session, question!.msg_id, 'yes')
    expect((await result).status).toBe('completed')
  })
})
