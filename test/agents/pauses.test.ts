import { describe, expect, test } from 'vitest'
import {
  Agent,
  type AgentOptions,
  GuardrailTripped,
  type Middleware,
  memoryStore,
  openDesk,
  RunState,
  run,
  StateDiverged,
  ThreadPaused,
} from '../../src/index.ts'
import { AgentMissing, MaxRejectionsExceeded, StateSignatureInvalid } from '../../src/protocol/errors/errors.ts'
import { type ScriptStep, scriptedModel } from '../../src/testing.ts'
import { failedWith, refused } from '../support/agents/failures.ts'
import { noting } from '../support/agents/noting-tools.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { entriesOf } from '../support/stores/entries.ts'

/** Holds every last answer of an agent. */
const held: Middleware = {
  name: 'held',
  afterModel: ({ message }) => (message.toolCalls?.length ? undefined : { hold: { description: 'May it say that?' } }),
}

/** A clerk who asks a writer whose last words are held. */
function press(
  inner: readonly ScriptStep[],
  options: Partial<AgentOptions> & { asTool?: Parameters<Agent['asTool']>[0] } = {},
) {
  const { asTool = {}, ...rest } = options
  const innerModel = scriptedModel(inner)
  const writer = new Agent({ name: 'writer', model: innerModel, middleware: [held], ...rest })
  const made = scripted([calls(['w', 'writer', { input: 'write' }]), 'published'], [writer.asTool(asTool)])
  return { ...made, innerModel }
}

describe('the last answer of a nested agent behind a gate', () => {
  test('waits at the root with its owner, and let through it is the result', async () => {
    const { agent, model } = press(['a draft'])
    const paused = await run(agent, 'go')
    expect(only(paused)).toMatchObject({ reason: 'final_answer', agent: 'writer', path: ['clerk', 'writer'] })
    expect(only(paused)).not.toHaveProperty('frame')
    expect(only(await run(agent, paused.state)).id).toBe(only(paused).id)
    await paused.state.approve(only(paused))
    expect((await run(agent, paused.state)).finalOutput).toBe('published')
    expect(toolMessage(model.requests[1]?.messages).content).toBe('a draft')
  })

  test('is replaced by a person, from text alone', async () => {
    const { agent, model } = press(['a draft'])
    const text = (await run(agent, 'go')).state.toString()
    const state = await RunState.fromString(agent, text)
    await state.respond(state.interruptions[0]!, { message: 'my own words' })
    expect((await run(agent, state)).finalOutput).toBe('published')
    expect(toolMessage(model.requests[1]?.messages).content).toBe('my own words')
  })

  test('goes back to the nested model alone when it is rejected', async () => {
    const { agent, innerModel, model } = press(['a draft', 'a better one'])
    const paused = await run(agent, 'go')
    await paused.state.reject(only(paused), { message: 'too long' })
    const again = await run(agent, paused.state)
    expect(innerModel.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'system',
      content: expect.stringContaining('too long'),
    })
    expect(model.requests).toHaveLength(1)
    await again.state.approve(only(again))
    expect((await run(agent, again.state)).finalOutput).toBe('published')
    expect(toolMessage(model.requests[1]?.messages).content).toBe('a better one')
  })

  test('is shown to extractors and guardrails of its tool once, when it was let through', async () => {
    const seen: number[] = []
    let guarded = 0
    const { agent } = press(['a draft'], {
      asTool: {
        customOutputExtractor: ({ messages, finalOutput }) => {
          seen.push(messages.length)
          return finalOutput
        },
        outputGuardrails: [
          {
            name: 'g',
            run: () => {
              guarded += 1
              return { behavior: 'allow' }
            },
          },
        ],
      },
    })
    const paused = await run(agent, 'go')
    expect([seen, guarded]).toEqual([[], 0])
    await paused.state.approve(only(paused))
    await run(agent, paused.state)
    // What it was asked, and what it said.
    expect([seen, guarded]).toEqual([[2], 1])
  })

  test('is given up with the run: aborted, or superseded by new input', async () => {
    for (const how of ['abort', 'supersede'] as const) {
      const store = memoryStore()
      const { agent } = press(['a draft'])
      await run(agent, 'go', { store, threadId: 't' })
      if (how === 'abort') await agent.thread('t', { store }).abortPending()
      else
        expect((await run(agent, 'stop', { store, threadId: 't', whilePaused: 'supersede' })).finalOutput).toBe(
          'published',
        )
      expect((await store.findRequests({ status: 'open' })).requests).toEqual([])
      const state = await RunState.load(agent, { store, threadId: 't', messages: true })
      expect(resultsIn(state.messages).map(([id]) => id)).toEqual(['w'])
    }
  })

  test('of an agent that was handed the conversation ends the run', async () => {
    const billing = new Agent({ name: 'billing', model: scriptedModel(['It was 5.', 'It was 6.']), middleware: [held] })
    const triage = new Agent({
      name: 'triage',
      model: scriptedModel([calls(['h', 'transfer_to_billing'])]),
      handoffs: [billing],
    })
    const paused = await run(triage, 'how much?')
    expect(only(paused)).toMatchObject({ reason: 'final_answer', agent: 'billing', path: ['triage', 'billing'] })
    const state = await RunState.fromString(triage, paused.state.toString())
    await state.reject(state.interruptions[0]!, { message: 'count again' })
    const again = await run(triage, state)
    await again.state.approve(only(again))
    expect((await run(triage, again.state)).finalOutput).toBe('It was 6.')
  })

  test('waits beside calls of another nested agent, and either is decided first', async () => {
    const visit = gated('visit')
    const writer = new Agent({ name: 'writer', model: scriptedModel(['a draft']), middleware: [held] })
    const scout = new Agent({ name: 'scout', model: scriptedModel([calls(['v', 'visit']), 'seen']), tools: [visit] })
    const { agent } = scripted(
      [calls(['w', 'writer', { input: 'x' }], ['s', 'scout', { input: 'y' }]), 'done'],
      [writer.asTool(), scout.asTool()],
    )
    const paused = await run(agent, 'go')
    expect(paused.interruptions.map(({ agent: who }) => who).sort()).toEqual(['scout', 'writer'])
    await paused.state.approve(paused.interruptions.find(({ agent: who }) => who === 'writer')!)
    const half = await run(agent, paused.state)
    expect(only(half).agent).toBe('scout')
    await half.state.approve(only(half))
    expect((await run(agent, half.state)).finalOutput).toBe('done')
  })
})

