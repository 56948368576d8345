import { expect, test } from 'vitest'
import { z } from 'zod'
import { requestCard } from '../../src/cli/render/request.ts'
import { plainStyle } from '../../src/cli/render/style.ts'
import {
  Agent,
  type HitlRequest,
  humanInTheLoop,
  memoryStore,
  RunState,
  run,
  type ToolRule,
  tool,
} from '../../src/index.ts'
import { pickReview, review } from '../../src/protocol/request.ts'
import { scriptedModel } from '../../src/testing.ts'

test('a request, and the one that asks again, has and shows every field of the review that its policy asked for', async () => {
  // Every field that is stored; a new one does not compile until it is here.
  const rule: Required<Pick<ToolRule, Exclude<keyof ReturnType<typeof review>['shape'], 'risk' | 'reviewerLists'>>> = {
    allowedDecisions: ['approve', 'reject'],
    description: 'Pays the bill.',
    reviewers: ['ann'],
    via: ['inbox'],
    argsSchema: { properties: { cents: { maximum: 900 } } },
    decisionValidSeconds: 3600,
  }
  let balance = 100
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ cents: z.number() }),
    risk: 'high',
    preconditions: () => ({ balance }),
    execute: () => 'paid',
  })
  const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'pay', args: { cents: 500 } }] }])
  // Two lists of reviewers, so that all of them are kept.
  const other = humanInTheLoop({ name: 'second', interruptOn: { pay: { reviewers: ['group:finance', 'ann'] } } })
  const policy = [humanInTheLoop({ interruptOn: { pay: rule } }), other]
  const agent = new Agent({ name: 'clerk', model, tools: [pay], policy })
  const store = memoryStore()
  const first = await run(agent, 'Go.', { store, threadId: 't' })
  const [asked] = first.interruptions
  expect(Object.keys(pickReview(asked!)).sort()).toEqual(Object.keys(review().shape).sort())
  const card = (request: HitlRequest) => requestCard(request, { style: plainStyle, width: 80, full: true, now: 0 })
  for (const key of Object.keys(review().shape)) {
    // Of several lists all are shown, and not what is in all of them.
    const request = (key === 'reviewers' ? { ...asked!, reviewerLists: undefined } : asked!) as HitlRequest
    const without = { ...request, [key]: key === 'allowedDecisions' ? [] : undefined } as HitlRequest
    expect(card(request), `holdpoint show does not show ${key}`).not.toEqual(card(without))
  }
  await first.state.approve(asked!, { by: { kind: 'person', id: 'ann', via: 'inbox' } })
  balance = 20
  const second = await run(agent, await RunState.load(agent, { threadId: 't', store }))
  const [again] = second.interruptions
  expect(again).toMatchObject({ reason: 'changed', supersedes: asked!.id })
  expect(pickReview(again!)).toEqual(pickReview(asked!))
})
