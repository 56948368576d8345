import { describe, expect, it } from 'vitest'
import { HitlDetached } from '../../src/index.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { assertValidHistory, resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { typesOf } from '../support/agents/thread-events.ts'
import { channelKinds, scene, shownAs } from '../support/agents/thread-scene.ts'
import { latch } from '../support/latch.ts'
import { requestsOf } from '../support/stores/requests.ts'
import { until } from '../support/until.ts'

describe.each(channelKinds)('detach (%s channel)', (kind) => {
  it('leaves quietly: the request stays stored, the assistant message keeps its unresolved calls', async () => {
    const pay = notingGated('pay')
    const { open, store } = scene([calls(['c1', 'pay'], ['c2', 'pay']), 'Done.'], [pay])
    const { thread, channel, events } = open(kind)
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    await thread.detach()
    const result = await prompting
    expect(result.status).toBe('suspended')
    expect(result.requests.map(({ questionId, status }) => [questionId, status])).toEqual([
      ['c1', 'open'],
      ['c2', 'open'],
    ])
    expect(result.messages.at(-1)).toMatchObject({ role: 'assistant', toolCalls: [{ id: 'c1' }, { id: 'c2' }] })
    assertValidHistory(result.messages, true)
    expect(pay.runs).toEqual([])
    expect(channel.pending).toBeUndefined()
    expect(thread.inFlightHitlRequest).toBeUndefined()
    expect((await thread.loadPendingHitlRequest())?.questionId).toBe('c1')
    expect(await requestsOf(store)).toEqual([
      ['c1', 'open'],
      ['c2', 'open'],
    ])
    expect(typesOf(events).slice(-2)).toEqual(['hitl_request', 'agent_suspended'])
    expect(typesOf(events)).not.toContain('agent_end')
  })

  it('is stored before agent_suspended is emitted, and that before the waiter is released', async () => {
    const order: string[] = []
    const wait = noting(
      'wait',
      async (_, ctx) => {
        try {
          return await ctx.confirm('Sure?')
        } catch (error) {
          order.push((error as Error).name)
          throw error
        }
      },
      { resumable: true },
    )
    const { open, store } = scene([calls(['c1', 'pay'], ['c2', 'wait']), 'Done.'], [notingGated('pay'), wait], {
      toolExecution: { start: 'cleared' },
    })
    const { thread, channel } = open(kind)
    let stored: Promise<unknown> | undefined
    thread.subscribe((event) => {
      if (event.type !== 'agent_suspended') return
      order.push(event.type)
      expect(event.pendingRequest).toMatchObject({ questionId: 'c1', status: 'open' })
      stored = store.getRequest(event.pendingRequest.id)
    })
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    await until(() => wait.runs.length === 1)
    await until(() => kind === 'memory' || channel.pending !== undefined)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await thread.detach()
    expect((await prompting).status).toBe('suspended')
    expect(await stored).toMatchObject({ status: 'open' })
    expect(order).toEqual(['agent_suspended', HitlDetached.name])
  })

  it('does nothing when nothing is pending: before, while the model thinks, and after', async () => {
    const free = latch()
    const { open, model } = scene([() => free.passed.then(() => 'Done.')], [])
    const { thread, events } = open(kind)
    await thread.detach()
    const prompting = thread.prompt('go')
    await until(() => model.requests.length === 1)
    await thread.detach()
    free.open()
    expect((await prompting).status).toBe('completed')
    await thread.detach()
    expect(typesOf(events)).not.toContain('agent_suspended')
  })

  it('twice at once is once', async () => {
    const { open } = scene([calls(['c1', 'pay'])], [notingGated('pay')])
    const { thread, channel, events } = open(kind)
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    await Promise.all([thread.detach(), thread.detach()])
    expect((await prompting).status).toBe('suspended')
    expect(typesOf(events).filter((type) => type === 'agent_suspended')).toHaveLength(1)
  })

  it('lets bodies that work come to their end first', async () => {
    const free = latch()
    const work = noting('work', () => free.passed.then(() => 'worked'))
    const { open } = scene([calls(['c1', 'work'], ['c2', 'pay']), 'Done.'], [work, notingGated('pay')], {
      toolExecution: { start: 'cleared' },
    })
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c2')
    await until(() => work.runs.length === 1)
    const detaching = thread.detach()
    free.open()
    await detaching
    expect((await prompting).status).toBe('suspended')
    const result = await open(kind).thread.respond({ answer: { type: 'approve' }, unbound: true })
    expect(resultsIn(result.messages)).toEqual([
      ['c1', 'worked'],
      ['c2', 'pay done'],
    ])
    expect(work.runs).toHaveLength(1)
  })
})
