import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, memoryStore, openDesk, RunState, run, tool } from '../../src/index.ts'
import { DecisionInvalid } from '../../src/protocol/errors/errors.ts'
import { scriptedModel } from '../../src/testing.ts'
import { refused } from '../support/agents/failures.ts'
import { only, toolMessage } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'

const ann = { kind: 'person', id: 'ann' } as const
const why = 'The shipping was free.'

/** A paused payment whose preconditions can be changed. */
async function paused() {
  const store = memoryStore()
  const account = { reads: [] as number[] }
  const pay = tool({
    name: 'pay',
    description: 'pays',
    parameters: z.object({ n: z.number() }),
    needsApproval: true,
    preconditions: () => account.reads.shift() ?? 1,
    execute: ({ n }) => `paid ${n}`,
  })
  const model = scriptedModel([calls(['a', 'pay', { n: 1 }]), 'Done.'])
  const agent = new Agent({ name: 'clerk', model, tools: [pay] })
  const result = await run(agent, 'go', { store, threadId: 't' })
  const load = () => RunState.load(agent, { store, threadId: 't' })
  return { store, account, agent, model, request: only(result), state: result.state, load }
}

type Paused = Awaited<ReturnType<typeof paused>>
const doors: [string, (asked: Paused) => Promise<unknown>][] = [
  ['a state', ({ state, request }) => state.edit(request, { args: { n: 2 }, message: why, by: 'ann' })],
  ['a batch', ({ state }) => state.decide({ decisions: [{ type: 'edit', args: { n: 2 }, message: why }], by: 'ann' })],
  [
    'LangChain’s form',
    ({ state }) =>
      state.decide({
        decisions: [{ type: 'edit', edited_action: { name: 'pay', args: { n: 2 } }, message: why }],
        by: 'ann',
      }),
  ],
  [
    'a desk without the agent’s code',
    ({ store, request }) =>
      openDesk({ store }).decide({
        request,
        decision: { type: 'edit', args: { n: 2 }, message: why },
        by: ann,
        comment: 'a secret',
      }),
  ],
]

test.each(doors)('the model reads why a person changed its call, through %s', async (_, edit) => {
  const asked = await paused()
  await edit(asked)
  expect((await run(asked.agent, await asked.load())).status).toBe('completed')
  const message = toolMessage(asked.model.requests[1]?.messages)
  expect(message.content).toBe(`[A person changed this call before it ran. What ran: pay {"n":2} Why: ${why}]\npaid 2`)
  expect(message.data).toEqual({ edited: { toolName: 'pay', args: { n: 2 }, by: ann, message: why } })
  expect(JSON.stringify(asked.model.requests)).not.toContain('a secret')
})

test('the reason stays with the call when it has to be asked about once more; another edit has its own', async () => {
  for (const [again, said] of [
    ['approve', `[A person changed this call before it ran. What ran: pay {"n":2} Why: ${why}]`],
    ['edit', '[A person changed this call before it ran. What ran: pay {"n":3}]'],
  ] as const) {
    const { state, request, agent, model, account, load } = await paused()
    await state.edit(request, { args: { n: 2 }, message: why, by: 'ann' })
    // The first reading is for the original call, the second for the edited one; it has changed at the third, before the start.
    account.reads = [1, 1, 2, 2, 2, 2]
    const changed = await run(agent, await load())
    expect(only(changed)).toMatchObject({ reason: 'changed', args: { n: 2 } })
    if (again === 'approve') await changed.state.approve(only(changed))
    else await changed.state.edit(only(changed), { args: { n: 3 } })
    expect((await run(agent, await load())).status).toBe('completed')
    expect(String(toolMessage(model.requests[1]?.messages).content).split('\n')[0]).toBe(said)
  }
})

test('a reason must be a string', async () => {
  const { state, request } = await paused()
  await refused(state.edit(request, { args: { n: 2 }, message: 7 as never }), DecisionInvalid, 'decision_invalid')
  expect(state.interruptions).toHaveLength(1)
})
