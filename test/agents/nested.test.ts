import { describe, expect, test } from 'vitest'
import { humanInTheLoop } from '../../src/policy/human-in-the-loop.ts'
import { Agent } from '../../src/runtime/agent/agent.ts'
import { run } from '../../src/runtime/run/run.ts'
import { RunState } from '../../src/runtime/run/run-state.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { entriesOf } from '../support/stores/entries.ts'

/** A clerk who asks a researcher, who may use these tools. */
function office(options: {
  tool?: ReturnType<typeof gated>
  outerGate?: boolean
  inner?: Parameters<typeof scriptedModel>[0]
  outer?: Parameters<typeof scriptedModel>[0]
}) {
  const pay = options.tool ?? gated('pay')
  const innerModel = scriptedModel(options.inner ?? [calls(['p1', 'pay', { amount: 5 }]), 'Paid 5.'])
  const researcher = new Agent({ name: 'researcher', model: innerModel, tools: [pay] })
  const asTool = researcher.asTool({ name: 'research', needsApproval: options.outerGate ?? false })
  const made = scripted(options.outer ?? [calls(['r1', 'research', { input: 'pay them' }]), 'All done.'], [asTool])
  return { ...made, pay, innerModel, researcher }
}

describe('an agent that is called as a tool', () => {
  test('runs on a conversation of its own, and its last answer is the result', async () => {
    const { agent, model, innerModel } = office({ tool: free('pay') })
    const result = await run(agent, 'Pay the invoice.')
    expect(result.status).toBe('completed')
    expect(result.finalOutput).toBe('All done.')
    expect(innerModel.requests[0]?.messages).toEqual([{ role: 'user', content: 'pay them' }])
    expect(toolMessage(model.requests[1]?.messages)).toMatchObject({ toolCallId: 'r1', content: 'Paid 5.' })
    expect(result.usage.requests).toBe(4)
  })

  test('raises what its tools ask at the root, with its owner and path', async () => {
    const { agent, pay } = office({})
    const paused = await run(agent, 'Pay.')
    const asked = only(paused)
    expect(asked).toMatchObject({
      toolName: 'pay',
      agent: 'researcher',
      path: ['clerk', 'researcher'],
      toolCallId: 'p1',
    })
    expect(pay.runs).toHaveLength(0)
    await paused.state.approve(asked)
    const done = await run(agent, paused.state)
    expect(done.finalOutput).toBe('All done.')
    expect(pay.runs).toHaveLength(1)
  })

  test('can be gated itself, and its tools again inside', async () => {
    const { agent, pay, innerModel } = office({ outerGate: true })
    const first = await run(agent, 'Pay.')
    const outer = only(first)
    expect(outer).toMatchObject({ toolName: 'research', agent: 'clerk', path: ['clerk'] })
    expect(innerModel.requests).toHaveLength(0)
    await first.state.approve(outer)
    const second = await run(agent, first.state)
    expect(only(second)).toMatchObject({ toolName: 'pay', path: ['clerk', 'researcher'] })
    await second.state.approve(only(second))
    const done = await run(agent, second.state)
    expect(done.status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
  })

  test('G7: asks nothing and runs nothing again while its requests are undecided', async () => {
    const { agent, innerModel } = office({})
    const first = await run(agent, 'Pay.')
    const second = await run(agent, first.state)
    expect(only(second).id).toBe(only(first).id)
    expect(innerModel.requests).toHaveLength(1)
  })

  test('is told of a rejection inside, and the outer call completes', async () => {
    const { agent, innerModel, pay } = office({ inner: [calls(['p1', 'pay']), 'I was not allowed to.'] })
    const paused = await run(agent, 'Pay.')
    await paused.state.reject(only(paused), { message: 'too much' })
    const done = await run(agent, paused.state)
    expect(done.status).toBe('completed')
    expect(resultsIn(innerModel.requests[1]?.messages)).toEqual([['p1', 'too much']])
    expect(pay.runs).toHaveLength(0)
  })

  test('does not begin when its own call is rejected', async () => {
    const { agent, innerModel, model } = office({ outerGate: true })
    const paused = await run(agent, 'Pay.')
    await paused.state.reject(only(paused), { message: 'no' })
    expect((await run(agent, paused.state)).status).toBe('completed')
    expect(innerModel.requests).toHaveLength(0)
    expect(resultsIn(model.requests[1]?.messages)).toEqual([['r1', 'no']])
  })

  test('begins with the arguments of an edit, and the caller is told', async () => {
    const { agent, innerModel, model } = office({ outerGate: true, tool: free('pay') })
    const paused = await run(agent, 'Pay.')
    await paused.state.edit(only(paused), { args: { input: 'pay half' } })
    expect((await run(agent, paused.state)).status).toBe('completed')
    expect(innerModel.requests[0]?.messages).toEqual([{ role: 'user', content: 'pay half' }])
    expect(toolMessage(model.requests[1]?.messages).content).toContain('A person changed this call')
  })

  test('G8: is under the policy of the root, which may name its tools', async () => {
    const inner = new Agent({
      name: 'researcher',
      model: scriptedModel([calls(['p1', 'pay']), 'done']),
      tools: [free('pay')],
    })
    const policy = humanInTheLoop({ interruptOn: { pay: { allowedDecisions: ['approve'] } } })
    const { agent } = scripted([calls(['r1', 'ask', { input: 'x' }]), 'ok'], [inner.asTool({ name: 'ask' })], {
      policy,
    })
    const asked = only(await run(agent, 'go'))
    expect(asked).toMatchObject({ toolName: 'pay', allowedDecisions: ['approve'], agent: 'researcher' })
  })

  test('that exceeds its turns tells its caller, who goes on', async () => {
    const inner = new Agent({
      name: 'loop',
      model: scriptedModel([calls(['a', 'look']), calls(['b', 'look'])]),
      tools: [free('look')],
    })
    const { agent, model } = scripted(
      [calls(['r', 'ask', { input: 'x' }]), 'gave up'],
      [inner.asTool({ name: 'ask', maxTurns: 2 })],
    )
    const result = await run(agent, 'go')
    expect(result.finalOutput).toBe('gave up')
    expect(toolMessage(model.requests[1]?.messages)).toMatchObject({ isError: true })
  })

  test('is given its own input and gives its own output', async () => {
    const inner = new Agent({ name: 'inner', model: scriptedModel(['42 apples']) })
    const asTool = inner.asTool({
      name: 'count',
      inputBuilder: ({ input }) => [
        { role: 'system', content: 'Count.' },
        { role: 'user', content: input },
      ],
      customOutputExtractor: ({ finalOutput, messages }) => `${finalOutput.slice(0, 2)} (${messages.length})`,
    })
    const { agent, model } = scripted([calls(['r', 'count', { input: 'fruit' }]), 'ok'], [asTool])
    expect((await run(agent, 'go')).status).toBe('completed')
    expect(toolMessage(model.requests[1]?.messages).content).toBe('42 (3)')
  })

  test('hands its rules the arguments that it was called with', async () => {
    const seen: unknown[] = []
    const pay = free('pay', {
      needsApproval: ((runContext: { toolInput?: unknown }) => {
        seen.push(runContext.toolInput)
        return false
      }) as never,
    })
    const { agent } = office({ tool: pay })
    await run(agent, 'Pay.')
    expect(seen).toEqual([{ input: 'pay them' }])
  })

  test('fails the run when its model fails, and goes on where it was', async () => {
    const { agent, pay, innerModel } = office({
      tool: free('pay'),
      inner: [calls(['p1', 'pay']), new Error('overloaded'), 'Paid.'],
    })
    const failed = await run(agent, 'Pay.')
    expect(failed.status).toBe('failed')
    const done = await run(agent, failed.state)
    expect(done.status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
    expect(innerModel.requests).toHaveLength(3)
  })
})

describe('nested runs side by side', () => {
  function two(start: 'cleared' | 'settled' = 'cleared') {
    const tools = ['north', 'south'].map((name) => gated(`visit_${name}`))
    const agents = ['north', 'south'].map(
      (name, i) =>
        new Agent({
          name,
          model: scriptedModel([calls([`v${i}`, `visit_${name}`]), `${name} visited`]),
          tools: [tools[i]!],
        }),
    )
    const root = scripted(
      [calls(['a', 'north', { input: 'go' }], ['b', 'south', { input: 'go' }]), 'both'],
      agents.map((one) => one.asTool()),
    )
    return { ...root, tools, options: { toolExecution: { start } } }
  }

  test('both pause, and either can be decided first', async () => {
    const { agent, tools, model, options } = two()
    const paused = await run(agent, 'go', options)
    expect(paused.interruptions.map(({ toolName, path }) => [toolName, path])).toEqual([
      ['visit_north', ['clerk', 'north']],
      ['visit_south', ['clerk', 'south']],
    ])
    await paused.state.approve(paused.interruptions[1]!)
    const half = await run(agent, paused.state)
    expect(half.interruptions.map(({ toolName }) => toolName)).toEqual(['visit_north'])
    expect(tools.map(({ runs }) => runs.length)).toEqual([0, 1])
    await half.state.approve(only(half))
    const done = await run(agent, half.state)
    expect(done.finalOutput).toBe('both')
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      ['a', 'north visited'],
      ['b', 'south visited'],
    ])
  })

  test('models are asked beside one another, not one after the other', async () => {
    let asked = 0
    let release: () => void = () => undefined
    const together = new Promise<void>((resolve) => {
      release = resolve
    })
    const step = async () => {
      asked += 1
      if (asked === 2) release()
      await together
      return 'seen'
    }
    const agents = ['north', 'south'].map((name) => new Agent({ name, model: scriptedModel([step]) }))
    const { agent } = scripted(
      [calls(['a', 'north', { input: 'go' }], ['b', 'south', { input: 'go' }]), 'both'],
      agents.map((one) => one.asTool()),
    )
    expect((await run(agent, 'go')).finalOutput).toBe('both')
  })

  test('one that fails stops the other without losing what it stored', async () => {
    let ask: () => void = () => undefined
    const asked = new Promise<void>((resolve) => {
      ask = resolve
    })
    const slow = free('slow')
    const never = () => {
      ask()
      return new Promise<never>(() => undefined)
    }
    const north = async (): Promise<Error> => {
      await asked
      return new Error('down')
    }
    const agents = [
      new Agent({ name: 'north', model: scriptedModel([north, 'north visited']) }),
      new Agent({
        name: 'south',
        model: scriptedModel([calls(['s', 'slow']), never, 'south visited']),
        tools: [slow],
      }),
    ]
    const { agent } = scripted(
      [calls(['a', 'north', { input: 'go' }], ['b', 'south', { input: 'go' }]), 'both'],
      agents.map((one) => one.asTool()),
    )
    const failed = await run(agent, 'go')
    expect(failed.error).toMatchObject({ code: 'model_failed' })
    const done = await run(agent, failed.state)
    expect(done.finalOutput).toBe('both')
    expect(slow.runs).toHaveLength(1)
  })

  test('start as their turn says when everything of it has to be decided first', async () => {
    const { agent, options } = two('settled')
    expect((await run(agent, 'go', options)).interruptions).toHaveLength(2)
  })
})

