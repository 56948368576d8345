import { describe, expect, it } from 'vitest'
import { HitlAborted, HitlNoPendingRequest, HitlStaleAnswer, type Message } from '../../src/index.ts'
import { refused } from '../support/agents/failures.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { assertValidHistory, resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { eventsOf } from '../support/agents/thread-events.ts'
import { channelKinds, scene, shown, shownAs } from '../support/agents/thread-scene.ts'
import { latch } from '../support/latch.ts'
import { requestsOf } from '../support/stores/requests.ts'
import { until } from '../support/until.ts'

function assertAborted(messages: readonly Message[]): void {
  assertValidHistory(messages)
  expect(messages.at(-1)).toEqual({ role: 'assistant', content: '', stopReason: 'aborted' })
}

describe.each(channelKinds)('abortPending (%s channel)', (kind) => {
  it('of a live gate: one refusal for each unresolved call, a last aborted message, and both calls return aborted', async () => {
    const pay = notingGated('pay')
    const { open, store } = scene([calls(['c1', 'pay'], ['c2', 'pay']), 'Later.'], [pay])
    const { thread, channel, events } = open(kind)
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    const result = await thread.abortPending({ reason: 'lunch', by: 'ann' })
    expect(result).toMatchObject({ status: 'aborted', reason: 'lunch', requests: [] })
    expect(await prompting).toEqual(result)
    assertAborted(result.messages)
    expect(resultsIn(result.messages)).toEqual([
      ['c1', 'aborted: lunch'],
      ['c2', 'aborted: lunch'],
    ])
    expect(pay.runs).toEqual([])
    expect(await requestsOf(store)).toEqual([
      ['c1', 'aborted'],
      ['c2', 'aborted'],
    ])
    expect(channel.pending).toBeUndefined()
    expect(eventsOf(events, 'agent_aborted')).toMatchObject([{ reason: 'lunch' }])
    expect(eventsOf(events, 'hitl_answer')).toMatchObject([
      { questionId: 'c1', cancelled: true },
      { questionId: 'c2', cancelled: true },
    ])
    const late = await refused(
      thread.respond({ questionId: 'c1', answer: { type: 'approve' } }),
      HitlStaleAnswer,
      'stale_answer',
    )
    expect(late).toMatchObject({ requestStatus: 'aborted', by: { kind: 'person', id: 'ann' } })
  })

  it('of a detached request, in a fresh process', async () => {
    const { open, store, model } = scene([calls(['c1', 'pay']), 'Hello.'], [notingGated('pay')])
    const first = open(kind)
    const prompting = first.thread.prompt('go')
    await shownAs(first.channel, 'c1')
    await first.thread.detach()
    await prompting
    const { thread } = open(kind)
    assertAborted((await thread.abortPending({ reason: 'no' })).messages)
    expect(await requestsOf(store)).toEqual([['c1', 'aborted']])
    expect(await thread.loadPendingHitlRequest()).toBeUndefined()
    expect(model.requests).toHaveLength(1)
    const next = await thread.prompt('new start')
    expect(next).toMatchObject({ status: 'completed', finalOutput: 'Hello.' })
    assertValidHistory(model.requests[1]!.messages)
  })

  it('wakes a body that waits without passing a signal, and its own catch changes nothing', async () => {
    const ended = latch()
    const ask = noting(
      'ask',
      async (_, ctx) => {
        try {
          return await ctx.confirm('Sure?')
        } catch (error) {
          expect(error).toBeInstanceOf(HitlAborted)
          ended.open()
          return 'swallowed'
        }
      },
      { resumable: true },
    )
    const { open } = scene([calls(['c1', 'ask'])], [ask])
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    await shown(channel)
    const result = await thread.abortPending({ reason: 'stop' })
    await ended.passed
    assertAborted(result.messages)
    // In memory nothing records that the body waits: it may have taken effect.
    expect(resultsIn(result.messages)).toEqual([['c1', expect.stringMatching(/^aborted: stop/)]])
    expect((await prompting).status).toBe('aborted')
  })

  it('keeps the results of a half-finished batch and refuses the rest', async () => {
    const look = noting('look')
    const { open } = scene([calls(['c1', 'look'], ['c2', 'pay'], ['c3', 'pay'])], [look, notingGated('pay')], {
      toolExecution: { start: 'cleared' },
    })
    const { thread, channel, events } = open(kind)
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c2')
    await until(() => eventsOf(events, 'tool_end').length === 1)
    const result = await thread.abortPending({ reason: 'enough' })
    expect(resultsIn(result.messages)).toEqual([
      ['c1', 'look done'],
      ['c2', 'aborted: enough'],
      ['c3', 'aborted: enough'],
    ])
    assertAborted(result.messages)
    await prompting
  })

  it('stops a model that thinks and a body that works, and waits for neither for long', async () => {
    const never = new Promise<string>(() => undefined)
    const thinking = scene([() => never], [])
    const first = thinking.open(kind)
    const prompting = first.thread.prompt('go')
    await until(() => thinking.model.requests.length === 1)
    expect((await first.thread.abortPending()).status).toBe('aborted')
    expect((await prompting).status).toBe('aborted')

    let told = false
    const work = noting('work', async (_, ctx) => {
      ctx.signal.addEventListener('abort', () => {
        told = true
      })
      return never
    })
    const working = scene([calls(['c1', 'work'])], [work])
    const second = working.open(kind)
    const running = second.thread.prompt('go')
    await until(() => work.runs.length === 1)
    const result = await second.thread.abortPending({ reason: 'now' })
    assertAborted(result.messages)
    expect(told).toBe(true)
    expect((await running).status).toBe('aborted')
  })

  it('with nothing pending, no history, or again: tells the event, appends nothing', async () => {
    const { open, store } = scene(['Done.', 'Again.'], [])
    const { thread, events } = open(kind)
    await thread.abortPending({ reason: 'nothing here' })
    expect((await store.read('t')).version).toBe(0)
    await thread.prompt('go')
    const { version } = await store.read('t')
    expect((await thread.abortPending({ reason: 'done' })).status).toBe('completed')
    expect((await thread.abortPending({ reason: 'done' })).status).toBe('completed')
    expect((await store.read('t')).version).toBe(version)
    expect(eventsOf(events, 'agent_aborted').map(({ reason }) => reason)).toEqual(['nothing here', 'done', 'done'])
    expect((await thread.prompt('more')).status).toBe('completed')
  })

  it('again after an abort appends nothing more', async () => {
    const { open, store } = scene([calls(['c1', 'pay'])], [notingGated('pay')])
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    const first = await thread.abortPending({ reason: 'one' })
    const { version } = await store.read('t')
    expect(await thread.abortPending({ reason: 'two' })).toEqual(first)
    expect((await store.read('t')).version).toBe(version)
    await prompting
    await refused(thread.respond({ answer: true }), HitlNoPendingRequest, 'no_pending_request')
  })

  it('from another thread object ends a live wait here', async () => {
    const { open } = scene([calls(['c1', 'pay'])], [notingGated('pay')])
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    await open(kind).thread.abortPending({ reason: 'elsewhere' })
    expect(await prompting).toMatchObject({ status: 'aborted', reason: 'elsewhere' })
    expect(channel.pending).toBeUndefined()
  })
})

