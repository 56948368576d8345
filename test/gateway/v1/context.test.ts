import { expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, memoryStore, RunState, run, tool } from '../../../src/index.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { moveRun } from '../../../src/worker.ts'
import { ask, askingAgent, inboxOf, seen } from '../../support/gateway/inbox-scene.ts'
import { untilLater } from '../../support/until.ts'

const ann = { sub: 'ann', roles: ['reviewer'] }

it('a request shows what the user said, what the model wrote before the call, and what happened so far', async () => {
  const store = memoryStore()
  const look = tool({ name: 'look', description: 'Looks.', parameters: z.object({}), execute: () => 'seven cents' })
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ cents: z.number() }),
    needsApproval: true,
    execute: () => 'paid',
  })
  const model = scriptedModel([
    { text: 'I look first.', toolCalls: [{ id: 'c1', name: 'look', args: {} }] },
    { text: 'Seven it is.', toolCalls: [{ id: 'c2', name: 'pay', args: { cents: 7 } }] },
    'All paid.',
  ])
  const agent = new Agent({ name: 'clerk', model, tools: [look, pay] })
  const { interruptions } = await run(agent, 'pay what I owe', { store, threadId: 't' })
  const caller = inboxOf(store).as(ann)
  const shown = await caller.show(interruptions[0]!.id)
  expect(shown).toMatchObject({
    cause: { text: 'pay what I owe' },
    modelText: 'Seven it is.',
    argsSchema: { type: 'object', properties: { cents: { type: 'number' } } },
    changes: [],
    similar: [],
    comments: [],
    grants: 0,
  })
  expect(shown.story.map(({ at: _at, ...item }) => item)).toEqual([
    { kind: 'person', text: 'pay what I owe' },
    { kind: 'model', agent: 'clerk', text: 'I look first.' },
    { kind: 'tool', tool: 'look', state: 'finished', text: 'seven cents', ms: expect.any(Number) },
    { kind: 'model', agent: 'clerk', text: 'Seven it is.' },
    { kind: 'request', id: interruptions[0]!.id, title: expect.any(String), status: 'open', here: true },
  ])
  await caller.post(`/v1/requests/${shown.request.id}/decide`, {
    ...seen(shown.request),
    decision: { type: 'approve' },
  })
  await run(agent, await RunState.load(agent, { threadId: 't', store }), { store })
  // What came after the request is not part of what led to it; what became of it is.
  const later = await caller.show(shown.request.id)
  expect(later.story.at(-1)).toMatchObject({ kind: 'request', status: 'decided', by: { id: 'ann' }, here: true })
  const { body } = await caller.get<{ story: object[] }>('/v1/threads/t')
  expect(body.story.slice(-3)).toMatchObject([
    { kind: 'tool', tool: 'pay', state: 'finished' },
    { kind: 'model', text: 'All paid.' },
    { kind: 'end', status: 'completed' },
  ])
})

it('a request of a long thread shows the last steps, and how many came before', async () => {
  const store = memoryStore()
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ cents: z.number() }),
    needsApproval: (_context, args) => args.cents > 1,
    execute: () => 'paid',
  })
  const small = Array.from({ length: 40 }, (_, at) => ({
    text: 'One more.',
    toolCalls: [{ id: `c${at}`, name: 'pay', args: { cents: 1 } }],
  }))
  const model = scriptedModel([...small, { toolCalls: [{ id: 'last', name: 'pay', args: { cents: 2 } }] }])
  const agent = new Agent({ name: 'clerk', model, tools: [pay] })
  const { interruptions } = await run(agent, 'pay', { store, threadId: 't', maxTurns: 60 })
  const caller = inboxOf(store).as(ann)
  const { story, earlier = 0 } = await caller.show(interruptions[0]!.id)
  expect(story).toHaveLength(60)
  expect(story.at(-1)).toMatchObject({ kind: 'request', here: true })
  const { body } = await caller.get<{ story: object[]; earlier?: number }>('/v1/threads/t')
  expect(body).not.toHaveProperty('earlier')
  expect(body.story).toHaveLength(earlier + story.length)
})