describe('three levels deep', () => {
  function levels() {
    const write = gated('write')
    const writer = new Agent({
      name: 'writer',
      model: scriptedModel([calls(['w', 'write', { text: 'hi' }]), 'written']),
      tools: [write],
    })
    const editor = new Agent({
      name: 'editor',
      model: scriptedModel([calls(['x', 'writer', { input: 'write it' }]), 'edited']),
      tools: [writer.asTool()],
    })
    const { agent } = scripted([calls(['y', 'editor', { input: 'edit it' }]), 'published'], [editor.asTool()])
    return { agent, write }
  }

  test('the path tells where it is asked, and one yes ends all three', async () => {
    const { agent, write } = levels()
    const paused = await run(agent, 'go')
    expect(only(paused).path).toEqual(['clerk', 'editor', 'writer'])
    await paused.state.approve(only(paused))
    expect((await run(agent, paused.state)).finalOutput).toBe('published')
    expect(write.runs).toHaveLength(1)
  })

  test('goes on in another process from text alone', async () => {
    const first = levels()
    const paused = await run(first.agent, 'go')
    const text = JSON.stringify(paused.state, null, 2)
    // The scripts of a new process start where those of the old one stopped.
    const write = gated('write')
    const writer = new Agent({ name: 'writer', model: scriptedModel(['written']), tools: [write] })
    const editor = new Agent({ name: 'editor', model: scriptedModel(['edited']), tools: [writer.asTool()] })
    const agent = new Agent({ name: 'clerk', model: scriptedModel(['published']), tools: [editor.asTool()] })
    const state = await RunState.fromString(agent, text)
    await state.approve(only(paused))
    expect((await run(agent, state)).finalOutput).toBe('published')
    expect(write.runs).toHaveLength(1)
  })

  test('goes on from a store, and its journal is one', async () => {
    const store = memoryStore()
    const first = levels()
    const paused = await run(first.agent, 'go', { store, threadId: 't' })
    await paused.state.approve(only(paused))
    const done = await run(first.agent, paused.state)
    expect(done.status).toBe('completed')
    const entries = await entriesOf(store, 't')
    const frames = entries.flatMap((entry) => (entry.type === 'model.answered' ? [entry.frame.split('/').length] : []))
    expect(frames).toEqual([1, 2, 3, 3, 2, 1])
  })

  test('G6: an abort refuses every level, innermost first, and closes the request', async () => {
    const store = memoryStore()
    const { agent } = levels()
    await run(agent, 'go', { store, threadId: 't' })
    const thread = agent.thread('t', { store })
    await thread.abortPending({ reason: 'enough' })
    const refusals = (await entriesOf(store, 't')).flatMap((entry) =>
      entry.type === 'call.refused' ? [entry.call] : [],
    )
    expect(refusals.map((key) => key.split('/').length)).toEqual([4, 3, 2])
    expect((await store.findRequests({ status: 'open' })).requests).toHaveLength(0)
  })

  test('new input supersedes all of it', async () => {
    const store = memoryStore()
    const write = gated('write')
    const writer = new Agent({ name: 'writer', model: scriptedModel([calls(['w', 'write'])]), tools: [write] })
    const { agent, model } = scripted([calls(['y', 'writer', { input: 'x' }]), 'As you wish.'], [writer.asTool()])
    await run(agent, 'go', { store, threadId: 't' })
    const done = await run(agent, 'forget it', { store, threadId: 't', whilePaused: 'supersede' })
    expect(done.finalOutput).toBe('As you wish.')
    expect(resultsIn(model.requests[1]?.messages)).toHaveLength(1)
    expect((await store.findRequests({ status: 'open' })).requests).toHaveLength(0)
  })
})