test('G2: a guardrail on an agent that is called as a tool stops the run once; what it did is not done again', async () => {
  const pay = free('pay')
  const payer = new Agent({ name: 'payer', model: scriptedModel([calls(['p', 'pay']), 'card 4111']), tools: [pay] })
  const asTool = payer.asTool({ outputGuardrails: [{ name: 'pii', run: () => ({ behavior: 'throwException' }) }] })
  const store = memoryStore()
  const { agent, model } = scripted([calls(['x', 'payer', { input: 'pay' }]), 'done'], [asTool])
  const failed = await run(agent, 'go', { store, threadId: 't' })
  failedWith(failed, GuardrailTripped, 'guardrail_tripped')
  expect((await run(agent, failed.state)).finalOutput).toBe('done')
  expect(pay.runs).toHaveLength(1)
  expect(toolMessage(model.requests[1]?.messages)).toMatchObject({
    isError: true,
    content: expect.stringContaining('withholds'),
  })
})

/** A clerk whose two helpers each wait for a person. */
function waiting(options: { inner?: readonly ScriptStep[]; outer?: readonly ScriptStep[] } = {}) {
  const tools = ['north', 'south'].map((name) => gated(`visit_${name}`))
  const helpers = ['north', 'south'].map((name, i) =>
    new Agent({
      name,
      model: scriptedModel(options.inner ?? [calls([`v-${name}`, `visit_${name}`, { stop: 1 }]), `${name} seen`]),
      tools: [tools[i]!],
    }).asTool(),
  )
  const outer = options.outer ?? [
    calls(['n', 'north', { input: 'go' }], ['s', 'south', { input: 'go' }]),
    'both',
    'and more',
  ]
  return { tools, ...scripted(outer, helpers) }
}

