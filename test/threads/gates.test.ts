import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { EditInvalid, HitlConcurrencyError, HitlStaleAnswer, memoryStore, openDesk } from '../../src/index.ts'
import { DecisionInvalid, DecisionNotAllowed } from '../../src/protocol/errors/errors.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { refused } from '../support/agents/failures.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { assertValidHistory, resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { eventsOf } from '../support/agents/thread-events.ts'
import { channelKinds, scene, shownAs } from '../support/agents/thread-scene.ts'
import { requestsOf } from '../support/stores/requests.ts'
import { pause, until } from '../support/until.ts'

const ANN = { kind: 'person', id: 'ann' } as const

describe.each(channelKinds)('gates of a live thread (%s channel)', (kind) => {
  it('are shown one at a time, in call order, under the call id, and run nothing before all are decided', async () => {
    const [pay, look] = [notingGated('pay'), noting('look')]
    const script = calls(['c1', 'pay', { n: 1 }], ['free', 'look'], ['c2', 'pay', { n: 2 }], ['c3', 'pay', { n: 3 }])
    const { open } = scene([script, 'Done.'], [pay, look])
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    for (const [n, id] of ['c1', 'c2', 'c3'].entries()) {
      const request = await shownAs(channel, id)
      expect(request).toMatchObject({ kind: 'approve', toolName: 'pay', toolCallId: id, args: { n: n + 1 } })
      expect(thread.inFlightHitlRequest).toEqual(request)
      expect(await thread.loadPendingHitlRequest()).toEqual(request)
      expect([pay.runs, look.runs]).toEqual([[], []])
      await channel.answer(id, { type: 'approve' })
    }
    const result = await prompting
    expect(result.status).toBe('completed')
    expect(pay.runs).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(look.runs).toHaveLength(1)
    expect(resultsIn(result.messages).map(([id]) => id)).toEqual(['c1', 'free', 'c2', 'c3'])
  })

  it("start: 'cleared' runs what is free and what is approved while others wait", async () => {
    const [pay, look] = [notingGated('pay'), noting('look')]
    const { open } = scene(
      [calls(['c1', 'pay', { n: 1 }], ['free', 'look'], ['c2', 'pay', { n: 2 }]), 'Done.'],
      [pay, look],
      {
        toolExecution: { start: 'cleared' },
      },
    )
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    await until(() => look.runs.length === 1)
    await channel.answer('c1', { type: 'approve' })
    await until(() => pay.runs.length === 1)
    await shownAs(channel, 'c2')
    await channel.answer('c2', { type: 'reject' })
    const result = await prompting
    expect(pay.runs).toEqual([{ n: 1 }])
    assertValidHistory(result.messages)
  })

  it('edit, reject and respond reach the model as what happened', async () => {
    const pay = notingGated('pay', ({ n }) => `paid ${String(n)}`, { parameters: z.object({ n: z.number() }) })
    const made = calls(
      ['c1', 'pay', { n: 1 }],
      ['c2', 'pay', { n: 2 }],
      ['c3', 'pay', { n: 3 }],
      ['c4', 'pay', { n: 4 }],
    )
    const { open, model } = scene([made, 'Done.'], [pay])
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    await refused(channel.answer('c1', { type: 'edit', args: { n: 'many' } }), EditInvalid, 'edit_invalid')
    await refused(channel.answer('c1', { type: 'edit' }), DecisionInvalid, 'decision_invalid')
    expect(channel.pending?.questionId).toBe('c1')
    await channel.answer('c1', { type: 'edit', args: { n: 10 } })
    await shownAs(channel, 'c2')
    await channel.answer('c2', { type: 'reject', message: 'too dear' })
    await shownAs(channel, 'c3')
    await channel.answer('c3', { type: 'respond', message: 'paid in cash' })
    await shownAs(channel, 'c4')
    await channel.answer('c4', { type: 'reject' })
    const result = await prompting
    expect(pay.runs).toEqual([{ n: 10 }])
    const results = resultsIn(model.requests[1]?.messages)
    expect(results[0]?.[1]).toContain('paid 10')
    expect(results[0]?.[1]).toContain('A person changed this call')
    expect(results.slice(1)).toEqual([
      ['c2', 'too dear'],
      ['c3', 'paid in cash'],
      ['c4', 'A person rejected this call of pay. It was not run. Do not repeat it unless you are asked to.'],
    ])
    expect(result.messages[1]).toMatchObject({ toolCalls: [{ args: { n: 1 } }, {}, {}, {}] })
    assertValidHistory(result.messages)
  })

  it('decided elsewhere while shown: makes way for the next one, and answering it here says who was faster', async () => {
    const pay = notingGated('pay')
    const { open, store } = scene([calls(['c1', 'pay'], ['c2', 'pay']), 'Done.'], [pay])
    const { thread, channel, events } = open(kind)
    const prompting = thread.prompt('go')
    const first = await shownAs(channel, 'c1')
    const desk = openDesk({ store })
    const decided = desk.decide({ request: first.id, decision: { type: 'approve' }, by: ANN })
    const late = await refused(
      decided.then(() => channel.answer('c1', { type: 'reject' })),
      HitlStaleAnswer,
      'stale_answer',
    )
    expect([late.by?.id, 'not the question that is shown']).toContain(late.by?.id ?? late.requestStatus)
    const second = await shownAs(channel, 'c2')
    await desk.decide({ request: second.id, decision: { type: 'approve' }, by: ANN })
    expect((await prompting).status).toBe('completed')
    expect(pay.runs).toHaveLength(2)
    expect(channel.pending).toBeUndefined()
    expect(eventsOf(events, 'hitl_answer').map(({ questionId }) => questionId)).toEqual(['c1', 'c2'])
  })

  it('decided elsewhere before it is shown: is skipped', async () => {
    const { open, store } = scene([calls(['c1', 'pay'], ['c2', 'pay'], ['c3', 'pay']), 'Done.'], [notingGated('pay')])
    const { thread, channel } = open(kind)
    const seen: string[] = []
    channel.subscribe(({ questionId }) => seen.push(questionId))
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    const { requests } = await openDesk({ store }).list({ status: 'open' })
    const second = requests.find(({ questionId }) => questionId === 'c2')
    await openDesk({ store }).decide({ request: second!.id, decision: { type: 'approve' }, by: ANN })
    await pause(20)
    await channel.answer('c1', { type: 'approve' })
    await shownAs(channel, 'c3')
    await channel.answer('c3', { type: 'approve' })
    expect((await prompting).status).toBe('completed')
    expect(seen).toEqual(['c1', 'c3'])
  })

  it('nobody answers within the default timeout: the model reads that, and the run goes on', async () => {
    const pay = notingGated('pay')
    const { open, store, model } = scene([calls(['c1', 'pay'], ['c2', 'pay']), 'Done.'], [pay])
    const { thread, channel, events } = open(kind, { defaultTimeoutSeconds: 0.4 })
    const prompting = thread.prompt('go')
    const { expiresAt, createdAt } = await shownAs(channel, 'c1')
    expect(Math.abs(Date.parse(expiresAt!) - Date.parse(createdAt) - 400)).toBeLessThan(5000)
    expect((await prompting).status).toBe('completed')
    expect(await requestsOf(store)).toEqual([
      ['c1', 'expired'],
      ['c2', 'expired'],
    ])
    expect(pay.runs).toEqual([])
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      ['c1', 'Not run: nobody answered in time.'],
      ['c2', 'Not run: nobody answered in time.'],
    ])
    expect(eventsOf(events, 'hitl_answer')).toMatchObject([
      { questionId: 'c1', timedOut: true, cancelled: false, answer: null },
      { questionId: 'c2', timedOut: true },
    ])
  })

  it('without a default timeout a gate waits for ever', async () => {
    const { open } = scene([calls(['c1', 'pay']), 'Done.'], [notingGated('pay')])
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    expect((await shownAs(channel, 'c1')).expiresAt).toBeUndefined()
    await channel.answer('c1', { type: 'approve' })
    await prompting
  })

  it('cancelled: a clean refusal with the reason, and the others go on', async () => {
    const pay = notingGated('pay')
    const { open, store, model } = scene([calls(['c1', 'pay', { n: 1 }], ['c2', 'pay', { n: 2 }]), 'Done.'], [pay])
    const { thread, channel, events } = open(kind)
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    await channel.cancel('c1', { reason: 'wrong desk' })
    await shownAs(channel, 'c2')
    await channel.answer('c2', { type: 'approve' })
    const result = await prompting
    expect(pay.runs).toEqual([{ n: 2 }])
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      ['c1', 'Not run: the request was withdrawn (wrong desk).'],
      ['c2', 'pay done'],
    ])
    expect(result.messages[2]).toMatchObject({ role: 'tool', isError: true })
    expect(await requestsOf(store)).toEqual([
      ['c1', 'cancelled'],
      ['c2', 'decided'],
    ])
    expect(eventsOf(events, 'hitl_answer')[0]).toMatchObject({ questionId: 'c1', cancelled: true, answer: null })
  })

  it('a cancelled gate is remembered across a detach: it is refused, not asked again', async () => {
    const pay = notingGated('pay')
    const { open, model } = scene([calls(['c1', 'pay', { n: 1 }], ['c2', 'pay', { n: 2 }]), 'Done.'], [pay])
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    await channel.cancel('c1', { reason: 'no' })
    await shownAs(channel, 'c2')
    await thread.detach()
    expect((await prompting).requests.map(({ questionId }) => questionId)).toEqual(['c2'])
    const result = await open(kind).thread.respond({ questionId: 'c2', answer: { type: 'approve' } })
    expect(result.status).toBe('completed')
    expect(pay.runs).toEqual([{ n: 2 }])
    expect(resultsIn(model.requests[1]?.messages)[0]).toEqual(['c1', 'Not run: the request was withdrawn (no).'])
  })

  it('a verb meanwhile finds the channel busy, and the gate is undisturbed', async () => {
    const { open } = scene([calls(['c1', 'pay']), 'Done.'], [notingGated('pay')])
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    const busy = await refused(channel.confirm('Hello?'), HitlConcurrencyError, 'channel_busy')
    expect(busy.questionId).toBe('c1')
    await channel.answer('c1', { type: 'approve' })
    expect((await prompting).status).toBe('completed')
  })

  it('a call that ran without a known end is asked about on the channel, where only what fits may be answered', async () => {
    const stop = new AbortController()
    const pay = noting(
      'pay',
      (_, ctx) =>
        new Promise((_resolve, reject) => {
          stop.abort(new Error('shut down'))
          reject(ctx.signal.reason)
        }),
    )
    const { open } = scene([calls(['c1', 'pay']), 'Done.'], [pay])
    expect((await open(kind).thread.prompt('go', { signal: stop.signal })).status).toBe('incomplete')
    const { thread, channel } = open(kind)
    const resuming = thread.resume()
    expect(await shownAs(channel, 'c1')).toMatchObject({ reason: 'unknown_outcome' })
    await refused(channel.answer('c1', { type: 'edit', args: {} }), DecisionNotAllowed, 'decision_not_allowed')
    await channel.answer('c1', { type: 'respond', message: 'it was paid' })
    expect(resultsIn((await resuming).messages)).toEqual([['c1', 'it was paid']])
    expect(pay.runs).toHaveLength(1)
  })
})