test('a standing yes for a nested agent covers its later calls', async () => {
  const { agent, pay } = office({ inner: [calls(['p1', 'pay']), calls(['p2', 'pay']), 'Paid.'] })
  const paused = await run(agent, 'Pay.')
  await paused.state.approve(only(paused), { always: true })
  expect((await run(agent, paused.state)).status).toBe('completed')
  expect(pay.runs).toHaveLength(2)
})

test('the same call id in two nested runs is two questions, told apart by request id', async () => {
  const agents = ['north', 'south'].map(
    (name) =>
      new Agent({ name, model: scriptedModel([calls(['same', 'visit']), `${name} ok`]), tools: [gated('visit')] }),
  )
  const store = memoryStore()
  const { agent } = scripted(
    [calls(['a', 'north', { input: 'go' }], ['b', 'south', { input: 'go' }]), 'both'],
    agents.map((one) => one.asTool()),
  )
  const paused = await run(agent, 'go', { store, threadId: 't' })
  expect(new Set(paused.interruptions.map(({ id }) => id)).size).toBe(2)
  await expect(paused.state.approve('same')).rejects.toMatchObject({ code: 'question_ambiguous' })
  for (const asked of paused.interruptions) await paused.state.approve(asked)
  expect((await run(agent, paused.state)).finalOutput).toBe('both')
})

test('G2: a standing yes for starting a nested run is spent once, when it starts', async () => {
  const inner = new Agent({ name: 'inner', model: scriptedModel(['one', 'two', 'three']) })
  const { agent } = scripted(
    [
      calls(['a', 'inner', { input: '1' }]),
      calls(['b', 'inner', { input: '2' }]),
      calls(['c', 'inner', { input: '3' }]),
      'done',
    ],
    [inner.asTool({ needsApproval: true })],
  )
  const paused = await run(agent, 'go')
  await paused.state.approve(only(paused), { always: { uses: 1 } })
  // One more is covered; the third is asked.
  const again = await run(agent, paused.state)
  expect(only(again).toolCallId).toBe('c')
})
