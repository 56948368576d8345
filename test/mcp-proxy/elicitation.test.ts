import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { definePolicy, openDesk, type Policy } from '../../src/index.ts'
import type { ReviewOptions } from '../../src/policy/policy.ts'
import { until } from '../support/until.ts'
import { ann, approve, asked, callOf, clientOf, everything, openRequests, proxyOf, textOf } from './proxies.ts'

const capabilities = { elicitation: {} }

function reviewed(options: ReviewOptions): Policy {
  return definePolicy(() => ({ verdict: 'review', ...options }), { name: 'test', version: '1' })
}

/** A client whose program answers questions, and the questions that it got. */
async function answering(policy: Policy, answer: ElicitResult | Promise<ElicitResult>, elicitation = true) {
  const { proxy, store } = proxyOf({ servers: { all: everything }, policy, wait: { holdSeconds: 60, elicitation } })
  const client = await clientOf(proxy, { capabilities })
  const questions: { message: string; meta: unknown }[] = []
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push({ message: params.message, meta: params._meta })
    return answer
  })
  return { client, store, questions }
}

const yes: ElicitResult = { action: 'accept', content: { decision: 'approve' } }

test('a client that can be asked decides about low risk, on record as no proof of a person', async () => {
  const { client, store, questions } = await answering(reviewed({ risk: 'low' }), yes)
  expect(textOf(await callOf(client, 'echo', { message: 'hi' }))).toBe('Echo: hi')
  expect(questions[0]?.message).toContain('Approve this call of all.echo?')
  const [decided] = (await openDesk({ store }).list({ status: 'decided' })).requests
  expect(decided?.decision?.by).toEqual({ kind: 'person', id: 'tester', via: 'mcp-elicitation' })
})

test('a client is asked about a call whose doors include elicitation', async () => {
  const { client, questions } = await answering(reviewed({ risk: 'low', via: ['inbox', 'mcp-elicitation'] }), yes)
  expect(textOf(await callOf(client, 'echo', { message: 'hi' }))).toBe('Echo: hi')
  expect(questions).toHaveLength(1)
})

test('a rejection by elicitation is told to the model', async () => {
  const no: ElicitResult = { action: 'accept', content: { decision: 'reject', message: 'too loud' } }
  const { client } = await answering(reviewed({ risk: 'medium' }), no)
  const result = await callOf(client, 'echo', { message: 'hi' })
  expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining('too loud')])
})

test.each<[string, ReviewOptions]>([
  ['high risk', { risk: 'high' }],
  ['no stated risk', {}],
  ['named reviewers', { risk: 'low', reviewers: ['ann'] }],
  ['other doors', { risk: 'low', via: ['inbox'] }],
])('a call with %s needs the inbox: the client is not asked', async (_what, options) => {
  const { client, store, questions } = await answering(reviewed(options), yes)
  const call = callOf(client, 'echo', { message: 'hi' })
  const [request] = await asked(store)
  await openDesk({ store }).decide({ request: request!, decision: { type: 'approve' }, by: { ...ann, via: 'inbox' } })
  expect(textOf(await call)).toBe('Echo: hi')
  expect(questions).toEqual([])
})

test('without the option nobody is asked by elicitation', async () => {
  const { client, store, questions } = await answering(reviewed({ risk: 'low' }), yes, false)
  const call = callOf(client, 'echo', { message: 'hi' })
  await approve(store, (await asked(store))[0]!)
  await call
  expect(questions).toEqual([])
})

test.each<[string, ElicitResult]>([
  ['declined', { action: 'decline' }],
  ['cancelled', { action: 'cancel' }],
  ['answered with something else', { action: 'accept', content: { decision: 'maybe' } }],
])('a question that is %s decides nothing: the request stays open for the inbox', async (_what, answer) => {
  const { client, store, questions } = await answering(reviewed({ risk: 'low' }), answer)
  const call = callOf(client, 'echo', { message: 'hi' })
  await until(() => questions.length === 1)
  await approve(store, (await asked(store))[0]!)
  expect(textOf(await call)).toBe('Echo: hi')
})

test('a decision in the inbox ends the question, and a late answer changes nothing', async () => {
  let answer: (result: ElicitResult) => void = () => undefined
  const late = new Promise<ElicitResult>((resolve) => {
    answer = resolve
  })
  const { client, store, questions } = await answering(reviewed({ risk: 'low' }), late)
  const call = callOf(client, 'echo', { message: 'hi' })
  await until(() => questions.length === 1)
  await approve(store, (await asked(store))[0]!)
  expect(textOf(await call)).toBe('Echo: hi')
  answer({ action: 'accept', content: { decision: 'reject' } })
  const [decided] = (await openDesk({ store }).list({ status: 'decided' })).requests
  expect(decided?.decision).toMatchObject({ type: 'approve', by: { id: 'ann' } })
})

test('a question of a server behind the proxy is marked as its own and approves nothing', async () => {
  const { client, store, questions } = await answering(reviewed({ risk: 'high' }), yes)
  await until(async () => (await client.listTools()).tools.some(({ name }) => name === 'trigger-elicitation-request'))
  const other = callOf(client, 'echo', { message: 'hi' })
  const call = callOf(client, 'trigger-elicitation-request', {})
  const requests = await asked(store, 2)
  await approve(store, requests.find(({ toolName }) => toolName === 'all.trigger-elicitation-request')!)
  await call
  expect(questions).toHaveLength(1)
  expect(questions[0]).toEqual({
    message: expect.stringMatching(
      /^\[MCP server "all" asks\. Your answer goes to that server and approves no call\.\]\n/,
    ),
    meta: expect.objectContaining({ 'holdpoint/asked-by': 'all' }),
  })
  const [left] = await openRequests(store)
  expect(left?.toolName).toBe('all.echo')
  await approve(store, left!)
  expect(textOf(await other)).toBe('Echo: hi')
})
