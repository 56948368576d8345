import { expect, test } from 'vitest'
import { type HitlRequest, memoryStore, openDesk } from '../../../src/index.ts'
import { fromHumanResponse, toHumanInterrupt } from '../../../src/langchain.ts'
import { ann, chat, gated, refundDesk, refunding, resume } from './desk.ts'

const start = { messages: [{ role: 'user', content: 'Pay back.' }] }

/** The value of the only interrupt. */
function shown(result: object): unknown {
  return (result as { __interrupt__?: { value: unknown }[] }).__interrupt__?.[0]?.value
}

test('with case snake, interrupts have the names that agent-chat-ui shows, also for calls that were decided', async () => {
  const { agent, ran } = refundDesk([refunding('c1', 'A-1', 1), refunding('c2', 'A-2', 2)])
  const store = memoryStore()
  const middleware = () => gated(store, { case: 'snake' })
  expect(shown(await agent(middleware()).invoke(start, chat))).toMatchObject({
    action_requests: [{ args: { order: 'A-1' } }, { args: { order: 'A-2' } }],
    review_configs: [{ action_name: 'refund', allowed_decisions: expect.arrayContaining(['approve']) }, {}],
  })
  const desk = openDesk({ store })
  const [first] = (await desk.list({ status: 'open' })).requests.filter(({ args }) => args?.order === 'A-1')
  await desk.decide({ request: first!, decision: { type: 'reject', message: 'No.' }, by: ann })
  expect(shown(await agent(middleware()).invoke(null, chat))).toMatchObject({
    action_requests: [{ description: 'Decided already.' }, { args: { order: 'A-2' } }],
    review_configs: [{ action_name: 'refund', allowed_decisions: [] }, { action_name: 'refund' }],
  })
  const edit = { type: 'edit', edited_action: { name: 'refund', args: { order: 'A-2', cents: 5 } } }
  await agent(middleware()).invoke(resume({ type: 'approve' }, edit), chat)
  expect(ran).toEqual(['A-2 5'])
})

const request = {
  toolName: 'refund',
  args: { cents: 1 },
  allowedDecisions: ['approve', 'reject'],
} as unknown as HitlRequest

test('a request in the form of the Agent Inbox says which answers are allowed', () => {
  expect(toHumanInterrupt({ ...request, description: 'Refund' })).toEqual({
    action_request: { action: 'refund', args: { cents: 1 } },
    config: { allow_ignore: true, allow_respond: false, allow_edit: false, allow_accept: true },
    description: 'Refund',
  })
  expect(toHumanInterrupt(request).action_request.args).not.toBe(request.args)
})

test('answers of the Agent Inbox are decisions, or InputInvalid', () => {
  const edit = { type: 'edit', args: { action: 'refund', args: { cents: 5 } } } as const
  expect(fromHumanResponse([{ type: 'accept', args: null }], request)).toEqual({ type: 'approve' })
  expect(fromHumanResponse({ type: 'ignore' }, request)).toEqual({ type: 'reject' })
  expect(fromHumanResponse([{ type: 'response', args: 'Paid.' }], request)).toEqual({
    type: 'respond',
    message: 'Paid.',
  })
  expect(fromHumanResponse([edit], request)).toEqual({ type: 'edit', args: { cents: 5 } })
  for (const [answer, problem] of [
    [[], /array of one/],
    [[edit, edit], /array of one/],
    [[null], /array of one/],
    [[{ type: 'response', args: {} }], /string as args/],
    [[{ type: 'edit', args: { action: 'refund' } }], /\{ action, args \}/],
    [[{ type: 'edit', args: { action: 'pay', args: {} } }], /cannot change which tool/],
    [[{ type: 'approve' }], /no answer "approve"/],
  ] as const)
    expect(() => fromHumanResponse(answer as never, request)).toThrow(problem)
})