it('the words of a model that made a call for others are left out for those who may not see it', async () => {
  const store = memoryStore()
  const asked = [{ lists: [['bob']] }, {}]
  const agent = askingAgent(asked, { words: 'I also pay bob 500.' })
  const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
  const { as } = inboxOf(store)
  const mine = interruptions[1]!.id
  const part = await as(ann).show(mine)
  expect(part).not.toHaveProperty('modelText')
  expect(JSON.stringify(part)).not.toContain('pay bob')
  expect(await as({ sub: 'ada', roles: ['admin'] }).show(mine)).toMatchObject({ modelText: 'I also pay bob 500.' })
})

it('the length of a journal is told only to those who may read it: it counts what others may not see', async () => {
  const store = memoryStore()
  await ask(store, 't', {})
  const { as } = inboxOf(store)
  const thread = async (caller: typeof ann) => (await as(caller).get<object>('/v1/threads/t')).body
  expect(await thread(ann)).not.toHaveProperty('version')
  expect(await thread({ sub: 'ada', roles: ['auditor'] })).toHaveProperty('version')
})

it('a call whose facts changed after its approval is asked about again, with the difference', async () => {
  const store = memoryStore()
  let balance = 100
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ cents: z.number() }),
    needsApproval: true,
    preconditions: () => ({ balance, owner: 'ann' }),
    execute: () => 'paid',
  })
  const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'pay', args: { cents: 1 } }] }, 'Done.'])
  const agent = new Agent({ name: 'clerk', model, tools: [pay] })
  const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
  const caller = inboxOf(store).as(ann)
  const first = await caller.show(interruptions[0]!.id)
  await caller.post(`/v1/requests/${first.request.id}/decide`, {
    ...seen(first.request),
    decision: { type: 'approve' },
  })
  balance = 3
  const again = await run(agent, await RunState.load(agent, { threadId: 't', store }), { store })
  const second = await caller.show(again.interruptions[0]!.id)
  expect(second.request).toMatchObject({ supersedes: first.request.id, reason: 'changed' })
  expect(second.changes).toEqual([{ path: 'preconditions.balance', from: 100, to: 3 }])
})

it('earlier decisions about the same tool are shown, those of others are not', async () => {
  const store = memoryStore()
  const { as } = inboxOf(store)
  const admin = as({ sub: 'ada', roles: ['admin'] })
  const decide = async (id: string, caller: ReturnType<typeof as>) => {
    const { request } = await admin.show(id)
    const body = { ...seen(request), decision: { type: 'reject', message: 'no' } }
    expect((await caller.post(`/v1/requests/${id}/decide`, body)).status).toBe(200)
  }
  const [one] = await ask(store, 'a', {})
  const [hidden] = await ask(store, 'b', { lists: [['bob']] })
  await decide(one!, as(ann))
  await untilLater()
  await decide(hidden!, as({ sub: 'bob' }))
  const [now] = await ask(store, 'c', {})
  expect((await as(ann).show(now!)).similar).toEqual([
    {
      id: one,
      title: expect.any(String),
      outcome: 'reject',
      by: expect.objectContaining({ id: 'ann' }),
      at: expect.any(String),
    },
  ])
  expect((await admin.show(now!)).similar.map(({ id }) => id)).toEqual([hidden, one])
})

it('a policy shows which verdict it gave', async () => {
  const store = memoryStore()
  const [id] = await ask(store, 't', {})
  const { policies } = await inboxOf(store).as(ann).show(id!)
  expect(policies).toEqual([{ name: 'policy-0', version: '1', verdict: 'review' }])
})

it('a story says that a run was moved to another version of its agent, by whom and why', async () => {
  const store = memoryStore()
  await run(askingAgent([{ args: { cents: 1 } }]), 'go', { store, threadId: 't' })
  for (const [to, reason] of [
    ['2', 'version 1 pays twice'],
    [null, 'back again'],
  ] as const)
    await moveRun(store, { threadId: 't', to, by: 'olga', reason, force: true })
  const { body } = await inboxOf(store).as(ann).get<{ story: object[] }>('/v1/threads/t')
  const by = { kind: 'person', id: 'olga' }
  const moved = { kind: 'moved', at: expect.any(String), agent: expect.any(String), by }
  expect(body.story.slice(-2)).toEqual([
    { ...moved, version: '2', reason: 'version 1 pays twice' },
    { ...moved, reason: 'back again' },
  ])
})
