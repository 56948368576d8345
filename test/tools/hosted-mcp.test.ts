import { describe, expect, test } from 'vitest'
import { Agent, hostedMcpTool, humanInTheLoop, type Message, memoryStore, RunState, run } from '../../src/index.ts'
import { ModelResponseInvalid, toApprovalResponse } from '../../src/ports.ts'
import { scriptedModel } from '../../src/testing.ts'
import type { HostedMcpToolOptions } from '../../src/tools/hosted-mcp.ts'
import { failedWith } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const wiki = (options: Partial<HostedMcpToolOptions> = {}) =>
  hostedMcpTool({
    serverLabel: 'wiki',
    serverUrl: 'https://wiki.test/mcp?key=hidden',
    authorization: 'secret',
    ...options,
  })
const asks = (name = 'edit_page', id = 'r1', serverLabel = 'wiki') => ({
  approvalRequests: [{ id, name, serverLabel, arguments: '{"page":"home"}' }],
})

/** What the provider is told, read from a request as an adapter would. */
function responses(messages: readonly Message[] | undefined) {
  const made = (messages ?? []).flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  return (messages ?? []).flatMap((message) => {
    const call = message.role === 'tool' ? made.find(({ id }) => id === message.toolCallId) : undefined
    return message.role === 'tool' && call ? (toApprovalResponse(call, message) ?? []) : []
  })
}

test("a provider's request is an interruption, and the yes goes back to it in the next turn", async () => {
  const store = memoryStore()
  const { agent, model } = scripted([asks(), 'Edited.'], [wiki()])
  const paused = await run(agent, 'go', { store, threadId: 't' })
  expect(only(paused)).toMatchObject({
    toolName: 'wiki.edit_page',
    toolCallId: 'r1',
    args: { page: 'home' },
    allowedDecisions: ['approve', 'reject'],
  })
  await paused.state.approve(only(paused))
  expect((await run(agent, paused.state)).finalOutput).toBe('Edited.')
  expect(responses(model.requests[1]?.messages)).toEqual([
    { type: 'mcp_approval_response', approvalRequestId: 'r1', approve: true },
  ])
  expect(model.requests[0]).toMatchObject({
    tools: [],
    hostedTools: [{ type: 'mcp', serverLabel: 'wiki', authorization: 'secret', requireApproval: 'always' }],
  })
  const { entries } = await store.read('t')
  expect(entries.map(({ body }) => body).join()).not.toMatch(/secret|hidden/)
})

test('a no goes back with its words, from any door and in another process', async () => {
  const store = memoryStore()
  const before = scripted([asks()], [wiki()])
  const paused = await run(before.agent, 'go', { store, threadId: 't' })
  await paused.state.reject(only(paused), { message: 'Not that page.' })
  const { agent, model } = scripted(['All right.'], [wiki()])
  await run(agent, await RunState.load(agent, { threadId: 't', store }))
  expect(responses(model.requests[0]?.messages)).toEqual([
    { type: 'mcp_approval_response', approvalRequestId: 'r1', approve: false, reason: 'Not that page.' },
  ])
})

test('it also comes as a part of a stream', async () => {
  const model = scriptedModel([asks()], { stream: true })
  const agent = new Agent({ name: 'clerk', model, tools: [wiki()] })
  expect(only(await run(agent, 'go')).toolName).toBe('wiki.edit_page')
})

test('code may decide it', async () => {
  const tool = wiki({
    onApproval: (_runContext, { toolName }) => ({ approve: toolName === 'wiki.read_page', reason: 'Read only.' }),
  })
  const steps = [
    { approvalRequests: [...asks('read_page', 'r1').approvalRequests, ...asks('edit_page', 'r2').approvalRequests] },
    'Done.',
  ]
  const { agent, model } = scripted(steps, [tool])
  expect((await run(agent, 'go')).status).toBe('completed')
  expect(responses(model.requests[1]?.messages)).toEqual([
    { type: 'mcp_approval_response', approvalRequestId: 'r1', approve: true },
    { type: 'mcp_approval_response', approvalRequestId: 'r2', approve: false, reason: 'Read only.' },
  ])
})

test('a standing decision covers the tool of that server, no other tool and no other server', async () => {
  const servers = [wiki(), hostedMcpTool({ serverLabel: 'blog', serverUrl: 'https://blog.test' })]
  const more = [...asks('edit_page', 'r2').approvalRequests, ...asks('drop_page', 'r3').approvalRequests]
  const steps = [asks(), { approvalRequests: [...more, ...asks('edit_page', 'r4', 'blog').approvalRequests] }]
  const { agent } = scripted(steps, servers)
  const paused = await run(agent, 'go')
  await paused.state.approve(only(paused), { always: true })
  const next = await run(agent, paused.state)
  expect(next.interruptions.map(({ toolName }) => toolName)).toEqual(['wiki.drop_page', 'blog.edit_page'])
})

test('policies reach the tools of a hosted server by name and pattern', async () => {
  const policy = humanInTheLoop({
    interruptOn: { 'wiki.*': { reviewers: ['ann'] }, 'wiki.drop_page': { reviewers: ['bob'] } },
    otherwise: 'deny',
  })
  const steps = [
    { approvalRequests: [...asks('edit_page', 'r1').approvalRequests, ...asks('drop_page', 'r2').approvalRequests] },
  ]
  const { agent } = scripted(steps, [wiki()], { policy })
  const paused = await run(agent, 'go')
  expect(paused.interruptions.map(({ reviewers }) => reviewers)).toEqual([['user:ann'], ['user:bob']])
  expect(() => scripted([], [wiki()], { policy: humanInTheLoop({ interruptOn: { 'wikki.*': true } }) })).toThrow(
    'wikki',
  )
})

