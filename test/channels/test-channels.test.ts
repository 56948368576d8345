import { describe, expect, it } from 'vitest'
import { askUser, HitlError, HitlStaleAnswer, InMemoryChannel } from '../../src/index.ts'
import { AnswerInvalid, DecisionInvalid } from '../../src/protocol/errors/errors.ts'
import { NoopChannel, ScriptedChannel } from '../../src/testing.ts'
import { failedWith, refused } from '../support/agents/failures.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { scene } from '../support/agents/thread-scene.ts'

describe('ScriptedChannel', () => {
  it('answers verbs from its script: values and functions of the request, remembering what it was asked', async () => {
    const channel = new ScriptedChannel({
      answers: [
        { type: 'approve' },
        { colour: 'red' },
        (request: { args?: { n?: number } }) => ({ type: 'reject', message: `not ${request.args?.n}` }),
        true,
      ],
    })
    expect(await channel.approve({ toolName: 'pay', toolCallId: 'c1', args: {} })).toEqual({ type: 'approve' })
    expect(await channel.ask([{ key: 'colour', prompt: 'Colour?' }])).toEqual({ colour: 'red' })
    expect(await channel.approve({ toolName: 'pay', toolCallId: 'c2', args: { n: 7 } })).toEqual({
      type: 'reject',
      message: 'not 7',
    })
    expect(await channel.confirm('Sure?', { details: { a: 1 } })).toBe(true)
    expect(channel.history).toMatchObject([
      { kind: 'approve', questionId: 'c1' },
      { kind: 'ask', questions: [{ key: 'colour' }] },
      { kind: 'approve', args: { n: 7 } },
      { kind: 'confirm', prompt: 'Sure?', details: { a: 1 } },
    ])
    expect(channel.pending).toBeUndefined()
    await refused(channel.answer('c1'), HitlStaleAnswer, 'stale_answer')
    await refused(channel.cancel('c1'), HitlStaleAnswer, 'stale_answer')
  })

  it('history is a copy', async () => {
    const channel = new ScriptedChannel({ answers: [true] })
    await channel.confirm('Sure?')
    ;(channel.history[0] as { prompt?: string }).prompt = 'changed'
    expect(channel.history[0]?.prompt).toBe('Sure?')
  })

  it('a used-up script throws, and records the question that it could not answer', async () => {
    const channel = new ScriptedChannel({ answers: [] })
    await refused(channel.confirm('Sure?'), HitlError, 'script_exhausted')
    expect(channel.history).toHaveLength(1)
  })

  it('its answers are checked like a person’s', async () => {
    await refused(new ScriptedChannel({ answers: ['yes'] }).confirm('Sure?'), AnswerInvalid, 'answer_invalid')
    const wrong = new ScriptedChannel({ answers: [{ b: 'x' }] })
    await refused(wrong.ask([{ key: 'a', prompt: 'A?' }]), AnswerInvalid, 'answer_invalid')
    const call = { toolName: 'pay', toolCallId: 'c1', args: {} }
    await refused(new ScriptedChannel({ answers: [true] }).approve(call), DecisionInvalid, 'decision_invalid')
  })

  it('plays the person of a whole thread: gates, edits, waits inside bodies, forms', async () => {
    const pay = notingGated('pay')
    const ask = noting('ask', (_, ctx) => ctx.confirm('Sure?'))
    const form = { questions: [{ key: 'a', prompt: 'A?' }] }
    const channel = new ScriptedChannel({
      answers: [
        { type: 'approve' },
        { type: 'edit', args: { n: 20 } },
        { type: 'reject', message: 'no' },
        false,
        { a: 'b' },
      ],
    })
    const { agent, store } = scene(
      [
        calls(['c1', 'pay', { n: 1 }], ['c2', 'pay', { n: 2 }], ['c3', 'pay', { n: 3 }]),
        calls(['c4', 'ask']),
        calls(['c5', 'ask_user', form]),
        'Done.',
      ],
      [pay, ask, askUser()],
    )
    const result = await agent.thread('t', { store, channel }).prompt('go')
    expect(result.status).toBe('completed')
    expect(pay.runs).toEqual([{ n: 1 }, { n: 20 }])
    expect(resultsIn(result.messages).slice(2)).toEqual([
      ['c3', 'no'],
      ['c4', 'false'],
      ['c5', '{"a":"b"}'],
    ])
    expect(channel.history.map(({ kind, toolCallId }) => [kind, toolCallId])).toEqual([
      ['approve', 'c1'],
      ['approve', 'c2'],
      ['approve', 'c3'],
      ['confirm', 'c4'],
      ['ask', 'c5'],
    ])
  })

  it('used up at a gate or in a body: the run fails with that error, never like success', async () => {
    for (const tool of [notingGated('act'), noting('act', (_, ctx) => ctx.confirm('Sure?'))]) {
      const { agent, store, model } = scene([calls(['c1', 'act']), 'Done.'], [tool])
      const channel = new ScriptedChannel({ answers: [] })
      failedWith(await agent.thread('t', { store, channel }).prompt('go'), HitlError, 'script_exhausted')
      expect(model.requests).toHaveLength(1)
    }
  })

  it('an answer that does not fit fails the run with that error', async () => {
    const { agent, store } = scene([calls(['c1', 'pay']), 'Done.'], [notingGated('pay')])
    const channel = new ScriptedChannel({ answers: ['sure'] })
    failedWith(await agent.thread('t', { store, channel }).prompt('go'), DecisionInvalid, 'decision_invalid')
  })
})

describe('NoopChannel', () => {
  it('says yes to everything, without checks', async () => {
    const channel = new NoopChannel()
    expect(await channel.approve({ toolName: 'bash', toolCallId: 'c', args: {} })).toEqual({ type: 'approve' })
    expect(await channel.confirm('?')).toBe(true)
    const choice = { key: 'k', prompt: 'p', options: [{ label: 'A', value: 'a' }] }
    expect(await channel.ask([choice, { key: 'l', prompt: 'q' }])).toEqual({ k: '', l: '' })
  })

  it('lets a whole thread through', async () => {
    const pay = notingGated('pay')
    const form = { questions: [{ key: 'a', prompt: 'A?', options: [{ label: 'X', value: 'x' }] }] }
    const { agent, store } = scene([calls(['c1', 'pay'], ['c2', 'ask_user', form]), 'Done.'], [pay, askUser()])
    const result = await agent.thread('t', { store, channel: new NoopChannel() }).prompt('go')
    expect(result.status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
    expect(resultsIn(result.messages)[1]).toEqual(['c2', '{"a":""}'])
  })
})

it('a thread takes any channel that keeps to the port', async () => {
  const sound = new InMemoryChannel()
  const own = new Proxy(sound, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const { agent, store } = scene([calls(['c1', 'pay']), 'Done.'], [notingGated('pay')])
  const thread = agent.thread('t', { store, channel: own })
  own.subscribe(({ questionId }) => void own.answer(questionId, { type: 'approve' }))
  expect((await thread.prompt('go')).status).toBe('completed')
  expect(thread.channel).toBe(own)
})