describe('new input while nested runs wait', () => {
  test('is refused by default, and nothing of it is stored', async () => {
    const store = memoryStore()
    const { agent } = waiting()
    const paused = await run(agent, 'go', { store, threadId: 't' })
    const error = await refused(run(agent, 'hello?', { store, threadId: 't' }), ThreadPaused, 'thread_paused')
    expect(error.requestIds).toEqual(paused.interruptions.map(({ id }) => id))
  })

  test('queued, it is read by the root after the results, and by no nested agent', async () => {
    const store = memoryStore()
    const { agent, model, tools } = waiting()
    await run(agent, 'go', { store, threadId: 't' })
    const queued = await run(agent, 'and hurry', { store, threadId: 't', whilePaused: 'queue' })
    expect(queued.interruptions).toHaveLength(2)
    for (const asked of queued.interruptions) await queued.state.approve(asked)
    expect((await run(agent, queued.state)).finalOutput).toBe('both')
    expect(model.requests[1]?.messages.slice(-3)).toMatchObject([
      { role: 'tool', toolCallId: 'n' },
      { role: 'tool', toolCallId: 's' },
      { role: 'user', content: 'and hurry' },
    ])
    expect(tools.map(({ runs }) => runs.length)).toEqual([1, 1])
  })
})

describe('maxRejections over nested runs', () => {
  test('counts the same call wherever it was made', async () => {
    const pay = gated('pay')
    const payer = () =>
      new Agent({
        name: 'payer',
        model: scriptedModel([calls(['p', 'pay', { n: 1 }]), 'no luck', calls(['q', 'pay', { n: 1 }])]),
        tools: [pay],
      })
    const script = [calls(['a', 'payer', { input: 'x' }]), calls(['b', 'payer', { input: 'x' }]), 'done']
    for (const maxRejections of [1, { limit: 1, action: 'escalate' as const }]) {
      const { agent } = scripted(script, [payer().asTool()])
      const paused = await run(agent, 'go', { maxRejections })
      await paused.state.reject(only(paused))
      const next = await run(agent, paused.state)
      if (maxRejections === 1) failedWith(next, MaxRejectionsExceeded, 'max_rejections_exceeded')
      else expect(only(next)).toMatchObject({ reason: 'rejected_before', risk: 'high', agent: 'payer' })
    }
    expect(pay.runs).toHaveLength(0)
  })
})

describe('the text of a run whose nested runs wait', () => {
  const keys = [{ id: 'k1', secret: 'a secret that is long enough for this' }]

  test('is taken over by a store whole, with a decision of each level', async () => {
    const { agent, tools } = waiting()
    const text = (await run(agent, 'go', { threadId: 't' })).state.toString()
    const store = memoryStore()
    const state = await RunState.fromString(agent, text)
    await state.approve(state.interruptions[1]!, { by: 'ann' })
    const half = await run(agent, state, { store })
    expect(only(half).agent).toBe('north')
    expect(tools.map(({ runs }) => runs.length)).toEqual([0, 1])
    const desk = openDesk({ store })
    await desk.decide({
      request: only(half),
      decision: { type: 'edit', args: { stop: 2 } },
      by: { kind: 'person', id: 'bob' },
    })
    expect((await run(agent, await RunState.load(agent, { store, threadId: 't' }))).finalOutput).toBe('both')
    expect(tools[0]!.runs.map(({ args }) => args)).toEqual([{ stop: 2 }])
  })

  test('brings its decisions to a store that has the run, and loses where it is late', async () => {
    const store = memoryStore()
    const { agent, tools } = waiting()
    const paused = await run(agent, 'go', { store, threadId: 't' })
    const state = await RunState.fromString(agent, paused.state.toString())
    const [north, south] = state.interruptions
    await state.approve(north!, { by: 'ann' })
    await state.reject(south!, { by: 'ann', message: 'no' })
    const done = await run(agent, state, { store })
    expect(done.finalOutput).toBe('both')
    expect(tools.map(({ runs }) => runs.length)).toEqual([1, 0])
    const late = await RunState.fromString(agent, paused.state.toString())
    expect((await run(agent, late, { store })).finalOutput).toBe('both')
    expect((await entriesOf(store, 't')).filter(({ type }) => type === 'request.decided')).toHaveLength(2)
  })

  test('G2: is refused when it went on by itself while its store has the run', async () => {
    const store = memoryStore()
    const { agent } = waiting()
    const paused = await run(agent, 'go', { store, threadId: 't' })
    const state = await RunState.fromString(agent, paused.state.toString())
    await state.approve(state.interruptions[0]!)
    const apart = await run(agent, state)
    await refused(run(agent, apart.state, { store }), StateDiverged, 'state_diverged')
    expect((await RunState.load(agent, { store, threadId: 't' })).interruptions).toHaveLength(2)
  })

  test('signed, it goes on; changed inside a nested call, it is refused', async () => {
    const { agent, tools } = waiting()
    const paused = await run(agent, 'go')
    const text = paused.state.toString({ signingKeys: keys })
    const forged = text.replace('"stop":1', '"stop":9')
    expect(forged).not.toBe(text)
    await expect(RunState.fromString(agent, forged, { signingKeys: keys })).rejects.toBeInstanceOf(
      StateSignatureInvalid,
    )
    const state = await RunState.fromString(agent, text, { signingKeys: keys })
    for (const asked of state.interruptions) await state.approve(asked)
    expect((await run(agent, state)).finalOutput).toBe('both')
    expect(tools.map(({ runs }) => runs.map(({ args }) => args))).toEqual([[{ stop: 1 }], [{ stop: 1 }]])
  })
})

