import { describe, expect, it } from 'vitest'
import { type AgentEvent, openDesk, type Thread } from '../../src/index.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { collect, eventsOf, typesOf } from '../support/agents/thread-events.ts'
import { channelKinds, scene, shown, shownAs } from '../support/agents/thread-scene.ts'
import { pause, until } from '../support/until.ts'
import { warningsDuring } from '../support/warnings.ts'

const ANN = { kind: 'person', id: 'ann' } as const

function assertSequence(events: readonly AgentEvent[]): void {
  events.forEach((event, at) => {
    expect(Number.isInteger(event.seq) && typeof event.replayed === 'boolean').toBe(true)
    if (at > 0) expect(event.seq).toBeGreaterThan(events[at - 1]!.seq)
  })
}

describe('the order of events', () => {
  it('of a live approve', async () => {
    const { open } = scene([calls(['c1', 'pay', { n: 1 }]), 'Done.'], [notingGated('pay')])
    const { thread, channel, events } = open()
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    await channel.answer('c1', { type: 'approve' })
    const { runId } = await prompting
    expect(typesOf(events)).toEqual([
      'agent_start',
      'turn_start',
      'message',
      'hitl_request',
      'hitl_answer',
      'tool_start',
      'tool_end',
      'turn_end',
      'turn_start',
      'message',
      'turn_end',
      'agent_end',
    ])
    assertSequence(events)
    expect(events.every(({ replayed }) => !replayed)).toBe(true)
    expect(eventsOf(events, 'agent_start')).toMatchObject([{ runId, input: [{ role: 'user', content: 'go' }] }])
    expect(eventsOf(events, 'turn_start').map(({ turn }) => turn)).toEqual([1, 2])
    expect(eventsOf(events, 'turn_end').map(({ turn }) => turn)).toEqual([1, 2])
    expect(eventsOf(events, 'tool_start')).toMatchObject([
      { toolCallId: 'c1', toolName: 'pay', args: { n: 1 }, attempt: 1 },
    ])
    expect(eventsOf(events, 'tool_end')).toMatchObject([{ toolCallId: 'c1', result: { content: 'pay done' } }])
    expect(eventsOf(events, 'hitl_answer')).toMatchObject([
      { questionId: 'c1', answer: { type: 'approve' }, cancelled: false, timedOut: false },
    ])
    expect(eventsOf(events, 'agent_end')).toMatchObject([{ runId, status: 'completed' }])
  })

  it('a call that is refused has an end that says so, and never a start', async () => {
    const { open } = scene([calls(['c1', 'pay'], ['c2', 'nowhere']), 'Done.'], [notingGated('pay')])
    const { thread, channel, events } = open()
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    await channel.answer('c1', { type: 'reject' })
    await prompting
    expect(eventsOf(events, 'tool_start')).toEqual([])
    expect(eventsOf(events, 'tool_end').map(({ toolCallId, refused }) => [toolCallId, refused])).toEqual([
      ['c2', 'invalid'],
      ['c1', 'rejected'],
    ])
  })

  it('an edited call starts with what runs', async () => {
    const { open } = scene([calls(['c1', 'pay', { n: 1 }]), 'Done.'], [notingGated('pay')])
    const { thread, channel, events } = open()
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    await channel.answer('c1', { type: 'edit', args: { n: 2 } })
    await prompting
    expect(eventsOf(events, 'tool_start')).toMatchObject([{ args: { n: 2 } }])
  })

  it('each started call of a batch has exactly one start and one end', async () => {
    const tools = [noting('a'), noting('b', () => Promise.reject(new Error('broken'))), notingGated('c')]
    const { open } = scene([calls(['1', 'a'], ['2', 'b'], ['3', 'c'], ['4', 'a']), 'Done.'], tools)
    const { thread, channel, events } = open()
    const prompting = thread.prompt('go')
    await shownAs(channel, '3')
    expect(typesOf(events)).not.toContain('tool_start')
    await channel.answer('3', { type: 'approve' })
    await prompting
    const ids = (type: 'tool_start' | 'tool_end') =>
      eventsOf(events, type)
        .map(({ toolCallId }) => toolCallId)
        .sort()
    expect(ids('tool_start')).toEqual(['1', '2', '3', '4'])
    expect(ids('tool_end')).toEqual(['1', '2', '3', '4'])
  })

  it('over detach and respond: nothing after agent_suspended here, only what is new there', async () => {
    const { open } = scene([calls(['c1', 'pay']), 'Done.'], [notingGated('pay')])
    const here = open()
    const prompting = here.thread.prompt('go')
    await shownAs(here.channel, 'c1')
    await here.thread.detach()
    await prompting
    const there = open()
    await there.thread.respond({ answer: { type: 'approve' }, unbound: true })
    await pause(10)
    expect(typesOf(here.events).at(-1)).toBe('agent_suspended')
    expect(typesOf(there.events)).toEqual([
      'hitl_request',
      'hitl_answer',
      'tool_start',
      'tool_end',
      'turn_end',
      'turn_start',
      'message',
      'turn_end',
      'agent_end',
    ])
    expect(there.events.map(({ replayed }) => replayed)).toEqual([true, ...Array(8).fill(false)])
    assertSequence(there.events)
  })
})

