import { describe, expect, it, test } from 'vitest'
import { Agent, openDesk, type Store } from '../../src/index.ts'
import { QuestionAmbiguous } from '../../src/protocol/errors/errors.ts'
import { type ScriptStep, scriptedModel } from '../../src/testing.ts'
import { refused } from '../support/agents/failures.ts'
import { type NotingTool, noting, notingGated } from '../support/agents/noting-tools.ts'
import { assertValidHistory, resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { collect, eventsOf } from '../support/agents/thread-events.ts'
import { channelKinds, scene, shown } from '../support/agents/thread-scene.ts'
import { latch } from '../support/latch.ts'
import { entriesOf } from '../support/stores/entries.ts'
import { requestsOf } from '../support/stores/requests.ts'
import { withStore } from '../support/stores/with-store.ts'
import { pause, until } from '../support/until.ts'

const yes = { type: 'approve' }

/** An agent as a tool, which calls one tool and says that it is done. */
function helper(name: string, tool: NotingTool, options: { callId?: string; script?: readonly ScriptStep[] } = {}) {
  const script = options.script ?? [calls([options.callId ?? `${name}-call`, tool.name]), `${name} done`]
  return new Agent({ name, model: scriptedModel(script), tools: [tool] }).asTool()
}

/** A clerk who sends both helpers off at once. */
function pair(tools: { north: NotingTool; south: NotingTool }, options: { callId?: string; store?: Store } = {}) {
  const { store, ...rest } = options
  const helpers = [helper('north', tools.north, rest), helper('south', tools.south, rest)]
  const script = [calls(['n', 'north', { input: 'go' }], ['s', 'south', { input: 'go' }]), 'both are back']
  return scene(script, helpers, store ? { store } : {})
}

describe.each(channelKinds)('approvals of nested agents on a %s channel', (kind) => {
  it('appear in call order and are answered there', async () => {
    const tools = { north: notingGated('visit_north'), south: notingGated('visit_south') }
    const { thread, channel } = pair(tools).open(kind)
    const result = thread.prompt('go')
    const first = await shown(channel)
    expect(first).toMatchObject({ toolName: 'visit_north', agent: 'north', path: ['clerk', 'north'] })
    await channel.answer(first.questionId, yes)
    const second = await shown(channel, ({ id }) => id !== first.id)
    expect(second).toMatchObject({ toolName: 'visit_south', agent: 'south', path: ['clerk', 'south'] })
    await channel.answer(second.questionId, yes)
    expect(await result).toMatchObject({ status: 'completed', finalOutput: 'both are back' })
    expect([tools.north.runs.length, tools.south.runs.length]).toEqual([1, 1])
  })

  it('are asked on both levels: the agent itself, then what it calls', async () => {
    const visit = notingGated('visit')
    const north = new Agent({
      name: 'north',
      model: scriptedModel([calls(['v', 'visit']), 'north done']),
      tools: [visit],
    })
    const { open } = scene([calls(['n', 'north', { input: 'go' }]), 'back'], [north.asTool({ needsApproval: true })])
    const { thread, channel } = open(kind)
    const result = thread.prompt('go')
    const outer = await shown(channel)
    expect(outer.toolName).toBe('north')
    await channel.answer(outer.id, yes)
    const inner = await shown(channel, ({ id }) => id !== outer.id)
    expect(inner.toolName).toBe('visit')
    await channel.answer(inner.id, { type: 'reject', message: 'not there' })
    expect(await result).toMatchObject({ finalOutput: 'back' })
    expect(visit.runs).toHaveLength(0)
  })

  it('that share a call id are told apart by request id; the shared one is refused with both', async () => {
    const tools = { north: notingGated('visit_north'), south: notingGated('visit_south') }
    const { thread, channel } = pair(tools, { callId: 'same' }).open(kind)
    const result = thread.prompt('go')
    const first = await shown(channel)
    await until(() => eventsOf(collect(thread), 'hitl_request').length === 2)
    const error = await refused(
      thread.respond({ questionId: 'same', answer: yes }),
      QuestionAmbiguous,
      'question_ambiguous',
    )
    expect(error.message).toContain(first.id)
    // Whoever names no question means the one that is shown.
    const responded = thread.respond({ answer: yes })
    const second = await shown(channel, ({ id }) => id !== first.id)
    expect(second.toolName).toBe('visit_south')
    await Promise.all([thread.respond({ questionId: second.id, answer: yes }), responded])
    expect(await result).toMatchObject({ finalOutput: 'both are back' })
  })

  it('are left by a detach, and answered later elsewhere', async () => {
    const tools = { north: notingGated('visit_north'), south: notingGated('visit_south') }
    const made = pair(tools)
    const { thread, channel } = made.open(kind)
    const result = thread.prompt('go')
    await shown(channel)
    await until(() => eventsOf(collect(thread), 'hitl_request').length === 2)
    await thread.detach()
    expect(await result).toMatchObject({
      status: 'suspended',
      requests: [{ toolName: 'visit_north' }, { toolName: 'visit_south' }],
    })
    const desk = openDesk({ store: made.store })
    const { requests } = await desk.list({ status: 'open' })
    expect(requests.map(({ agent }) => agent).sort()).toEqual(['north', 'south'])
    for (const request of requests) await desk.decide({ request, decision: yes, by: { kind: 'person', id: 'ann' } })
    const later = made.open(kind)
    expect(await later.thread.resume()).toMatchObject({ status: 'completed', finalOutput: 'both are back' })
    expect([tools.north.runs.length, tools.south.runs.length]).toEqual([1, 1])
  })

  it('are all refused by abortPending, innermost first, and the history is whole', async () => {
    const tools = { north: notingGated('visit_north'), south: notingGated('visit_south') }
    const made = pair(tools)
    const { thread, channel } = made.open(kind)
    const result = thread.prompt('go')
    await shown(channel)
    const aborted = await thread.abortPending({ reason: 'storm' })
    expect(aborted.status).toBe('aborted')
    expect((await result).status).toBe('aborted')
    assertValidHistory(aborted.messages)
    expect(resultsIn(aborted.messages).map(([id]) => id)).toEqual(['n', 's'])
    expect((await made.store.findRequests({ status: 'open' })).requests).toEqual([])
    expect([tools.north.runs.length, tools.south.runs.length]).toEqual([0, 0])
  })
})

describe('waiting inside the tools of nested agents', () => {
  const asking = (name: string) =>
    noting(name, async (_, ctx) => ((await ctx.confirm(`May I ${name}?`)) ? `${name} done` : 'I may not'), {
      resumable: true,
    })

  it.each(channelKinds)('confirm is shown with who asks, on a %s channel', async (kind) => {
    const tools = { north: asking('climb'), south: asking('dive') }
    const made = pair(tools)
    const { thread, channel } = made.open(kind)
    const result = thread.prompt('go')
    const first = await shown(channel)
    expect(first).toMatchObject({ kind: 'confirm', agent: 'north', path: ['clerk', 'north'], toolName: 'climb' })
    await channel.answer(first.id, true)
    const second = await shown(channel, ({ id }) => id !== first.id)
    expect(second).toMatchObject({ agent: 'south', prompt: 'May I dive?' })
    await channel.answer(second.id, false)
    expect(await result).toMatchObject({ finalOutput: 'both are back' })
  })

  it.each(['memory', 'sqlite'] as const)(
    'ask is left by a detach, answered elsewhere, and the body goes on (%s)',
    async (kind) => {
      await withStore(kind, async (store) => {
        const form = noting(
          'book',
          async (_, ctx) => `booked ${Object.values(await ctx.ask([{ key: 'where', prompt: 'Where to?' }]))[0]}`,
          { resumable: true },
        )
        const south = notingGated('visit_south')
        const made = pair({ north: form, south }, { store })
        const { thread } = made.open('durable')
        const result = thread.prompt('go')
        await until(() => eventsOf(collect(thread), 'hitl_request').length === 2)
        await thread.detach()
        expect((await result).status).toBe('suspended')
        const later = made.open('durable')
        const resumed = later.thread.resume()
        const asked = await shown(later.channel, ({ kind }) => kind === 'ask')
        await later.channel.answer(asked.id, { where: 'Rome' })
        const gatedCall = await shown(later.channel, ({ kind }) => kind === 'approve')
        await later.channel.answer(gatedCall.id, yes)
        expect(await resumed).toMatchObject({ status: 'completed', finalOutput: 'both are back' })
        // Entered again after the detach, with the answer; what it asked first was asked once.
        expect(form.runs).toHaveLength(2)
        const ends = (await entriesOf(store, 't')).flatMap((entry) =>
          entry.type === 'call.finished' ? [entry.result.content] : [],
        )
        expect(ends).toContain('booked Rome')
        expect(await requestsOf(store)).toHaveLength(2)
      })
    },
  )

  it('a confirm that nobody answers in time ends its call; the nested agent and its caller go on', async () => {
    const climb = noting('climb', async (_, ctx) => String(await ctx.confirm('May I?', { timeoutSeconds: 0.02 })), {
      resumable: true,
    })
    const { model, open } = scene([calls(['n', 'north', { input: 'go' }]), 'back'], [helper('north', climb)])
    const { thread, events } = open('durable')
    expect(await thread.prompt('go')).toMatchObject({ status: 'completed', finalOutput: 'back' })
    expect(resultsIn(model.requests[1]?.messages)).toEqual([['n', 'north done']])
    expect(eventsOf(events, 'hitl_answer')).toMatchObject([{ timedOut: true }])
  })

  it('an approval that nobody gives in time is a refusal to the nested agent alone', async () => {
    const visit = notingGated('visit')
    const { model, open } = scene([calls(['n', 'north', { input: 'go' }]), 'back'], [helper('north', visit)])
    const { thread } = open('durable', { defaultTimeoutSeconds: 0.02 })
    expect(await thread.prompt('go')).toMatchObject({ status: 'completed', finalOutput: 'back' })
    expect(resultsIn(model.requests[1]?.messages)).toEqual([['n', 'north done']])
    expect(visit.runs).toHaveLength(0)
  })
})

describe('events of nested runs', () => {
  test('say which tools ran, inside and outside, and each request once', async () => {
    const visit = notingGated('visit')
    const { open } = scene([calls(['n', 'north', { input: 'go' }]), 'back'], [helper('north', visit)])
    const { thread, channel, events } = open('durable')
    const result = thread.prompt('go')
    const asked = await shown(channel)
    await channel.answer(asked.id, yes)
    await result
    expect(eventsOf(events, 'tool_start').map(({ toolCallId, toolName }) => [toolCallId, toolName])).toEqual([
      ['n', 'north'],
      ['north-call', 'visit'],
    ])
    expect(eventsOf(events, 'tool_end').map(({ toolCallId, toolName }) => [toolCallId, toolName])).toEqual([
      ['north-call', 'visit'],
      ['n', 'north'],
    ])
    expect(eventsOf(events, 'hitl_request').map(({ request }) => request.path)).toEqual([['clerk', 'north']])
    expect(eventsOf(events, 'hitl_answer')).toHaveLength(1)
    expect(eventsOf(events, 'agent_end')).toHaveLength(1)
  })

  test('that come in the middle are told to a fresh thread', async () => {
    const made = pair({ north: notingGated('visit_north'), south: notingGated('visit_south') })
    const first = made.open('durable')
    const result = first.thread.prompt('go')
    await shown(first.channel)
    await until(() => eventsOf(collect(first.thread), 'hitl_request').length === 2)
    await first.thread.detach()
    await result
    const later = made.open('durable')
    const resumed = later.thread.resume()
    await until(() => eventsOf(later.events, 'hitl_request').length === 2)
    expect(eventsOf(later.events, 'hitl_request').map(({ request, replayed }) => [request.agent, replayed])).toEqual([
      ['north', true],
      ['south', true],
    ])
    for (const { request } of eventsOf(later.events, 'hitl_request')) await later.channel.answer(request.id, yes)
    await resumed
    expect(
      eventsOf(later.events, 'tool_end')
        .map(({ toolCallId }) => toolCallId)
        .sort(),
    ).toEqual(['n', 'north-call', 's', 'south-call'])
  })
})

test('a thread is left while a nested model thinks: it says its word, and nothing is lost', async () => {
  const thinking = latch()
  const asked = latch()
  const visit = notingGated('visit_north')
  const slow = noting('look')
  const script: ScriptStep[] = [
    async () => {
      asked.open()
      await thinking.passed
      return { toolCalls: [{ id: 'l', name: 'look', args: {} }] }
    },
    'south done',
  ]
  const made = scene(
    [calls(['n', 'north', { input: 'go' }], ['s', 'south', { input: 'go' }]), 'both are back'],
    [helper('north', visit), helper('south', slow, { script })],
  )
  const { thread, channel } = made.open('durable')
  const result = thread.prompt('go')
  await shown(channel)
  await asked.passed
  const left = thread.detach()
  await pause(5)
  thinking.open()
  await left
  expect((await result).status).toBe('suspended')
  const later = made.open('durable')
  const resumed = later.thread.resume()
  const request = await shown(later.channel)
  await later.channel.answer(request.id, yes)
  expect(await resumed).toMatchObject({ finalOutput: 'both are back' })
  expect([visit.runs.length, slow.runs.length]).toEqual([1, 1])
})

test("input that is queued while nested approvals are shown reaches the root's model, not theirs", async () => {
  const made = pair({ north: notingGated('visit_north'), south: notingGated('visit_south') })
  const { thread, channel } = made.open('durable')
  const result = thread.prompt('go')
  const first = await shown(channel)
  const queued = thread.prompt('and hurry', { whilePaused: 'queue' })
  await channel.answer(first.id, yes)
  const second = await shown(channel, ({ id }) => id !== first.id)
  await channel.answer(second.id, yes)
  expect(await result).toMatchObject({ status: 'completed', finalOutput: 'both are back' })
  expect(await queued).toMatchObject({ status: 'completed' })
  expect(made.model.requests[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'and hurry' })
})