test('nothing is sent to the model while a request of the provider is open beside a call that was approved', async () => {
  const pay = gated('pay')
  const { agent, model } = scripted([{ toolCalls: [{ id: 'a', name: 'pay', args: {} }], ...asks() }], [pay, wiki()])
  const paused = await run(agent, 'go')
  const [first] = paused.interruptions
  if (first) await paused.state.approve(first)
  expect(only(await run(agent, paused.state)).toolName).toBe('wiki.edit_page')
  expect([pay.runs.length, model.requests.length]).toEqual([1, 1])
})

test('a call of the model that only looks like one is of an unknown tool', async () => {
  const { agent, model } = scripted([calls(['a', 'wiki.edit_page', {}], ['b', 'wiki', {}]), 'Done.'], [wiki()])
  expect((await run(agent, 'go')).status).toBe('completed')
  expect(responses(model.requests[1]?.messages)).toEqual([])
  expect(JSON.stringify(model.requests[1]?.messages)).toMatch(
    /There is no tool \\"wiki.edit_page\\".*There is no tool \\"wiki\\"/,
  )
})

test('a request about a server that the agent does not have is refused, and so is one with arguments that are none', async () => {
  const bad = { id: 'r2', name: 'edit_page', serverLabel: 'wiki', arguments: '[]' }
  const { agent, model } = scripted(
    [{ approvalRequests: [...asks('x', 'r1', 'other').approvalRequests, bad] }, 'Done.'],
    [wiki()],
  )
  expect((await run(agent, 'go')).status).toBe('completed')
  expect(responses(model.requests[1]?.messages).map(({ approve }) => approve)).toEqual([false, false])
})

test('a request without an id is no answer of a model', async () => {
  const { agent } = scripted([asks('edit_page', '')], [wiki()])
  failedWith(await run(agent, 'go'), ModelResponseInvalid, 'model_response_invalid')
})

test('a person cannot turn another call into one of the provider', async () => {
  const policy = humanInTheLoop({ interruptOn: { pay: true } })
  const { agent } = scripted([calls(['a', 'pay', {}])], [gated('pay'), wiki()], { policy })
  const paused = await run(agent, 'go')
  const edit = paused.state.edit(only(paused), { toolName: 'wiki.edit_page', args: {} })
  await expect(edit).rejects.toMatchObject({ code: 'edit_invalid' })
})

describe('contradictory definitions are refused', () => {
  test.each<[string, object]>([
    ['serverLabel must match', { serverLabel: 'a.b' }],
    ['there is no option "server_url"', { server_url: 'https://a.test' }],
    ['one of serverUrl and connectorId', { connectorId: 'c' }],
    ['serverUrl is not a valid URL', { serverUrl: 'nowhere' }],
    [`requireApproval must be 'always'`, { requireApproval: 'nevr' }],
    ['names "a" twice', { requireApproval: { always: { toolNames: ['a'] }, never: { toolNames: ['a'] } } }],
    ['onApproval must be a function', { onApproval: 'yes' }],
  ])('%s', (problem, options) => {
    expect(() => wiki(options)).toThrow(
      expect.objectContaining({ code: 'tool_invalid', message: expect.stringContaining(problem) }),
    )
  })

  test('two servers with the same label, or a tool whose name could be one of theirs', () => {
    expect(() => scripted([], [wiki(), wiki()])).toThrow('two hosted servers with the same label')
    expect(() => scripted([], [wiki(), free('wiki.edit_page')])).toThrow(
      'a tool "wiki.edit_page" whose name begins like those of its hosted server',
    )
  })

  test('the rules go to the provider in one form', () => {
    const said = (requireApproval: HostedMcpToolOptions['requireApproval']) =>
      wiki(requireApproval ? { requireApproval } : {}).hosted?.server.requireApproval
    expect(said(undefined)).toBe('always')
    expect(said({ read: 'never', edit: 'always' })).toEqual({
      always: { toolNames: ['edit'] },
      never: { toolNames: ['read'] },
    })
  })
})

test('a no without a reason goes back without one: from a person, from code, and from a standing decision', async () => {
  const no = (id: string) => ({ type: 'mcp_approval_response', approvalRequestId: id, approve: false })
  const { agent, model } = scripted([asks(), asks('edit_page', 'r2'), 'All right.'], [wiki()])
  const paused = await run(agent, 'go')
  await paused.state.reject(only(paused), { always: true })
  expect(await run(agent, paused.state)).toMatchObject({ status: 'completed' })
  expect(responses(model.requests[2]?.messages)).toEqual([no('r1'), no('r2')])
  // The conversation still says it, for people and for models of another provider.
  expect(JSON.stringify(model.requests[2]?.messages)).toContain('A person rejected this call of wiki.edit_page')

  const inCode = scripted([asks(), 'All right.'], [wiki({ onApproval: () => ({ approve: false }) })])
  await run(inCode.agent, 'go')
  expect(responses(inCode.model.requests[1]?.messages)).toEqual([no('r1')])

  const worded = scripted([asks(), 'All right.'], [wiki()], { toolErrorFormatter: () => 'Not on Fridays.' })
  const waits = await run(worded.agent, 'go')
  await waits.state.reject(only(waits))
  await run(worded.agent, waits.state)
  expect(responses(worded.model.requests[1]?.messages)).toEqual([{ ...no('r1'), reason: 'Not on Fridays.' }])
})