describe.each(channelKinds)('exactly one terminal event for each request (%s channel)', (kind) => {
  type End = (thread: Thread, questionId: string, id: string) => Promise<unknown>
  const ends: [string, End, { cancelled: boolean; timedOut: boolean }][] = [
    [
      'answered on the channel',
      (thread, id) => thread.channel!.answer(id, { type: 'approve' }),
      { cancelled: false, timedOut: false },
    ],
    [
      'answered by respond',
      (thread, questionId) => thread.respond({ questionId, answer: { type: 'reject' } }),
      { cancelled: false, timedOut: false },
    ],
    ['cancelled', (thread, id) => thread.channel!.cancel(id), { cancelled: true, timedOut: false }],
    ['aborted', (thread) => thread.abortPending(), { cancelled: true, timedOut: false }],
    [
      'superseded',
      (thread) => thread.prompt('other', { whilePaused: 'supersede' }),
      { cancelled: true, timedOut: false },
    ],
  ]
  it.each(ends)('a gate that is %s', async (_, end, flags) => {
    const { open } = scene([calls(['c1', 'pay']), 'Done.'], [notingGated('pay')])
    const { thread, channel, events } = open(kind)
    const prompting = thread.prompt('go')
    const { id } = await shownAs(channel, 'c1')
    await end(thread, 'c1', id)
    await prompting
    await pause(10)
    expect(eventsOf(events, 'hitl_request')).toHaveLength(1)
    expect(eventsOf(events, 'hitl_answer')).toMatchObject([{ questionId: 'c1', ...flags }])
    assertSequence(events)
  })

  it('a gate that is decided at a desk elsewhere', async () => {
    const { open, store } = scene([calls(['c1', 'pay']), 'Done.'], [notingGated('pay')])
    const { thread, channel, events } = open(kind)
    const prompting = thread.prompt('go')
    const { id } = await shownAs(channel, 'c1')
    await openDesk({ store }).decide({ request: id, decision: { type: 'approve' }, by: ANN })
    await prompting
    expect(eventsOf(events, 'hitl_answer')).toMatchObject([{ questionId: 'c1', answer: { type: 'approve' } }])
  })

  it('a gate, a body’s question and a verb whose time is over', async () => {
    const ask = noting('ask', (_, ctx) => ctx.confirm('Sure?'), { resumable: true })
    const { open } = scene([calls(['c1', 'pay'], ['c2', 'ask']), 'Done.'], [notingGated('pay'), ask])
    const { thread, channel, events } = open(kind, { defaultTimeoutSeconds: 0.03 })
    await thread.prompt('go')
    await channel.confirm('And you?').catch(() => undefined)
    await pause(10)
    expect(eventsOf(events, 'hitl_request')).toHaveLength(3)
    expect(eventsOf(events, 'hitl_answer').map(({ timedOut, cancelled }) => [timedOut, cancelled])).toEqual(
      Array(3).fill([true, false]),
    )
  })

  it('what the application asks before the thread is used, and answers while it runs', async () => {
    const { open } = scene(['Done.', 'Again.'], [])
    const { thread, channel, events } = open(kind)
    const asked = channel.confirm('By the way?')
    const { questionId } = await shown(channel)
    const late = collect(thread)
    await thread.prompt('go')
    await channel.answer(questionId, true)
    await asked
    await thread.prompt('more')
    for (const seen of [events, late]) {
      expect(eventsOf(seen, 'hitl_request').map(({ request }) => request.questionId)).toEqual([questionId])
      expect(eventsOf(seen, 'hitl_answer')).toMatchObject([{ questionId, answer: true }])
    }
    expect(eventsOf(late, 'hitl_request')[0]?.replayed).toBe(true)
  })

  it('a body’s question is replayed to who comes late, and ended once', async () => {
    const ask = noting('ask', (_, ctx) => ctx.confirm('Sure?'), { resumable: true })
    const { open } = scene([calls(['c1', 'ask']), 'Done.'], [ask])
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    const { questionId } = await shown(channel)
    const late = collect(thread)
    await channel.answer(questionId, true)
    await prompting
    expect(eventsOf(late, 'hitl_request')).toMatchObject([{ replayed: true, request: { questionId } }])
    expect(eventsOf(late, 'hitl_answer')).toMatchObject([{ questionId, answer: true, replayed: false }])
  })
})

