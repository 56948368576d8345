import { describe, expect, it } from 'vitest'
import {
  Agent,
  type Channel,
  type HitlRequest,
  memoryStore,
  memoryStreams,
  type Store,
  StreamChannel,
  type Thread,
  type Tool,
} from '../../src/index.ts'
import { ScriptedChannel, scriptedModel } from '../../src/testing.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { newChannel, scene, shownAs } from '../support/agents/thread-scene.ts'
import { pause } from '../support/until.ts'

const STREAM = '0190d5b4-8f3a-7cc2-9a53-0b6f7f1f4a01'
const yes = { type: 'approve' } as const
const kinds = ['memory', 'durable', 'stream', 'stored stream'] as const

function channelOf(kind: (typeof kinds)[number], store: Store): Channel {
  if (kind === 'memory' || kind === 'durable')
    return newChannel(kind, { store, threadId: 't', allowInsideCustomTool: true })
  const stored = kind === 'stored stream' ? { store, threadId: 't', allowInsideCustomTool: true } : {}
  return new StreamChannel({ streams: memoryStreams(), session: STREAM, keepOpen: { owner: 'ann' }, ...stored })
}

const ANSWERS: Record<HitlRequest['kind'], unknown> = { approve: yes, confirm: true, ask: { name: 'Ann' } }

const moments = {
  'at once': (answer: () => Promise<void>) => answer(),
  'a tick later': async (answer: () => Promise<void>) => {
    await Promise.resolve()
    await answer()
  },
  'after other work': async (answer: () => Promise<void>) => {
    await pause(2)
    await answer()
  },
}

/** An agent as a tool, whose one call has the same id as that of any other such agent. */
function nested(name: string, inner: Tool): Tool {
  const model = scriptedModel([calls(['c1', inner.name]), `${name} done`])
  return new Agent({ name, model, tools: [inner] }).asTool({ name, description: name })
}

/** Answers whatever a thread tells, from inside the listener. */
function answerAll(thread: Thread, channel: Channel, moment: (typeof moments)[keyof typeof moments]) {
  const seen: { inFlight: boolean; questionId: string }[] = []
  const answered: Promise<void>[] = []
  thread.subscribe((event) => {
    if (event.type !== 'hitl_request') return
    const { id, kind, questionId } = event.request
    seen.push({ inFlight: thread.inFlightHitlRequest !== undefined, questionId })
    const answering = moment(() => channel.answer(id, ANSWERS[kind]))
    answered.push(answering)
    return answering
  })
  return { seen, answered }
}

describe.each(kinds)('a question is on the channel before its hitl_request is emitted (%s channel)', (kind) => {
  it.each(Object.entries(moments))(
    'so a listener can answer it %s: gates, confirm, ask and hold',
    async (_, moment) => {
      const pay = notingGated('pay')
      const wait = noting('wait', async (_args, ctx) => {
        const sure = await ctx.confirm('Sure?')
        const { name } = await ctx.ask([{ key: 'name', prompt: 'Name?' }])
        const { type } = await ctx.hold({ description: 'Really?' })
        return `${sure} ${name as string} ${type}`
      })
      const { agent, store } = scene([calls(['c1', 'pay'], ['c2', 'pay'], ['c3', 'wait']), 'Done.'], [pay, wait])
      const channel = channelOf(kind, store)
      const thread = agent.thread('t', { store, channel })
      const { seen, answered } = answerAll(thread, channel, moment)
      const result = await thread.prompt('go')
      await Promise.all(answered)
      expect(result.status).toBe('completed')
      expect(resultsIn(result.messages).at(-1)).toEqual(['c3', 'true Ann approve'])
      expect(pay.runs).toHaveLength(2)
      expect(seen.every(({ inFlight }) => inFlight)).toBe(true)
      expect(seen).toHaveLength(5)
      expect(channel.pending).toBeUndefined()
    },
  )
})

describe.each(['memory', 'durable'] as const)('%s channel', (kind) => {
  it('questions of nested agents are answered inside of listeners too, also when they share a question id', async () => {
    const made = scene(
      [calls(['n', 'north', { input: 'go' }], ['s', 'south', { input: 'go' }]), 'both are back'],
      [nested('north', notingGated('visit')), nested('south', notingGated('call'))],
    )
    const { thread, channel } = made.open(kind)
    const { seen, answered } = answerAll(thread, channel, moments['at once'])
    expect(await thread.prompt('go')).toMatchObject({ status: 'completed', finalOutput: 'both are back' })
    await Promise.all(answered)
    expect(seen).toHaveLength(2)
  })

  it('a question from before a restart is on the channel before it is emitted again', async () => {
    const pay = notingGated('pay')
    const { open } = scene([calls(['c1', 'pay'], ['c2', 'pay']), 'Done.'], [pay])
    const first = open(kind)
    const prompting = first.thread.prompt('go')
    await shownAs(first.channel, 'c1')
    await first.thread.detach()
    await prompting
    const { thread, channel } = open(kind)
    const { seen, answered } = answerAll(thread, channel, moments['at once'])
    expect((await thread.resume()).status).toBe('completed')
    await Promise.all(answered)
    expect(seen.map(({ inFlight }) => inFlight)).toEqual([true, true])
    expect(pay.runs).toHaveLength(2)
  })
})

it('a scripted channel has been asked before its hitl_request is emitted', async () => {
  const channel = new ScriptedChannel({ answers: [yes] })
  const { agent, store } = scene([calls(['c1', 'pay']), 'Done.'], [notingGated('pay')], { store: memoryStore() })
  const thread = agent.thread('t', { store, channel })
  let asked = 0
  thread.subscribe((event) => {
    if (event.type === 'hitl_request') asked = channel.history.length
  })
  expect((await thread.prompt('go')).status).toBe('completed')
  expect(asked).toBe(1)
})
