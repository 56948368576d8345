import { expect, test } from 'vitest'
import { z } from 'zod'
import { memoryStore, openDesk, RunState, run } from '../../src/index.ts'
import { AgentMismatch, ToolMissing } from '../../src/protocol/errors/errors.ts'
import { failedWith, refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

async function approved(options: Parameters<typeof gated>[1] = {}) {
  const store = memoryStore()
  const before = gated('pay', { description: 'pays', ...options })
  const { agent } = scripted([calls(['a', 'pay', { n: 1 }])], [before])
  const paused = await run(agent, 'go', { store, threadId: 't' })
  return { store, before, paused, request: only(paused) }
}

test('a tool that was changed while an approval waited is not run on it: a new request supersedes the old one', async () => {
  const { store, before, paused, request } = await approved()
  await paused.state.approve(request, { by: 'ann' })
  const after = gated('pay', { description: 'pays twice' })
  const { agent, model } = scripted(['Done.'], [after])
  const asked = await run(agent, await RunState.load(agent, { threadId: 't', store }))
  const again = only(asked)
  expect(again).toMatchObject({
    reason: 'changed',
    supersedes: request.id,
    args: { n: 1 },
    toolCallId: 'a',
    version: 1,
  })
  expect(again.digest).not.toBe(request.digest)
  expect([before.runs, after.runs]).toEqual([[], []])
  await asked.state.approve(again, { by: 'bob' })
  expect((await run(agent, asked.state)).status).toBe('completed')
  expect(after.runs.map(({ args, ctx }) => [args, ctx.approvedBy?.id])).toEqual([[{ n: 1 }, 'bob']])
  expect(toolMessage(model.requests[0]?.messages).content).toBe('pay done')
  expect(await openDesk({ store }).get(request.id)).toMatchObject({
    status: 'decided',
    decision: { by: { id: 'ann' } },
  })
})

test('another schema is another tool, and arguments that no longer fit it do not run', async () => {
  const { store, paused, request } = await approved({ parameters: z.object({ n: z.number() }) })
  await paused.state.approve(request)
  const after = gated('pay', { description: 'pays', parameters: z.object({ n: z.string() }) })
  const { agent, model } = scripted(['Done.'], [after])
  const asked = await run(agent, await RunState.load(agent, { threadId: 't', store }))
  await asked.state.approve(only(asked))
  await run(agent, asked.state)
  expect(after.runs).toEqual([])
  expect(toolMessage(model.requests[0]?.messages)).toMatchObject({
    isError: true,
    content: expect.stringContaining('do not fit'),
  })
})

test('an edit is kept when the tool was changed: what is asked again is the edited call', async () => {
  const { store, paused, request } = await approved()
  await paused.state.edit(request, { args: { n: 2 } })
  const after = gated('pay', { description: 'pays twice' })
  const { agent, model } = scripted(['Done.'], [after])
  const asked = await run(agent, await RunState.load(agent, { threadId: 't', store }))
  expect(only(asked)).toMatchObject({ reason: 'changed', args: { n: 2 } })
  await asked.state.approve(only(asked))
  await run(agent, asked.state)
  expect(after.runs.map(({ args }) => args)).toEqual([{ n: 2 }])
  expect(toolMessage(model.requests[0]?.messages).data).toMatchObject({ edited: { args: { n: 2 } } })
})

test('a tool with the same definition and other code is the same tool', async () => {
  const { store, paused, request } = await approved()
  await paused.state.approve(request)
  const same = gated('pay', { description: 'pays', execute: () => 'by new code' })
  const { agent } = scripted(['Done.'], [same])
  const result = await run(agent, await RunState.load(agent, { threadId: 't', store }))
  expect(resultsIn(result.state.messages)).toEqual([['a', 'by new code']])
})

test('a tool that is missing on resume fails the run with its name; nothing is spent and the run stays resumable', async () => {
  const { store, before, paused, request } = await approved()
  await paused.state.approve(request)
  const version = (await store.read('t')).version
  const { agent: without } = scripted([], [gated('other')])
  const failed = await run(without, await RunState.load(without, { threadId: 't', store }))
  expect(failedWith(failed, ToolMissing, 'tool_missing').toolName).toBe('pay')
  expect((await store.read('t')).version).toBe(version)
  expect((await store.read('t')).lease).toBeNull()
  const { agent } = scripted(['Done.'], [before])
  expect((await run(agent, await RunState.load(agent, { threadId: 't', store }))).status).toBe('completed')
  expect(before.runs).toHaveLength(1)
})

test('a rejection needs no tool: it reaches the model even if the tool is gone', async () => {
  const { store, paused, request } = await approved()
  await paused.state.reject(request, { message: 'no' })
  const { agent, model } = scripted(['Done.'])
  expect((await run(agent, await RunState.load(agent, { threadId: 't', store }))).status).toBe('completed')
  expect(resultsIn(model.requests[0]?.messages)).toEqual([['a', 'no']])
})

test('an edit for a tool that is gone is refused and the request stays open', async () => {
  const { store, request } = await approved()
  const { agent } = scripted([])
  const state = await RunState.load(agent, { threadId: 't', store })
  await expect(state.edit(request, { args: { n: 2 } })).rejects.toMatchObject({ code: 'edit_invalid' })
  expect(state.interruptions).toHaveLength(1)
})

test('a run goes on with the agent that started it and with no other', async () => {
  const { store, paused } = await approved()
  const { agent: other } = scripted([], [], { name: 'other' })
  const error = await refused(run(other, paused.state), AgentMismatch, 'agent_mismatch')
  expect(error).toMatchObject({ expected: 'clerk', actual: 'other' })
  await refused(RunState.load(other, { threadId: 't', store }), AgentMismatch, 'agent_mismatch')
})