describe('listeners', () => {
  it('that throw, reject or change what they were told harm nobody', async () => {
    const { open } = scene([calls(['c1', 'pay', { n: 1 }]), 'Done.'], [notingGated('pay')])
    const { thread, channel } = open()
    thread.subscribe(() => {
      throw new Error('listener')
    })
    thread.subscribe(() => Promise.reject(new Error('listener')))
    thread.subscribe((event) => {
      if (event.type === 'hitl_request') event.request.args = { n: 1000 }
      if (event.type === 'message') event.message.content = 'forged'
    })
    const events = collect(thread)
    const warnings = await warningsDuring(async () => {
      const prompting = thread.prompt('go')
      await shownAs(channel, 'c1')
      await channel.answer('c1', { type: 'approve' })
      const result = await prompting
      expect(result.status).toBe('completed')
      expect(result.messages.at(-1)?.content).toBe('Done.')
      expect(eventsOf(events, 'hitl_request')[0]?.request.args).toEqual({ n: 1 })
    })
    expect(new Set(warnings.map(({ code }) => code))).toEqual(new Set(['holdpoint_listener_failed']))
  })

  it('hear nothing after they stopped, also when they stop while being told', async () => {
    const { open } = scene(['Done.', 'More.'], [])
    const { thread } = open()
    const heard: string[] = []
    const stop = thread.subscribe((event) => {
      heard.push(event.type)
      if (event.type === 'turn_start') stop()
    })
    await thread.prompt('go')
    await thread.prompt('more')
    expect(heard).toEqual(['agent_start', 'turn_start'])
  })

  it('that come late are told what waits now, marked as replayed, in order', async () => {
    const { open } = scene([calls(['c1', 'pay'], ['c2', 'pay']), 'Done.'], [notingGated('pay')])
    const { thread, channel } = open()
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    const late = collect(thread)
    expect(eventsOf(late, 'hitl_request').map(({ request, replayed }) => [request.questionId, replayed])).toEqual([
      ['c1', true],
      ['c2', true],
    ])
    await thread.respond({ decisions: [{ type: 'approve' }, { type: 'approve' }], unbound: true })
    await prompting
    expect(eventsOf(late, 'hitl_answer')).toHaveLength(2)
    assertSequence(late)
  })

  it('of a fresh process that listened before it looked are told what waits', async () => {
    const { open } = scene([calls(['c1', 'pay']), 'Done.'], [notingGated('pay')])
    const first = open()
    const prompting = first.thread.prompt('go')
    await shownAs(first.channel, 'c1')
    await first.thread.detach()
    await prompting
    const { thread, events } = open()
    expect(events).toEqual([])
    await thread.loadPendingHitlRequest()
    expect(events).toMatchObject([{ type: 'hitl_request', replayed: true, request: { questionId: 'c1' } }])
  })

  it.each(channelKinds)('of two threads on one channel hear their own thread only (%s)', async (kind) => {
    const ask = noting('ask', (_, ctx) => ctx.confirm('Sure?'), { resumable: true })
    const { agent, store, open } = scene([calls(['c1', 'ask']), 'Done.'], [ask])
    const { thread, channel, events } = open(kind)
    const other = agent.thread('other', { store, channel })
    const foreign = collect(other)
    const prompting = thread.prompt('go')
    await channel.answer((await shown(channel)).questionId, true)
    await prompting
    expect(eventsOf(events, 'hitl_request')).toHaveLength(1)
    expect(foreign).toEqual([])
    await until(() => channel.pending === undefined)
  })
})
