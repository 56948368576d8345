import { describe, expect, it } from 'vitest'
import { HitlNoPendingRequest, HitlStaleAnswer, ModelFailed, openDesk } from '../../src/index.ts'
import { DecisionInvalid, DecisionUnbound } from '../../src/protocol/errors/errors.ts'
import { failedWith, refused } from '../support/agents/failures.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { assertValidHistory, resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { channelKinds, scene, shown, shownAs } from '../support/agents/thread-scene.ts'
import { latch } from '../support/latch.ts'
import { requestsOf } from '../support/stores/requests.ts'
import { withStore } from '../support/stores/with-store.ts'
import { until } from '../support/until.ts'

/** A thread that another process drives: one of its bodies asks, and another works until it is let free. */
async function drivenElsewhere() {
  const free = latch()
  const ask = noting('ask', (_, ctx) => ctx.confirm('Sure?'), { resumable: true })
  const work = noting('work', () => free.passed.then(() => 'worked'))
  const { open } = scene([calls(['c1', 'ask'], ['c2', 'work']), 'Done.'], [ask, work])
  const driving = open()
  const prompting = driving.thread.prompt('go')
  await shown(driving.channel)
  return { free, ask, work, open, driving, prompting }
}

describe('respond', () => {
  async function paused(
    script = [calls(['c1', 'pay', { n: 1 }], ['c2', 'pay', { n: 2 }]), 'Done.'] as Parameters<typeof scene>[0],
  ) {
    const pay = notingGated('pay')
    const made = scene(script, [pay])
    const { thread, channel } = made.open()
    const prompting = thread.prompt('go')
    await shown(channel)
    await thread.detach()
    await prompting
    return { ...made, pay }
  }

  it.each(['memory', 'sqlite'] as const)(
    'in a fresh process runs only what is unresolved, once, with the model’s prefix unchanged (%s)',
    (kind) =>
      withStore(kind, async (store) => {
        const [look, pay] = [noting('look'), notingGated('pay')]
        const { open, model } = scene([calls(['c1', 'look'], ['c2', 'pay']), 'Done.'], [look, pay], {
          store,
          toolExecution: { start: 'cleared' },
        })
        const { thread, channel } = open()
        const prompting = thread.prompt('go')
        await shownAs(channel, 'c2')
        await until(() => look.runs.length === 1)
        await thread.detach()
        await prompting
        const fresh = open().thread
        expect((await fresh.loadPendingHitlRequest())?.questionId).toBe('c2')
        const result = await fresh.respond({ questionId: 'c2', answer: { type: 'approve' } })
        expect(result).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
        expect([look.runs.length, pay.runs.length]).toEqual([1, 1])
        const [before, after] = model.requests.map(({ messages }) => messages)
        expect(JSON.stringify(after?.slice(0, before!.length))).toBe(JSON.stringify(before))
        assertValidHistory(result.messages)
      }),
  )

  it('without a question id answers the first that was shown; a fresh thread must be told to answer whatever is open', async () => {
    const { open, pay } = await paused([calls(['c1', 'pay', { n: 1 }]), 'Done.'])
    const { thread } = open()
    await refused(thread.respond({ answer: { type: 'approve' } }), DecisionUnbound, 'decision_unbound')
    expect(pay.runs).toEqual([])
    await thread.loadPendingHitlRequest()
    expect((await thread.respond({ answer: { type: 'approve' } })).status).toBe('completed')
    expect(pay.runs).toEqual([{ n: 1 }])
  })

  it('with a channel waits live for what is still open, without one returns suspended', async () => {
    const { open, agent, store, pay } = await paused()
    const partly = await agent.thread('t', { store }).respond({ questionId: 'c2', answer: { type: 'approve' } })
    expect(partly).toMatchObject({ status: 'suspended', requests: [{ questionId: 'c1' }] })
    expect(pay.runs).toEqual([])
    const { thread, channel } = open()
    const responding = thread.resume()
    await shownAs(channel, 'c1')
    await channel.answer('c1', { type: 'approve' })
    expect((await responding).status).toBe('completed')
    expect(pay.runs).toHaveLength(2)
  })

  it('with decisions decides all open requests, in order, all or none', async () => {
    const { open, pay, store } = await paused()
    const { thread } = open()
    const unbound = true
    await refused(thread.respond({ decisions: [{ type: 'approve' }], unbound }), DecisionInvalid, 'decision_invalid')
    await refused(
      thread.respond({ decisions: [{ type: 'approve' }, { type: 'nonsense' }], unbound }),
      DecisionInvalid,
      'decision_invalid',
    )
    expect((await requestsOf(store)).map(([, status]) => status)).toEqual(['open', 'open'])
    const result = await thread.respond({
      decisions: [{ type: 'reject', message: 'no' }, { type: 'approve' }],
      unbound,
    })
    expect(result.status).toBe('completed')
    expect(pay.runs).toEqual([{ n: 2 }])
    expect(resultsIn(result.messages)[0]).toEqual(['c1', 'no'])
  })

  it('wakes the live waiter of the same thread, and both calls return what it came to', async () => {
    const pay = notingGated('pay')
    const { open } = scene([calls(['c1', 'pay']), 'Done.'], [pay])
    const { thread, channel } = open()
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    const responded = await thread.respond({ questionId: 'c1', answer: { type: 'approve' } })
    expect(responded).toEqual(await prompting)
    expect(responded.status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
  })

  it('wakes the live waiter of a body, on both kinds of channel', async () => {
    for (const kind of channelKinds) {
      const ask = noting('ask', (_, ctx) => ctx.confirm('Sure?'), { resumable: true })
      const { open } = scene([calls(['c1', 'ask']), 'Done.'], [ask])
      const { thread, channel } = open(kind)
      const prompting = thread.prompt('go')
      await shown(channel)
      const responded = await thread.respond({ answer: true })
      expect(resultsIn(responded.messages)).toEqual([['c1', 'true']])
      expect(await prompting).toEqual(responded)
    }
  })

  it('an answer that does not fit is refused, and the request stays open', async () => {
    const { open, store } = await paused([calls(['c1', 'pay'])])
    await refused(open().thread.respond({ answer: true, unbound: true }), DecisionInvalid, 'decision_invalid')
    expect(await requestsOf(store)).toEqual([['c1', 'open']])
  })

  it('an answer to nothing is HitlNoPendingRequest', async () => {
    const { open } = scene(['Done.'], [])
    const { thread } = open()
    await refused(thread.respond({ answer: true }), HitlNoPendingRequest, 'no_pending_request')
    await thread.prompt('go')
    await refused(thread.respond({ answer: true }), HitlNoPendingRequest, 'no_pending_request')
    await refused(thread.respond({ questionId: 'c9', answer: true }), HitlNoPendingRequest, 'no_pending_request')
  })

  it('the same answer by the same person returns the settled result; another answer, or person, says who decided', async () => {
    const { open, pay, agent, store } = await paused([calls(['c1', 'pay']), 'Done.'])
    const answer = { questionId: 'c1', answer: { type: 'approve' } }
    const first = await open().thread.respond({ ...answer, by: 'ann' })
    expect(await open().thread.respond({ ...answer, by: 'ann' })).toEqual(first)
    expect(await agent.thread('t', { store }).respond({ ...answer, by: { kind: 'person', id: 'ann' } })).toEqual(first)
    const other = { ...answer, answer: { type: 'reject' } }
    const stale = await refused(open().thread.respond({ ...other, by: 'ann' }), HitlStaleAnswer, 'stale_answer')
    expect(stale).toMatchObject({
      requestStatus: 'decided',
      decision: { type: 'approve' },
      by: { kind: 'person', id: 'ann' },
      at: expect.any(String),
    })
    expect(stale.message).toContain('ann')
    await refused(open().thread.respond({ ...answer, by: 'bob' }), HitlStaleAnswer, 'stale_answer')
    expect(pay.runs).toHaveLength(1)
  })

  it('after a failed resume goes on with the answer that was given (G5)', async () => {
    const { open, pay, model } = await paused([calls(['c1', 'pay']), new Error('overloaded'), 'Done.'])
    const answer = { questionId: 'c1', answer: { type: 'approve' } }
    failedWith(await open().thread.respond(answer), ModelFailed, 'model_failed')
    const again = await open().thread.respond(answer)
    expect(again).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
    expect(pay.runs).toHaveLength(1)
    model.assertConsumed()
  })

  it('after a failed resume, resume goes on too, and no second answer is needed', async () => {
    const { open, pay } = await paused([calls(['c1', 'pay']), new Error('overloaded'), 'Done.'])
    await open().thread.respond({ answer: { type: 'approve' }, unbound: true })
    expect((await open().thread.resume()).status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
  })

  it('of two fresh processes that give the same answer at once the tool runs once, and both get the result', async () => {
    const { open, pay } = await paused([calls(['c1', 'pay']), 'Done.'])
    const answer = { questionId: 'c1', answer: { type: 'approve' }, by: 'ann' }
    const results = await Promise.all([open().thread.respond(answer), open().thread.respond(answer)])
    expect(results.map(({ status }) => status)).toEqual(['completed', 'completed'])
    expect(pay.runs).toHaveLength(1)
  })

  it('while another process drives: stores the answer and follows to the result', async () => {
    const { free, ask, work, open, driving, prompting } = await drivenElsewhere()
    const following = open().thread.respond({ answer: true, unbound: true })
    await until(() => driving.channel.pending === undefined)
    free.open()
    expect(await following).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
    expect((await prompting).status).toBe('completed')
    expect([ask.runs.length, work.runs.length]).toEqual([1, 1])
  })

  it('while another process drives: is incomplete when its signal fires, and the answer stays', async () => {
    const { free, open, driving, prompting } = await drivenElsewhere()
    const stop = new AbortController()
    const following = open().thread.respond({ answer: true, unbound: true, signal: stop.signal })
    await until(() => driving.channel.pending === undefined)
    stop.abort()
    expect((await following).status).toBe('incomplete')
    free.open()
    expect(resultsIn((await prompting).messages)).toEqual([
      ['c1', 'true'],
      ['c2', 'worked'],
    ])
  })

  it('to a live waiter here: is incomplete when its own signal fires, and the other call goes on', async () => {
    const free = latch()
    const { open } = scene([calls(['c1', 'pay']), () => free.passed.then(() => 'Done.')], [notingGated('pay')])
    const { thread, channel } = open()
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    const stop = new AbortController()
    const responding = thread.respond({ answer: { type: 'approve' }, signal: stop.signal })
    await until(() => channel.pending === undefined)
    stop.abort()
    expect((await responding).status).toBe('incomplete')
    free.open()
    expect((await prompting).status).toBe('completed')
  })

  it('a long-lived thread whose conversation went on elsewhere reads first', async () => {
    const pay = notingGated('pay')
    const { open } = scene([calls(['c1', 'pay', { n: 1 }]), calls(['c2', 'pay', { n: 2 }]), 'Done.'], [pay])
    const old = open()
    const prompting = old.thread.prompt('go')
    await shownAs(old.channel, 'c1')
    await old.thread.detach()
    await prompting
    const other = open()
    const elsewhere = other.thread.respond({ answer: { type: 'approve' }, unbound: true })
    await shownAs(other.channel, 'c2')
    await other.thread.detach()
    await elsewhere
    expect(await old.thread.loadPendingHitlRequest()).toMatchObject({ questionId: 'c2' })
    expect((await old.thread.respond({ answer: { type: 'approve' } })).status).toBe('completed')
    expect(pay.runs).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('a call id that comes again in a later turn is a new question', async () => {
    const pay = notingGated('pay')
    const { open } = scene([calls(['c1', 'pay', { n: 1 }]), calls(['c1', 'pay', { n: 2 }]), 'Done.'], [pay])
    const { thread, channel } = open()
    const prompting = thread.prompt('go')
    await shown(channel, ({ args }) => args?.n === 1)
    await channel.answer('c1', { type: 'approve' })
    await shown(channel, ({ args }) => args?.n === 2)
    expect(pay.runs).toEqual([{ n: 1 }])
    await channel.answer('c1', { type: 'reject' })
    expect((await prompting).status).toBe('completed')
    expect(pay.runs).toEqual([{ n: 1 }])
  })

  it('decided at a desk without the agent’s code: resume goes on', async () => {
    const { open, store, pay } = await paused([calls(['c1', 'pay']), 'Done.'])
    const desk = openDesk({ store })
    const { requests } = await desk.list({ status: 'open' })
    await desk.decide({ request: requests[0]!.id, decision: { type: 'approve' }, by: { kind: 'person', id: 'ann' } })
    expect((await open().thread.resume()).status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
  })
})