describe('deadlines', () => {
  async function suspended() {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const pay = notingGated('pay')
    const made = scene([calls(['c1', 'pay']), 'Done.'], [pay], { store })
    const { thread, channel } = made.open('durable', { defaultTimeoutSeconds: 60 })
    const prompting = thread.prompt('go')
    const request = await shownAs(channel, 'c1')
    expect(Date.parse(request.expiresAt!) - clock.now()).toBeLessThan(62_000)
    await thread.detach()
    await prompting
    return { ...made, clock, pay, request }
  }
  const WEEK = 7 * 24 * 3600_000

  it('an answer a week late is refused, closes the request as expired, and the run goes on without the call', async () => {
    const { open, clock, pay, store, model } = await suspended()
    clock.advance(WEEK)
    const { thread } = open()
    const late = await refused(
      thread.respond({ questionId: 'c1', answer: { type: 'approve' } }),
      HitlStaleAnswer,
      'stale_answer',
    )
    expect(late).toMatchObject({ requestStatus: 'expired', by: { kind: 'time' } })
    expect(await requestsOf(store)).toEqual([['c1', 'expired']])
    expect((await thread.resume()).status).toBe('completed')
    expect(resultsIn(model.requests[1]?.messages)).toEqual([['c1', 'Not run: nobody answered in time.']])
    expect(pay.runs).toEqual([])
  })

  it('any reader records it: a desk without the agent’s code', async () => {
    const { clock, store, request } = await suspended()
    clock.advance(WEEK)
    await refused(
      openDesk({ store }).decide({ request: request.id, decision: { type: 'approve' }, by: ANN }),
      HitlStaleAnswer,
      'stale_answer',
    )
    expect(await requestsOf(store)).toEqual([['c1', 'expired']])
  })

  it('any reader records it: a fresh thread that reads pending, and one that resumes', async () => {
    const { clock, store, open } = await suspended()
    clock.advance(WEEK)
    expect(await open().thread.loadPendingHitlRequest()).toBeUndefined()
    expect(await requestsOf(store)).toEqual([['c1', 'expired']])
    expect((await open().thread.resume()).status).toBe('completed')
  })

  it('an answer just in time is taken', async () => {
    const { clock, open, pay, request } = await suspended()
    clock.set(Date.parse(request.expiresAt!) - 1)
    expect((await open().thread.respond({ answer: { type: 'approve' }, unbound: true })).status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
  })
})
