import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  definePolicy,
  EditInvalid,
  memoryStore,
  type PolicyVerdict,
  RunState,
  run,
  tool,
} from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import { EditNotJudged, PolicyFailed } from '../../src/protocol/errors/errors.ts'
import { scriptedModel } from '../../src/testing.ts'
import { policedAgent } from '../support/agents/policed-agent.ts'

describe('an edit', () => {
  test.each<[string, PolicyVerdict]>([
    ['only somebody else may approve', { verdict: 'review', reviewers: ['ann'] }],
    ['nobody may approve', { verdict: 'review', allowedDecisions: ['reject'] }],
  ])('to what %s is refused, and the request stays open', async (_what, narrower) => {
    const policy = definePolicy(({ args }) => (args.query === 'big' ? narrower : { verdict: 'review' }))
    const { agent, ran } = policedAgent(policy)
    const { state } = await run(agent, 'go')
    const edit = (query: string) => state.edit(state.interruptions[0]!, { args: { query }, by: 'bob' })
    await expect(edit('big')).rejects.toBeInstanceOf(EditInvalid)
    expect(state.interruptions).toHaveLength(1)
    await edit('small')
    await run(agent, state)
    expect(ran).toEqual([['execute_sql', { query: 'small' }]])
  })
})

test('a policy that fails when it is asked about an edit says so to the reviewer, and the request stays open', async () => {
  const moody = definePolicy(({ args }) => {
    if (args.query === 'odd') throw new Error('no rules today')
    return { verdict: args.query === 'none' ? 'perhaps' : 'review' } as never
  })
  const { agent, ran } = policedAgent(moody)
  const { state } = await run(agent, 'go')
  const request = state.interruptions[0]!
  const edit = (query: string) => state.edit(request, { args: { query }, by: 'ann' })
  const threw = await edit('odd').catch((error: unknown) => error)
  expect(threw).toBeInstanceOf(EditNotJudged)
  expect(threw).toMatchObject({ code: 'edit_not_judged', requestId: request.id, cause: { code: 'policy_failed' } })
  expect((threw as Error).message).toMatch(/could not judge this edit: .*no rules today\. The request stays open\./)
  expect((threw as Error).message).not.toMatch(/turn/)
  await expect(edit('none')).rejects.toBeInstanceOf(EditNotJudged)
  expect(state.interruptions).toEqual([request])
  await edit('fine')
  expect((await run(agent, state)).status).toBe('completed')
  expect(ran).toEqual([['execute_sql', { query: 'fine' }]])
})

test.each<[string, object]>([
  ['an unknown onTimeout', { timeoutSeconds: 1, onTimeout: 'shrug' }],
  ['a description that is no text', { description: 7 }],
  ['a deadline in the past', { timeoutSeconds: -5 }],
  ['reviewers that are no list', { reviewers: 'ann' }],
  ['no decision at all', { allowedDecisions: [] }],
  ['an unknown risk', { risk: 'huge' }],
])('a review with %s stops the turn: nothing of it is stored', async (_what, review) => {
  const { agent, ran } = policedAgent(definePolicy(() => ({ verdict: 'review', ...review }) as never))
  const failed = await run(agent, 'go')
  expect(failed.error).toBeInstanceOf(PolicyFailed)
  expect(failed.interruptions).toEqual([])
  expect(ran).toEqual([])
})

test('policies whose reviewers have nobody in common are a mistake, not a request that nobody can decide', async () => {
  const by = (name: string) => definePolicy(() => ({ verdict: 'review', reviewers: [name] }), { name })
  expect((await run(policedAgent([by('ann'), by('bob')]).agent, 'go')).error).toBeInstanceOf(PolicyFailed)
})

test('what is asked again keeps its words, its reviewers and as much time as it had', async () => {
  let balance = 1
  const pay = tool({
    name: 'pay',
    description: '',
    parameters: z.object({}),
    preconditions: () => balance,
    execute: () => 'paid',
  })
  const policy = definePolicy(() => ({
    verdict: 'review',
    description: 'Pay?',
    reviewers: ['ann'],
    timeoutSeconds: 60,
    onTimeout: 'escalate',
  }))
  const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'pay', args: {} }] }])
  const agent = new Agent({ name: 'a', model, tools: [pay], policy })
  const store = memoryStore()
  const { state, interruptions } = await run(agent, 'go', { threadId: 't', store })
  await state.approve(interruptions[0]!, { by: 'ann' })
  balance = 2
  const [again] = (await run(agent, await RunState.load(agent, { threadId: 't', store }))).interruptions
  expect(again).toMatchObject({
    reason: 'changed',
    description: 'Pay?',
    reviewers: ['user:ann'],
    onTimeout: 'escalate',
  })
  expect(Date.parse(again!.expiresAt!)).toBeGreaterThan(Date.parse(interruptions[0]!.expiresAt!) - 1)
})

test('a limit of rejections is set when the run begins, not when it is resumed', async () => {
  const { agent } = policedAgent(definePolicy(() => ({ verdict: 'review' })))
  const { state } = await run(agent, 'go')
  await expect(run(agent, state, { maxRejections: 1 })).rejects.toBeInstanceOf(InputInvalid)
})
