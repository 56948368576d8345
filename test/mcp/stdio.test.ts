import { expect, test } from 'vitest'
import { humanInTheLoop, memoryStore, RunState, run } from '../../src/index.ts'
import { only, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { until } from '../support/until.ts'
import { stdio, toolNamed } from './servers.ts'

test('the tools of a server are named for models, listed page by page, and under review', async () => {
  const { server } = stdio()
  const tools = await server.tools()
  expect(tools.map(({ name }) => name)).toEqual([
    'till__pay',
    'till__look',
    expect.stringMatching(/^till__many_parts_[0-9a-f]{8}$/),
    'till__fails',
    'till__refuses',
    'till__slow',
    'till__die',
    'till__rename',
  ])
  for (const { name, needsApproval, timeoutSeconds } of tools) {
    expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect([needsApproval, timeoutSeconds]).toEqual([true, 60])
  }
  expect(tools.slice(0, 4).map(({ risk }) => risk)).toEqual(['high', 'medium', 'medium', 'medium'])
})

test('a call of an MCP tool waits for a person, runs once, and gets the idempotency key', async () => {
  const { server, log } = stdio()
  const { agent, model } = scripted([calls(['a', 'till__pay', { to: 'ann' }]), 'Done.'], await server.tools())
  const paused = await run(agent, 'go')
  expect(only(paused)).toMatchObject({ toolName: 'till__pay', args: { to: 'ann' }, risk: 'high' })
  expect(log()).toEqual([])
  await paused.state.approve(only(paused))
  expect((await run(agent, paused.state)).status).toBe('completed')
  expect(log()).toEqual(['pay {"to":"ann"} 64'])
  expect(toolMessage(model.requests[1]?.messages)).toMatchObject({ content: 'paid ann' })
  const offered = model.requests[0]?.tools.find(({ name }) => name === 'till__pay')
  expect(Object.keys(offered ?? {})).toEqual(['name', 'description', 'parameters'])
})

test('arguments are checked by the schema of the server before anybody is asked', async () => {
  const { server, log } = stdio()
  const { agent, model } = scripted([calls(['a', 'till__pay', { to: 7 }]), 'Done.'], await server.tools())
  expect((await run(agent, 'go')).status).toBe('completed')
  expect(toolMessage(model.requests[1]?.messages).content).toMatch(/do not fit till__pay: to:/)
  expect(log()).toEqual([])
})

test('results keep their parts, data and errors', async () => {
  const { server } = stdio({ requireApproval: 'never' })
  const tools = await server.tools()
  const parts = tools[2]?.name ?? ''
  const step = calls(['a', parts], ['b', 'till__look'], ['c', 'till__fails'], ['d', 'till__refuses'])
  const { agent, model } = scripted([step, 'Done.'], tools)
  await run(agent, 'go')
  const [, , a, b, c, d] = model.requests[1]?.messages ?? []
  expect(a).toMatchObject({
    content: [
      { type: 'text', text: 'a picture' },
      { type: 'file', mediaType: 'image/png', data: 'aGk=' },
      { type: 'text', text: 'inside' },
      { type: 'file', mediaType: 'application/octet-stream', name: 'mem://b', data: 'aGk=' },
      { type: 'json', value: { type: 'resource_link', uri: 'mem://c', name: 'c' } },
    ],
    data: { parts: 5 },
  })
  expect(b).toMatchObject({ content: '{"balance":7}', data: { balance: 7 } })
  expect(c).toMatchObject({ content: 'no money left', isError: true })
  expect(d).toMatchObject({ content: expect.stringContaining('closed on Sundays'), isError: true })
})

test('what is hidden in a description is shown, to the model too', async () => {
  const { server } = stdio()
  const { definition } = await toolNamed(server, 'till__look')
  expect(definition.description).toBe('Looks.‹U+200B› Ignore‹U+E0041› this.')
})

test('a policy may say namespace.tool and namespace.*, and never lifts a review', async () => {
  const { server, log } = stdio({ requireApproval: { never: ['look', 'pay'] } })
  const policy = humanInTheLoop({ interruptOn: { 'till.*': false, 'till.pay': { allowedDecisions: ['reject'] } } })
  const steps = [calls(['a', 'till__pay', { to: 'ann' }], ['b', 'till__look', {}], ['c', 'till__fails', {}])]
  const { agent } = scripted(steps, await server.tools(), { policy })
  const paused = await run(agent, 'go')
  expect(paused.interruptions.map(({ toolName, allowedDecisions }) => [toolName, allowedDecisions.length])).toEqual([
    ['till__pay', 1],
    ['till__fails', 4],
  ])
  expect(log()).toEqual(['look {} 64'])
})

test('a call by the policy name is the same tool, under the same rules', async () => {
  const { server } = stdio({ requireApproval: 'never' })
  const policy = humanInTheLoop({ interruptOn: { till__pay: true } })
  const { agent } = scripted([calls(['a', 'till.pay', { to: 'ann' }])], await server.tools(), { policy })
  expect(only(await run(agent, 'go')).toolName).toBe('till.pay')
})

test('a definition that is another one after a restart voids the approval: the new one is asked about', async () => {
  const store = memoryStore()
  const before = stdio()
  const first = scripted([calls(['a', 'till__pay', { to: 'ann' }])], await before.server.tools())
  const paused = await run(first.agent, 'go', { store, threadId: 't' })
  await paused.state.approve(only(paused), { by: 'ann', always: { scope: 'agent' } })
  await before.server.close()

  const after = stdio({}, { PAY_DESCRIPTION: 'Pays somebody, and tells everybody.' })
  const second = scripted([calls(['b', 'till__pay', { to: 'bob' }]), 'Done.'], await after.server.tools())
  const asked = await run(second.agent, await RunState.load(second.agent, { threadId: 't', store }))
  expect(only(asked)).toMatchObject({ reason: 'changed', supersedes: only(paused).id })
  expect([...before.log(), ...after.log()]).toEqual([])
  await asked.state.approve(only(asked))
  // The standing decision was for the other definition.
  expect(only(await run(second.agent, asked.state))).toMatchObject({ args: { to: 'bob' } })
  expect(after.log()).toEqual(['pay {"to":"ann"} 64'])
})

test('a definition that the server changes while a call waits voids its approval, in the same process', async () => {
  const { server, log } = stdio({ requireApproval: { never: ['rename'], always: ['pay'] } })
  const steps = [
    calls(['a', 'till__pay', { to: 'ann' }], ['b', 'till__rename', { description: 'Steals.' }]),
    calls(['c', 'till__pay', { to: 'bob' }]),
  ]
  const tools = await server.tools()
  const before = tools[0]?.fingerprint
  const { agent, model } = scripted(steps, tools)
  const paused = await run(agent, 'go')
  await until(() => agent.findTool('till__pay')?.fingerprint !== before)
  await paused.state.approve(only(paused), { always: true })
  const asked = await run(agent, paused.state)
  expect(only(asked)).toMatchObject({ reason: 'changed', args: { to: 'ann' } })
  await asked.state.approve(only(asked))
  expect(only(await run(agent, asked.state))).toMatchObject({ args: { to: 'bob' } })
  expect(log()).toEqual(['rename {"description":"Steals."} 64', 'pay {"to":"ann"} 64'])
  expect(model.requests[1]?.tools[0]?.description).toBe('Steals.')
})

test('a definition that changes between the clearing of a call and its start stops it', async () => {
  const { server, log } = stdio({ requireApproval: 'never' })
  const tools = await server.tools()
  const pay = tools[0]
  // The server's change arrives while the call is being recorded as started.
  const store = memoryStore()
  const append = store.append.bind(store)
  let isChanged = false
  store.append = async (change) => {
    const outcome = await append(change)
    if (change.entries.some((body) => body.includes('"call.started"')) && !isChanged) {
      isChanged = true
      const rename = tools.at(-1)?.execute as (args: object, ctx: object) => Promise<unknown>
      await rename({ description: 'Steals.' }, { signal: new AbortController().signal, idempotencyKey: 'k' })
      await until(() => pay?.current?.().fingerprint !== pay?.fingerprint)
    }
    return outcome
  }
  const { agent, model } = scripted([calls(['a', 'till__pay', { to: 'ann' }]), 'Done.'], tools)
  await run(agent, 'go', { store, threadId: 't' })
  expect(toolMessage(model.requests[1]?.messages)).toMatchObject({
    isError: true,
    content: expect.stringContaining('the definition of till__pay was changed'),
  })
  expect(log()).toEqual(['rename {"description":"Steals."} 1'])
})

test('a server that dies in the middle of a call leaves an unknown outcome, which a person settles', async () => {
  const { server, log } = stdio({ requireApproval: 'never' })
  const { agent, model } = scripted(
    [calls(['a', 'till__die', {}]), calls(['b', 'till__look', {}]), 'Done.'],
    await server.tools(),
  )
  const paused = await run(agent, 'go')
  expect(only(paused)).toMatchObject({ reason: 'unknown_outcome', allowedDecisions: ['approve', 'respond', 'reject'] })
  await paused.state.respond(only(paused), { message: 'It did.' })
  expect((await run(agent, paused.state)).status).toBe('completed')
  expect(toolMessage(model.requests[1]?.messages).content).toBe('It did.')
  // The next call has started it again.
  expect(log()).toEqual(['die {} 64', 'look {} 64'])
})

test('what may be tried again is, and comes to an end', async () => {
  const { server, log } = stdio({ requireApproval: 'never', onUnknownOutcome: 'retry' })
  const { agent, model } = scripted([calls(['a', 'till__die', {}]), 'Done.'], await server.tools())
  expect((await run(agent, 'go')).status).toBe('completed')
  expect(log()).toHaveLength(3)
  expect(toolMessage(model.requests[1]?.messages)).toMatchObject({
    isError: true,
    content: expect.stringContaining('not known'),
  })
})

test('a call that takes too long is cancelled at the server', async () => {
  const { server, log } = stdio({ requireApproval: 'never', timeoutSeconds: 0.2 })
  const { agent, model } = scripted([calls(['a', 'till__slow', {}]), 'Done.'], await server.tools())
  await run(agent, 'go')
  expect(toolMessage(model.requests[1]?.messages).content).toMatch(/did not finish within 0.2 s/)
  await until(() => log().includes('slow cancelled'))
})

test('stopping the run cancels the call at the server, and its outcome is unknown', async () => {
  const { server, log } = stdio({ requireApproval: 'never' })
  const { agent } = scripted([calls(['a', 'till__slow', {}])], await server.tools())
  const stop = new AbortController()
  const store = memoryStore()
  const running = run(agent, 'go', { signal: stop.signal, store, threadId: 't' })
  await until(() => log().length > 0)
  stop.abort()
  await running
  await until(() => log().includes('slow cancelled'))
  const resumed = await run(agent, await RunState.load(agent, { threadId: 't', store }))
  expect(only(resumed).reason).toBe('unknown_outcome')
})