describe('calls beside nested runs', () => {
  function mixed() {
    const [pay, visit] = [gated('pay'), gated('visit')]
    const scout = new Agent({ name: 'scout', model: scriptedModel([calls(['v', 'visit']), 'seen']), tools: [visit] })
    const outer = [calls(['p', 'pay'], ['s', 'scout', { input: 'go' }]), 'done']
    return { pay, visit, ...scripted(outer, [pay, scout.asTool()]) }
  }

  test("with start: 'cleared' the nested run begins while its sibling waits", async () => {
    const { agent, pay, visit } = mixed()
    const paused = await run(agent, 'go', { toolExecution: { start: 'cleared' } })
    expect(paused.interruptions.map(({ toolName }) => toolName)).toEqual(['pay', 'visit'])
    const [, inner] = paused.interruptions
    await paused.state.approve(inner!)
    const half = await run(agent, paused.state)
    expect(only(half).toolName).toBe('pay')
    expect([pay.runs.length, visit.runs.length]).toEqual([0, 1])
    await half.state.approve(only(half))
    expect((await run(agent, half.state)).finalOutput).toBe('done')
  })

  test("with start: 'settled' it begins when its sibling is decided, and the sibling does not wait for its inside", async () => {
    const { agent, pay } = mixed()
    const first = await run(agent, 'go', { toolExecution: { start: 'settled' } })
    expect(only(first).toolName).toBe('pay')
    await first.state.approve(only(first))
    const second = await run(agent, first.state)
    expect(only(second).toolName).toBe('visit')
    expect(pay.runs).toHaveLength(1)
    await second.state.approve(only(second))
    expect((await run(agent, second.state)).finalOutput).toBe('done')
  })
})

test('a nested body that asks pauses a plain run, and goes on from text in a process without its past', async () => {
  const build = (outer: readonly ScriptStep[], inner: readonly ScriptStep[]) => {
    const book = noting('book', async (_, ctx) => ((await ctx.confirm('Book it?')) ? 'booked' : 'left'), {
      resumable: true,
    })
    const clerk = new Agent({ name: 'booker', model: scriptedModel(inner), tools: [book] })
    return { book, ...scripted(outer, [clerk.asTool()]) }
  }
  const first = build([calls(['b', 'booker', { input: 'go' }])], [calls(['x', 'book'])])
  const paused = await run(first.agent, 'go')
  expect(only(paused)).toMatchObject({ kind: 'confirm', agent: 'booker', path: ['clerk', 'booker'] })
  const later = build(['done'], ['it is done'])
  const state = await RunState.fromString(later.agent, paused.state.toString())
  await state.answer(only(paused), true)
  const done = await run(later.agent, state)
  expect(done.finalOutput).toBe('done')
  expect(toolMessage(later.model.requests[0]?.messages).content).toBe('it is done')
  expect([first.book.runs.length, later.book.runs.length]).toEqual([1, 1])
})

test('a graph without the nested agent is refused, and the run stays as it was', async () => {
  const store = memoryStore()
  const { agent } = waiting()
  await run(agent, 'go', { store, threadId: 't' })
  const without = scripted([]).agent
  const error = await refused(RunState.load(without, { store, threadId: 't' }), AgentMissing, 'agent_missing')
  expect(error.message).toContain('north')
  expect((await RunState.load(agent, { store, threadId: 't' })).interruptions).toHaveLength(2)
})