it('abortPending also ends what the application asked on the thread, and wakes its waiter', async () => {
  const { open, store } = scene([], [])
  const { thread, channel } = open()
  const asked = channel.confirm('By the way?')
  asked.catch(() => undefined)
  await shown(channel)
  await thread.abortPending({ reason: 'closing' })
  const error = await refused(asked, HitlAborted, 'hitl_aborted')
  expect(error.message).toContain('closing')
  expect((await requestsOf(store)).map(([, status]) => status)).toEqual(['aborted'])
  expect(await thread.loadPendingHitlRequest()).toBeUndefined()
})

describe('a plain abort by signal', () => {
  it.each(channelKinds)('keeps gates open and the history valid, and lets go of the channel (%s)', async (kind) => {
    const pay = notingGated('pay')
    const { open, store } = scene([calls(['c1', 'pay'], ['c2', 'pay']), 'Done.'], [pay])
    const stop = new AbortController()
    const { thread, channel, events } = open(kind)
    const prompting = thread.prompt('go', { signal: stop.signal })
    await shownAs(channel, 'c1')
    stop.abort()
    const result = await prompting
    expect(result.status).toBe('incomplete')
    assertValidHistory(result.messages, true)
    expect(await requestsOf(store)).toEqual([
      ['c1', 'open'],
      ['c2', 'open'],
    ])
    expect((await store.read('t')).lease).toBeNull()
    expect(eventsOf(events, 'hitl_answer')).toEqual([])
    const decisions = [{ type: 'approve' }, { type: 'approve' }]
    expect((await open(kind).thread.respond({ decisions, unbound: true })).status).toBe('completed')
    expect(pay.runs).toHaveLength(2)
  })

  it('keeps what a resumable body asks open on a durable channel; an answer goes on with it', async () => {
    const ask = noting('ask', (_, ctx) => ctx.confirm('Sure?'), { resumable: true })
    const { open, store } = scene([calls(['c1', 'ask']), 'Done.'], [ask])
    const stop = new AbortController()
    const { thread, channel } = open('durable')
    const prompting = thread.prompt('go', { signal: stop.signal })
    await shown(channel)
    stop.abort()
    expect((await prompting).status).toBe('incomplete')
    expect((await requestsOf(store)).map(([, status]) => status)).toEqual(['open'])
    const result = await open('durable').thread.respond({ answer: true, unbound: true })
    expect(resultsIn(result.messages)).toEqual([['c1', 'true']])
  })
})
