import { describe, expect, it } from 'vitest'
import {
  type Channel,
  HitlAborted,
  HitlCancelled,
  type HitlControlException,
  HitlDetached,
  HitlStaleAnswer,
  HitlTimedOut,
  openDesk,
  type ToolContext,
} from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import { AnswerInvalid } from '../../src/protocol/errors/errors.ts'
import { failedWith, refused } from '../support/agents/failures.ts'
import { noting } from '../support/agents/noting-tools.ts'
import { assertValidHistory, resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { eventsOf } from '../support/agents/thread-events.ts'
import { channelKinds, scene, shown } from '../support/agents/thread-scene.ts'
import { latch } from '../support/latch.ts'
import { requestsOf } from '../support/stores/requests.ts'
import { pause, until } from '../support/until.ts'

const resumable = { resumable: true }

describe.each(channelKinds)('waits inside bodies (%s channel)', (kind) => {
  it('ctx.confirm and ctx.ask ask the person and give the answer back', async () => {
    const order = noting(
      'order',
      async (_, ctx) => {
        const sure = await ctx.confirm('Sure?', { details: { price: 7 } })
        const form = await ctx.ask([{ key: 'size', prompt: 'Size?' }])
        return { sure, ...form }
      },
      resumable,
    )
    const { open } = scene([calls(['c1', 'order']), 'Done.'], [order])
    const { thread, channel, events } = open(kind)
    const prompting = thread.prompt('go')
    const first = await shown(channel)
    expect(first).toMatchObject({
      kind: 'confirm',
      prompt: 'Sure?',
      details: { price: 7 },
      toolName: 'order',
      toolCallId: 'c1',
      agent: 'clerk',
      threadId: 't',
    })
    expect(first.questionId).toMatch(/\.0$/)
    await refused(channel.answer(first.questionId, 'yes'), AnswerInvalid, 'answer_invalid')
    await channel.answer(first.questionId, true)
    const second = await shown(channel, (request) => request.kind === 'ask')
    expect(second.questionId).toMatch(/\.1$/)
    await refused(channel.answer(second.questionId, { colour: 'red' }), AnswerInvalid, 'answer_invalid')
    await channel.answer(second.questionId, { size: 'L' })
    const result = await prompting
    expect(JSON.parse(String(resultsIn(result.messages)[0]?.[1]))).toEqual({ sure: true, size: 'L' })
    expect(order.runs).toHaveLength(1)
    expect(eventsOf(events, 'hitl_request')).toHaveLength(2)
    expect(eventsOf(events, 'hitl_answer').map(({ answer }) => answer)).toEqual([true, { size: 'L' }])
  })

  it('the same question asked twice is two questions', async () => {
    const ask = noting('ask', async (_, ctx) => [await ctx.confirm('Sure?'), await ctx.confirm('Sure?')], resumable)
    const { open } = scene([calls(['c1', 'ask']), 'Done.'], [ask])
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    const first = await shown(channel)
    await channel.answer(first.questionId, true)
    const second = await shown(channel, ({ id }) => id !== first.id)
    await refused(channel.answer(first.questionId, true), HitlStaleAnswer, 'stale_answer')
    await channel.answer(second.questionId, false)
    expect(resultsIn((await prompting).messages)).toEqual([['c1', '[true,false]']])
  })

  it('two questions of one body at once are both asked, one at a time', async () => {
    const ask = noting('ask', (_, ctx) => Promise.all([ctx.confirm('A?'), ctx.confirm('B?')]), resumable)
    const { open } = scene([calls(['c1', 'ask']), 'Done.'], [ask])
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    const first = await shown(channel, ({ prompt }) => prompt === 'A?')
    await channel.answer(first.questionId, true)
    const second = await shown(channel, ({ prompt }) => prompt === 'B?')
    await channel.answer(second.questionId, false)
    const result = await prompting
    expect(resultsIn(result.messages)).toEqual([['c1', '[true,false]']])
  })

  it('a body that ends without waiting for its answer takes its question with it', async () => {
    const hasty = noting(
      'hasty',
      async (_, ctx) => {
        ctx.confirm('Anyone?').catch(() => undefined)
        await pause(30)
        return 'went on'
      },
      resumable,
    )
    const { open, store } = scene([calls(['c1', 'hasty']), 'Done.', 'More.'], [hasty])
    const { thread, channel } = open(kind)
    const result = await thread.prompt('go')
    expect(resultsIn(result.messages)).toEqual([['c1', 'went on']])
    for (const [, status] of await requestsOf(store)) expect(status).not.toBe('open')
    if (kind === 'durable') {
      expect(channel.pending).toBeUndefined()
      const { requests } = await openDesk({ store }).list()
      await refused(thread.respond({ questionId: requests[0]!.id, answer: true }), HitlStaleAnswer, 'stale_answer')
    }
    expect((await open(kind).thread.prompt('still alive?')).status).toBe('completed')
  })

  it('several bodies at once queue on the channel', async () => {
    const ask = noting('ask', ({ n }, ctx) => ctx.confirm(`Number ${String(n)}?`), resumable)
    const { open } = scene(
      [calls(['c1', 'ask', { n: 1 }], ['c2', 'ask', { n: 2 }], ['c3', 'ask', { n: 3 }]), 'Done.'],
      [ask],
    )
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    for (const [n, answer] of [true, false, true].entries()) {
      const request = await shown(channel, ({ prompt }) => prompt === `Number ${n + 1}?`)
      await until(() => ask.runs.length === 3)
      await channel.answer(request.questionId, answer)
    }
    expect(resultsIn((await prompting).messages)).toEqual([
      ['c1', 'true'],
      ['c2', 'false'],
      ['c3', 'true'],
    ])
  })

  it('channel.confirm inside a body is that body’s ctx.confirm', async () => {
    let channel: Channel | undefined
    const ask = noting('ask', () => channel!.confirm('Sure?'), resumable)
    const { open } = scene([calls(['c1', 'ask'], ['c2', 'ask']), 'Done.'], [ask])
    const live = open(kind)
    channel = live.channel
    const prompting = live.thread.prompt('go')
    for (const id of ['c1', 'c2']) {
      const request = await shown(live.channel, ({ toolCallId }) => toolCallId === id)
      expect(request.questionId).toMatch(/\.0$/)
      await live.channel.answer(request.questionId, true)
    }
    expect((await prompting).status).toBe('completed')
  })

  it('time in which people are waited for does not count as the tool’s', async () => {
    const slow = noting('slow', (_, ctx) => ctx.confirm('Sure?'), { ...resumable, timeoutSeconds: 0.1 })
    const { open } = scene([calls(['c1', 'slow']), 'Done.'], [slow])
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    const { questionId } = await shown(channel)
    await pause(200)
    await channel.answer(questionId, true)
    expect(resultsIn((await prompting).messages)).toEqual([['c1', 'true']])
  })

  it('time before and after a wait still counts', async () => {
    const slow = noting(
      'slow',
      async (_, ctx) => {
        await ctx.confirm('Sure?')
        await pause(2_000)
      },
      { ...resumable, timeoutSeconds: 0.1 },
    )
    const { open } = scene([calls(['c1', 'slow']), 'Done.'], [slow])
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    await channel.answer((await shown(channel)).questionId, true)
    expect(resultsIn((await prompting).messages)[0]?.[1]).toContain('did not finish within 0.1 s')
  })

  it('timeouts of a wait: the default when absent, none for null, else the number', async () => {
    const ask = noting(
      'ask',
      async (_, ctx) => {
        await ctx.confirm('default')
        await ctx.confirm('ever', { timeoutSeconds: null })
        await ctx.confirm('own', { timeoutSeconds: 99 })
      },
      resumable,
    )
    const { open } = scene([calls(['c1', 'ask']), 'Done.'], [ask])
    const { thread, channel } = open(kind, { defaultTimeoutSeconds: 300 })
    const prompting = thread.prompt('go')
    const seconds: (number | undefined)[] = []
    for (const prompt of ['default', 'ever', 'own']) {
      const request = await shown(channel, (each) => each.prompt === prompt)
      const { expiresAt, createdAt } = request
      seconds.push(expiresAt ? Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / 1000) : undefined)
      await channel.answer(request.questionId, true)
    }
    expect(seconds).toEqual([300, undefined, 99])
    await prompting
  })

  type End = [
    string,
    (ctx: ToolContext) => Promise<unknown>,
    (channel: Channel) => Promise<void>,
    abstract new (...args: never[]) => HitlControlException,
    string,
  ]
  const ends: End[] = [
    [
      'cancelled',
      (ctx) => ctx.confirm('Sure?'),
      async (channel) => channel.cancel((await shown(channel)).questionId, { reason: 'not now' }),
      HitlCancelled,
      'Not finished: it asked a person something, and the question was withdrawn (not now).',
    ],
    [
      'timed out',
      (ctx) => ctx.confirm('Sure?', { timeoutSeconds: 0.03 }),
      async () => undefined,
      HitlTimedOut,
      'Not finished: it asked a person something, and nobody answered in time.',
    ],
    [
      'ended by a signal of its own',
      (ctx) => ctx.confirm('Sure?', { signal: AbortSignal.timeout(30) }),
      async () => undefined,
      HitlAborted,
      'Not finished: it asked a person something, and the question was withdrawn (its signal fired).',
    ],
  ]
  it.each(ends)(
    'a wait that is %s ends the body with one clean refusal, whatever the body makes of it',
    async (_, wait, end, thrown, text) => {
      for (const swallow of [true, false]) {
        let caught: unknown
        const ask = noting(
          'ask',
          async (_args, ctx) => {
            try {
              return await wait(ctx)
            } catch (error) {
              caught = error
              await expect(ctx.confirm('Once more?')).rejects.toBe(error)
              if (!swallow) throw error
              return `swallowed: ${String(error)}`
            }
          },
          resumable,
        )
        const { open, store, model } = scene([calls(['c1', 'ask']), 'Done.'], [ask])
        const { thread, channel, events } = open(kind)
        const prompting = thread.prompt('go')
        // What ends by time may be over before a slow machine looks at the channel.
        await end(channel)
        const result = await prompting
        expect(result.status).toBe('completed')
        expect(eventsOf(events, 'hitl_request')).toHaveLength(1)
        expect(caught).toBeInstanceOf(thrown)
        expect(resultsIn(model.requests[1]?.messages)).toEqual([['c1', text]])
        expect(result.messages[2]).toMatchObject({ isError: true })
        assertValidHistory(result.messages)
        expect(eventsOf(events, 'hitl_answer')).toHaveLength(1)
        for (const [, status] of await requestsOf(store)) expect(status).not.toBe('open')
        expect(channel.pending).toBeUndefined()
      }
    },
  )

  it('detached: HitlDetached, swallowed or not, reaches nobody; the body is entered again when it is answered', async () => {
    const thrown: unknown[] = []
    const ask = noting(
      'ask',
      async (_, ctx) => {
        try {
          return await ctx.confirm('Sure?')
        } catch (error) {
          thrown.push(error)
          return 'swallowed'
        }
      },
      resumable,
    )
    const { open, model } = scene([calls(['c1', 'ask']), 'Done.'], [ask])
    const first = open(kind)
    const prompting = first.thread.prompt('go')
    await shown(first.channel)
    await first.thread.detach()
    const suspended = await prompting
    // A question that is not stored is gone: nobody could be waited for.
    expect(suspended.status).toBe(kind === 'durable' ? 'suspended' : 'incomplete')
    expect(thrown[0]).toBeInstanceOf(HitlDetached)
    expect((thrown[0] as HitlDetached).stored).toBe(kind === 'durable')
    assertValidHistory(suspended.messages, true)
    const { thread, channel } = open(kind)
    // What a body asks is not stored on a channel in memory: it is asked again.
    const going = kind === 'durable' ? thread.respond({ answer: true, unbound: true }) : thread.resume()
    if (kind === 'memory') await channel.answer((await shown(channel)).questionId, true)
    expect(resultsIn((await going).messages)).toEqual([['c1', 'true']])
    expect(model.requests).toHaveLength(2)
    expect(thrown).toHaveLength(1)
  })

  it('mistakes of the developer fail the run with their error and are not shown to the model', async () => {
    const mistakes: ((ctx: ToolContext) => Promise<unknown>)[] = [
      (ctx) => ctx.confirm(7 as never),
      (ctx) => ctx.confirm('x', { details: { at: new Date() } as never }),
      (ctx) => ctx.confirm('x', { timeoutSeconds: -1 }),
      (ctx) => ctx.ask([{ key: 'a', prompt: 'A?' }], { timeoutSeconds: Number.NaN }),
      async (ctx) => {
        await ctx.step('one', () => 1)
        return ctx.step('one', () => 2)
      },
      (ctx) => ctx.step('one', () => new Date()),
    ]
    for (const mistake of mistakes) {
      const wrong = noting('wrong', (_, ctx) => mistake(ctx).catch(() => 'swallowed'), resumable)
      const { open, model } = scene([calls(['c1', 'wrong']), 'Done.'], [wrong])
      failedWith(await open(kind).thread.prompt('go'), InputInvalid, 'input_invalid')
      expect(model.requests).toHaveLength(1)
    }
  })

  it('a failed run lets go of bodies that still want to wait', async () => {
    const late = latch()
    const wrong = noting('wrong', (_, ctx) => ctx.confirm(7 as never), resumable)
    const ask = noting(
      'ask',
      async (_, ctx) => {
        await pause(30)
        await ctx.confirm('Anyone?').catch(() => late.open())
      },
      resumable,
    )
    const { open, store } = scene([calls(['c1', 'wrong'], ['c2', 'ask'])], [wrong, ask])
    failedWith(await open(kind).thread.prompt('go'), InputInvalid, 'input_invalid')
    await late.passed
    await pause(20)
    expect((await store.read('t')).lease).toBeNull()
  })
})
