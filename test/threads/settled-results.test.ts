import { describe, expect, it } from 'vitest'
import { Agent, ModelFailed, memoryStore, ThreadBusy, ThreadPaused } from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import {
  AgentMismatch,
  HitlChannelMissing,
  MaxTurnsExceeded,
  ThreadIdInvalid,
} from '../../src/protocol/errors/errors.ts'
import { scriptedModel } from '../../src/testing.ts'
import { failedWith, refused } from '../support/agents/failures.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { assertValidHistory, resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { channelKinds, scene, shown, shownAs } from '../support/agents/thread-scene.ts'
import { latch } from '../support/latch.ts'
import { requestsOf } from '../support/stores/requests.ts'
import { pause, until } from '../support/until.ts'

describe('what a call on a thread comes to', () => {
  it('completed: the last text, the whole history, the usage and no requests', async () => {
    const look = noting('look')
    const { open, model } = scene([calls(['c1', 'look']), 'Done.'], [look])
    const { thread } = open()
    const result = await thread.prompt('go')
    expect(result).toMatchObject({ status: 'completed', finalOutput: 'Done.', threadId: 't', requests: [] })
    expect(result.runId).toMatch(/^[0-9a-f-]{36}$/)
    expect(result.usage.requests).toBe(2)
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    assertValidHistory(result.messages)
    model.assertConsumed()
  })

  it('suspended: without a channel a gate pauses at once, with all requests in call order', async () => {
    const pay = notingGated('pay')
    const { agent, store } = scene([calls(['c1', 'pay'], ['c2', 'pay']), 'Done.'], [pay])
    const thread = agent.thread('t', { store })
    const result = await thread.prompt('go')
    expect(result.status).toBe('suspended')
    expect(result.requests.map(({ questionId }) => questionId)).toEqual(['c1', 'c2'])
    expect(result).not.toHaveProperty('finalOutput')
    expect(pay.runs).toEqual([])
    expect((await thread.resume()).status).toBe('suspended')
  })

  it('failed: the error and nothing that looks like success, and resume goes on', async () => {
    const { open } = scene([new Error('no tokens left'), 'Done.'], [])
    const { thread } = open()
    const error = failedWith(await thread.prompt('go'), ModelFailed, 'model_failed')
    expect(error.message).toContain('no tokens left')
    expect(await thread.resume()).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
  })

  it('failed: too many turns is an error, and resume with a higher limit goes on', async () => {
    const look = noting('look')
    const { open } = scene([calls(['c1', 'look']), calls(['c2', 'look']), 'Done.'], [look])
    const { thread } = open()
    failedWith(await thread.prompt('go', { maxTurns: 1 }), MaxTurnsExceeded, 'max_turns_exceeded')
    expect(await thread.resume({ maxTurns: null })).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
    expect(look.runs).toHaveLength(2)
  })

  it('aborted: the reason', async () => {
    const { open } = scene([calls(['c1', 'pay'])], [notingGated('pay')])
    const { thread, channel } = open()
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    expect(await thread.abortPending({ reason: 'closed for today' })).toMatchObject({
      status: 'aborted',
      reason: 'closed for today',
      requests: [],
    })
    expect(await prompting).toMatchObject({ status: 'aborted', reason: 'closed for today' })
  })

  it('incomplete: the signal fired; requests stay open, the history is valid, and resume goes on', async () => {
    const pay = notingGated('pay')
    const { open, store } = scene([calls(['c1', 'pay']), 'Done.'], [pay])
    const stop = new AbortController()
    const { thread, channel } = open()
    const prompting = thread.prompt('go', { signal: stop.signal })
    await shownAs(channel, 'c1')
    stop.abort()
    const result = await prompting
    expect(result.status).toBe('incomplete')
    expect(result.requests.map(({ questionId }) => questionId)).toEqual(['c1'])
    assertValidHistory(result.messages, true)
    expect(channel.pending).toBeUndefined()
    expect(await requestsOf(store)).toEqual([['c1', 'open']])
    const resuming = thread.resume()
    await shownAs(channel, 'c1')
    await channel.answer('c1', { type: 'approve' })
    expect((await resuming).status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
  })

  it('a signal that is set already asks nobody anything, and resume goes on', async () => {
    const { open, model } = scene(['Done.'], [])
    const { thread } = open()
    expect((await thread.prompt('go', { signal: AbortSignal.abort() })).status).toBe('incomplete')
    expect(model.requests).toHaveLength(0)
    expect((await thread.resume()).status).toBe('completed')
  })

  it('resuming a finished thread gives its result again and asks nobody', async () => {
    const { open, model } = scene(['Done.'], [])
    const first = await open().thread.prompt('go')
    expect(await open().thread.resume()).toEqual(first)
    expect(model.requests).toHaveLength(1)
  })

  it('misuse is refused before anything is stored', async () => {
    const { agent, store, open } = scene(['Done.'], [])
    expect(() => agent.thread('no spaces', { store })).toThrow(ThreadIdInvalid)
    const { thread } = open()
    await refused(thread.prompt('go', { maxTurns: 0 }), InputInvalid, 'input_invalid')
    await refused(thread.prompt('go', { whilePaused: 'wait' as never }), InputInvalid, 'input_invalid')
    expect((await store.read('t')).version).toBe(0)
  })

  it('another agent may not go on with a thread', async () => {
    const { open, store } = scene([calls(['c1', 'pay']), 'Done.'], [notingGated('pay')])
    const { thread, channel } = open()
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    await thread.detach()
    await prompting
    const stranger = new Agent({ name: 'stranger', model: scriptedModel([]), tools: [] })
    await refused(stranger.thread('t', { store }).resume(), AgentMismatch, 'agent_mismatch')
    await refused(
      stranger.thread('t', { store }).prompt('x', { whilePaused: 'queue' }),
      AgentMismatch,
      'agent_mismatch',
    )
  })

  it('without a channel: what needs one says so, the rest works', async () => {
    const { agent, store } = scene([calls(['c1', 'pay']), 'Done.'], [notingGated('pay')])
    const thread = agent.thread('t', { store })
    expect(thread.channel).toBeUndefined()
    expect(() => thread.inFlightHitlRequest).toThrow(HitlChannelMissing)
    await refused(thread.detach(), HitlChannelMissing, 'channel_missing')
    expect((await thread.prompt('go')).status).toBe('suspended')
    expect((await thread.loadPendingHitlRequest())?.questionId).toBe('c1')
    expect((await thread.respond({ answer: { type: 'approve' } })).status).toBe('completed')
  })

  it('without a store a thread keeps a memory of its own', async () => {
    const { agent } = scene([calls(['c1', 'pay']), 'Done.'], [notingGated('pay')])
    const thread = agent.thread('t')
    await thread.prompt('go')
    expect(await thread.respond({ questionId: 'c1', answer: { type: 'approve' } })).toMatchObject({
      status: 'completed',
    })
  })
})

describe('one run at a time', () => {
  it('calls in one process are serialised', async () => {
    const free = latch()
    const { open, model } = scene([() => free.passed.then(() => 'One.'), 'Two.'], [])
    const { thread } = open()
    const first = thread.prompt('first')
    const second = thread.prompt('second')
    await until(() => model.requests.length === 1)
    await pause(20)
    expect(model.requests).toHaveLength(1)
    free.open()
    expect(await first).toMatchObject({ finalOutput: 'One.' })
    expect(await second).toMatchObject({ finalOutput: 'Two.' })
    expect(model.requests[1]?.messages.map(({ content }) => content)).toEqual(['first', 'One.', 'second'])
  })

  it('a failed call does not block the next one', async () => {
    const { open } = scene([new Error('once'), 'Two.'], [])
    const { thread } = open()
    const [first, second] = await Promise.all([thread.prompt('a'), thread.resume()])
    expect([first.status, second.status]).toEqual(['failed', 'completed'])
  })

  it('a second thread object is refused while the first drives, and stores nothing', async () => {
    const free = latch()
    const { open, store, model } = scene([() => free.passed.then(() => 'One.')], [])
    const driving = open().thread.prompt('first')
    await until(() => model.requests.length === 1)
    const { version } = await store.read('t')
    const other = open().thread
    const busy = await refused(other.prompt('second'), ThreadBusy, 'thread_busy')
    expect(busy.threadId).toBe('t')
    await refused(other.resume(), ThreadBusy, 'thread_busy')
    expect((await store.read('t')).version).toBe(version)
    free.open()
    expect((await driving).status).toBe('completed')
    expect(await other.resume()).toMatchObject({ status: 'completed', finalOutput: 'One.' })
  })

  it('of two cold prompts at once one is let in', async () => {
    const free = latch()
    const step = () => free.passed.then(() => 'Done.')
    const { open, store } = scene([step, step], [])
    const outcomes = Promise.allSettled([open().thread.prompt('a'), open().thread.prompt('b')])
    await pause(30)
    free.open()
    const settled = await outcomes
    expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const loser = settled.find((each) => each.status === 'rejected')
    expect(loser?.reason).toBeInstanceOf(ThreadBusy)
    const { entries } = await store.read('t')
    expect(entries.filter(({ body }) => body.includes('run.opened'))).toHaveLength(1)
  })

  it.each(channelKinds)(
    'a live wait holds no lease: another thread object is told what it waits for (%s)',
    async (kind) => {
      const { open, store } = scene([calls(['c1', 'pay']), 'Done.'], [notingGated('pay')])
      const { thread, channel } = open(kind)
      const prompting = thread.prompt('go')
      const { id } = await shownAs(channel, 'c1')
      expect((await store.read('t')).lease).toBeNull()
      const paused = await refused(open(kind).thread.prompt('more'), ThreadPaused, 'thread_paused')
      expect(paused.requestIds).toEqual([id])
      await channel.answer('c1', { type: 'approve' })
      expect((await prompting).status).toBe('completed')
    },
  )

  it('two thread objects that wait for the same answer both come to the one result, and the tool runs once', async () => {
    const pay = notingGated('pay')
    const { open } = scene([calls(['c1', 'pay']), 'Done.'], [pay])
    const [a, b] = [open(), open()]
    const first = a.thread.prompt('go')
    await shownAs(a.channel, 'c1')
    const second = b.thread.resume()
    await shownAs(b.channel, 'c1')
    await a.channel.answer('c1', { type: 'approve' })
    expect(await Promise.all([first, second])).toMatchObject([{ status: 'completed' }, { status: 'completed' }])
    expect(pay.runs).toHaveLength(1)
    expect([a.channel.pending, b.channel.pending]).toEqual([undefined, undefined])
  })

  it('an overtaken thread drives again when the other one leaves', async () => {
    const free = latch()
    const look = noting('look', () => free.passed)
    const { open } = scene(
      [calls(['c1', 'pay']), calls(['c2', 'look']), calls(['c3', 'pay']), 'Done.'],
      [notingGated('pay'), look],
    )
    const [a, b] = [open(), open()]
    const first = a.thread.prompt('go')
    await shownAs(a.channel, 'c1')
    const second = b.thread.resume()
    await shownAs(b.channel, 'c1')
    await b.channel.answer('c1', { type: 'approve' })
    await until(() => look.runs.length === 1)
    free.open()
    await Promise.all([shownAs(a.channel, 'c3'), shownAs(b.channel, 'c3')])
    await b.thread.detach()
    expect((await second).status).toBe('suspended')
    await shownAs(a.channel, 'c3')
    await a.channel.answer('c3', { type: 'approve' })
    expect(await first).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
    expect(look.runs).toHaveLength(1)
  })
})

describe('new input while people are waited for', () => {
  async function detached() {
    const pay = notingGated('pay')
    const made = scene([calls(['c1', 'pay']), 'Done.', 'More.'], [pay])
    const { thread, channel } = made.open()
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    await thread.detach()
    await prompting
    return { ...made, pay }
  }

  it('is refused, and nothing is stored', async () => {
    const { open, store } = await detached()
    const { version } = await store.read('t')
    await refused(open().thread.prompt('hello?'), ThreadPaused, 'thread_paused')
    expect((await store.read('t')).version).toBe(version)
  })

  it('queue: is read after the results', async () => {
    const { open, model, pay } = await detached()
    const { thread, channel } = open()
    const prompting = thread.prompt('and hurry', { whilePaused: 'queue' })
    await shownAs(channel, 'c1')
    await channel.answer('c1', { type: 'approve' })
    const result = await prompting
    expect(result.status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    assertValidHistory(result.messages)
  })

  it('supersede: closes the request, refuses the call, and goes on with the new input', async () => {
    const { open, store, pay, model } = await detached()
    const result = await open().thread.prompt('forget it', { whilePaused: 'supersede' })
    expect(result).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
    expect(await requestsOf(store)).toEqual([['c1', 'superseded']])
    expect(pay.runs).toEqual([])
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      ['c1', 'Not run: new input came in before this was decided.'],
    ])
    assertValidHistory(result.messages)
  })

  it.each(['queue', 'supersede'] as const)(
    '%s: joins a live wait of the same thread instead of waiting for its turn',
    async (whilePaused) => {
      const pay = notingGated('pay')
      const { open, model } = scene([calls(['c1', 'pay']), 'Done.'], [pay])
      const { thread, channel } = open()
      const first = thread.prompt('go')
      await shownAs(channel, 'c1')
      const second = thread.prompt('well', { whilePaused })
      if (whilePaused === 'queue') {
        await pause(20)
        expect(channel.pending?.questionId).toBe('c1')
        await channel.answer('c1', { type: 'approve' })
      }
      expect(await Promise.all([first, second])).toMatchObject([{ status: 'completed' }, { status: 'completed' }])
      expect(channel.pending).toBeUndefined()
      expect(pay.runs).toHaveLength(whilePaused === 'queue' ? 1 : 0)
      expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'user', content: 'well' })
      assertValidHistory((await first).messages)
    },
  )

  it('what the application asks by itself does not keep a prompt out', async () => {
    const { open } = scene(['Done.'], [])
    const { thread, channel } = open()
    const asked = channel.confirm('By the way?')
    await shown(channel)
    expect((await thread.prompt('go')).status).toBe('completed')
    await channel.answer(channel.pending!.questionId, true)
    expect(await asked).toBe(true)
  })

  it('a memory store that was never used has nothing pending', async () => {
    const { agent } = scene([], [])
    expect(await agent.thread('t', { store: memoryStore() }).loadPendingHitlRequest()).toBeUndefined()
  })
})
