import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, humanInTheLoop, memoryStore, RunState, run, tool } from '../../../src/index.ts'
import type { RequestItem } from '../../../src/protocol/api/requests.ts'
import { fakeClock, scriptedModel } from '../../../src/testing.ts'
import { policedAgent } from '../../support/agents/policed-agent.ts'
import { ask, askingAgent, diskStore, inboxOf, seen } from '../../support/gateway/inbox-scene.ts'

const ann = { sub: 'ann', roles: ['reviewer'], groups: ['finance'] }
const bob = { sub: 'bob', roles: ['reviewer'] }

/** One open request, and ann and bob who look at it. */
async function scene(store = diskStore(), options = {}) {
  const ran: unknown[] = []
  const agent = askingAgent([{ args: { cents: 5 } }], { ran })
  const { interruptions } = await run(agent, 'pay it back', { store, threadId: 't' })
  const id = interruptions[0]!.id
  const { as } = inboxOf(store, options)
  const { request } = await as(ann).show(id)
  const goOn = async () => run(agent, await RunState.load(agent, { threadId: 't', store }), { store })
  return { store, id, ran, goOn, ann: as(ann), bob: as(bob), as, saw: seen(request), path: `/v1/requests/${id}` }
}

describe('a decision', () => {
  it('is stored with who made it, their groups and the door, and the run goes on with it', async () => {
    const { ann: caller, path, saw, goOn, ran } = await scene()
    const body = { ...saw, decision: { type: 'approve' }, comment: 'checked' }
    const decided = await caller.post<RequestItem>(`${path}/decide`, body)
    expect(decided.status).toBe(200)
    expect(decided.body).toMatchObject({
      status: 'decided',
      version: saw.version + 1,
      decided: {
        decision: { type: 'approve' },
        by: { kind: 'person', id: 'ann', via: 'api', groups: ['finance'] },
        comment: 'checked',
      },
    })
    await goOn()
    expect(ran).toEqual([['refund', { cents: 5 }]])
  })

  it('of two people who race is made once: the loser is told who decided what', async () => {
    const { ann: one, bob: other, path, saw, goOn, ran } = await scene()
    const outcomes = await Promise.all([
      one.post<RequestItem>(`${path}/decide`, { ...saw, decision: { type: 'approve' } }),
      other.post<RequestItem>(`${path}/decide`, { ...saw, decision: { type: 'reject', message: 'no' } }),
    ])
    expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 409])
    const won = outcomes.find(({ status }) => status === 200)!
    const lost = outcomes.find(({ status }) => status === 409)!
    expect(lost.body).toMatchObject({ code: 'already_decided', request: { decided: won.body.decided } })
    await goOn()
    expect(ran).toHaveLength(won.body.decided!.by.id === 'ann' ? 1 : 0)
  })

  it('must name the version and the digest that the person saw', async () => {
    const { ann: caller, path, saw } = await scene()
    const decision = { type: 'approve' }
    const without = await caller.post(`${path}/decide`, { version: saw.version, decision })
    expect([without.status, without.body.code]).toEqual([400, 'invalid'])
    const otherCall = await caller.post(`${path}/decide`, { ...saw, digest: 'another', decision })
    expect([otherCall.status, otherCall.body.code]).toEqual([409, 'request_changed'])
    const otherVersion = await caller.post(`${path}/decide`, { ...saw, version: saw.version + 1, decision })
    expect([otherVersion.status, otherVersion.body.code]).toEqual([409, 'request_changed'])
    expect(otherVersion.body.request).toMatchObject({ status: 'open', version: saw.version })
    expect((await caller.post(`${path}/decide`, { ...saw, decision })).status).toBe(200)
  })

  it('that is made again by the same person is done already', async () => {
    const { ann: caller, path, saw } = await scene()
    const body = { ...saw, decision: { type: 'approve' } }
    const [first, second] = [await caller.post(`${path}/decide`, body), await caller.post(`${path}/decide`, body)]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body).toEqual(first.body)
  })

  it('with an edit that does not fit is refused with the problems, and the request stays open', async () => {
    const store = diskStore()
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      parameters: z.object({ cents: z.number() }),
      needsApproval: true,
      execute: () => 'paid',
    })
    const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'pay', args: { cents: 1 } }] }, 'Done.'])
    const agent = new Agent({ name: 'clerk', model, tools: [pay] })
    const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
    const caller = inboxOf(store).as(ann)
    const { request } = await caller.show(interruptions[0]!.id)
    const decision = { type: 'edit', args: { cents: 'many' } }
    const path = `/v1/requests/${request.id}/decide`
    const refused = await caller.post(path, { ...seen(request), decision })
    expect([refused.status, refused.body.code]).toEqual([422, 'edit_invalid'])
    expect(refused.body.problems).toEqual([expect.stringContaining('cents')])
    const edited = await caller.post(path, { ...seen(request), decision: { type: 'edit', args: { cents: 2 } } })
    expect(edited.status).toBe(200)
  })

  it('of a kind that the policy does not allow is refused', async () => {
    const { ann: caller, path, saw } = await scene()
    const refused = await caller.post(`${path}/decide`, { ...saw, decision: { type: 'approve', always: 'yes' } })
    expect([refused.status, refused.body.code]).toEqual([400, 'decision_invalid'])
    const none = await caller.post(`${path}/decide`, { ...saw, decision: { type: 'shrug' } })
    expect([none.status, none.body.code]).toEqual([400, 'decision_invalid'])
  })

  it('may become a grant for the run or thread; beyond that only of operators and admins', async () => {
    const { ann: caller, as, path, saw } = await scene()
    const decision = { type: 'approve' }
    for (const always of [{ scope: 'agent' }, { scope: 'tenant' }]) {
      expect((await caller.post(`${path}/decide`, { ...saw, decision, always })).status).toBe(403)
      expect((await caller.post(`${path}/decide`, { ...saw, decision: { ...decision, always } })).status).toBe(403)
    }
    const admin = as({ sub: 'ada', roles: ['admin'] })
    expect((await caller.show(path.slice(13))).offers).toEqual([{ scope: 'run' }, { scope: 'thread' }])
    expect((await admin.show(path.slice(13))).offers).toHaveLength(4)
    expect((await admin.post(`${path}/decide`, { ...saw, decision, always: { scope: 'tenant' } })).status).toBe(200)
    const { body } = await admin.get<{ grants: object[] }>('/v1/grants')
    expect(body.grants).toEqual([expect.objectContaining({ scope: 'tenant', tool: 'refund', decision: 'approve' })])
  })

  it('may become a grant up to an amount, which is shown in the currency of the call', async () => {
    const store = diskStore()
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      parameters: z.object({ cents: z.number(), in: z.string() }),
      needsApproval: true,
      display: {
        title: 'Pay {cents}',
        fields: { cents: { format: 'money', currency: { path: 'in' }, unit: 'minor' } },
      },
      execute: () => 'paid',
    })
    const model = scriptedModel([{ toolCalls: [{ id: 'c', name: 'pay', args: { cents: 500, in: 'EUR' } }] }])
    const { interruptions } = await run(new Agent({ name: 'a', model, tools: [pay] }), 'pay', { store, threadId: 't' })
    const caller = inboxOf(store).as(ann)
    const { request } = await caller.show(interruptions[0]!.id)
    const body = { ...seen(request), decision: { type: 'approve' }, always: { cap: { field: 'cents', max: 25_000 } } }
    expect((await caller.post(`/v1/requests/${request.id}/decide`, body)).status).toBe(200)
    expect((await caller.get<{ grants: object[] }>('/v1/grants')).body.grants).toEqual([
      expect.objectContaining({ cap: 25_000, money: { currency: 'EUR', unit: 'minor' } }),
    ])
  })

  it('is not for those who are not among the reviewers of every list, whatever their role', async () => {
    const store = diskStore()
    const [id] = await ask(store, 't', {
      lists: [
        ['group:finance', 'zoe'],
        ['group:leads', 'zoe'],
      ],
    })
    const { as } = inboxOf(store)
    const attempt = async (person: Parameters<typeof as>[0]) => {
      const { request } = await as({ sub: 'ada', roles: ['admin'] }).show(id!)
      const body = { ...seen(request), decision: { type: 'approve' } }
      return (await as(person).post(`/v1/requests/${id}/decide`, body)).status
    }
    expect(await attempt({ sub: 'ada', roles: ['admin'] })).toBe(403)
    expect(await attempt({ sub: 'ann', roles: ['reviewer'], groups: ['finance'] })).toBe(403)
    expect(await attempt({ sub: 'rex', roles: ['reviewer'] })).toBe(404)
    expect(await attempt({ sub: 'max', roles: ['auditor'], groups: ['finance', 'leads'] })).toBe(403)
    expect(await attempt({ sub: 'bot', roles: ['admin', 'agent'], groups: ['finance', 'leads'] })).toBe(403)
    expect(await attempt({ sub: 'eve', groups: ['finance', 'leads'] })).toBe(200)
  })
})

describe('the undo window', () => {
  it('lets the author take a decision back; the question is open again with the next version', async () => {
    const { ann: caller, path, saw, goOn, ran, id } = await scene(diskStore(), { undoSeconds: 3600 })
    const decided = await caller.post<RequestItem>(`${path}/decide`, { ...saw, decision: { type: 'approve' } })
    const { at, effectiveAt } = decided.body.decided!
    expect(Date.parse(effectiveAt) - Date.parse(at)).toBe(3_600_000)
    const { version } = decided.body
    const stale = await caller.post(`${path}/withdraw`, { version: version - 1 })
    expect([stale.status, stale.body.code]).toEqual([409, 'already_decided'])
    const withdrawn = await caller.post<RequestItem>(`${path}/withdraw`, { version })
    expect(withdrawn.body).toMatchObject({ status: 'open', version: version + 1 })
    expect(withdrawn.body.decided).toBeUndefined()
    const again = await caller.post(`${path}/withdraw`, { version: version + 1 })
    expect([again.status, again.body.code]).toEqual([409, 'request_changed'])
    const { interruptions } = await goOn()
    expect(interruptions.map((request) => request.id)).toEqual([id])
    expect(ran).toEqual([])
  })

  it('leaves an expired request if its deadline has passed meanwhile, and says so', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const policy = humanInTheLoop({ interruptOn: { ping: { timeoutSeconds: 60 } } })
    const { agent } = policedAgent(policy, { calls: [['ping', { query: '' }]] })
    const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
    const caller = inboxOf(store, { undoSeconds: 30 }).as(ann)
    const path = `/v1/requests/${interruptions[0]!.id}`
    clock.advance(59_000)
    const saw = seen((await caller.show(interruptions[0]!.id)).request)
    const { body } = await caller.post<RequestItem>(`${path}/decide`, { ...saw, decision: { type: 'approve' } })
    clock.advance(2_000)
    const withdrawn = await caller.post<RequestItem>(`${path}/withdraw`, { version: body.version })
    expect(withdrawn.status).toBe(200)
    expect(withdrawn.body).toMatchObject({ status: 'expired', version: body.version + 2 })
    expect(withdrawn.body.decided).toBeUndefined()
  })

  it('is for the author, operators and admins', async () => {
    const { ann: caller, bob: other, as, path, saw } = await scene(diskStore(), { undoSeconds: 3600 })
    const decided = await caller.post<RequestItem>(`${path}/decide`, { ...saw, decision: { type: 'approve' } })
    const { version } = decided.body
    expect((await other.post(`${path}/withdraw`, { version })).status).toBe(403)
    expect((await as({ sub: 'aud', roles: ['auditor'] }).post(`${path}/withdraw`, { version })).status).toBe(403)
    const operator = as({ sub: 'olga', roles: ['operator'] })
    expect((await operator.post(`${path}/withdraw`, { version })).status).toBe(200)
  })

  it('ends when the call has started', async () => {
    const { ann: caller, path, saw, goOn, ran } = await scene(diskStore(), { undoSeconds: 0 })
    const decided = await caller.post<RequestItem>(`${path}/decide`, { ...saw, decision: { type: 'approve' } })
    await goOn()
    expect(ran).toHaveLength(1)
    const late = await caller.post(`${path}/withdraw`, { version: decided.body.version })
    expect([late.status, late.body.code]).toEqual([409, 'already_decided'])
    expect(late.body.request).toMatchObject({ decided: { by: { id: 'ann' } } })
  })
})

describe('an answer', () => {
  it('fits its question, comes once, and is not for a call', async () => {
    const store = memoryStore()
    const confirm = tool({
      name: 'sure',
      description: 'Asks.',
      parameters: z.object({}),
      resumable: true,
      execute: async (_args, ctx) => ((await ctx!.confirm('Really?')) ? 'yes' : 'no'),
    })
    const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'sure', args: {} }] }, 'Done.'])
    const agent = new Agent({ name: 'clerk', model, tools: [confirm] })
    await run(agent, 'go', { store, threadId: 't' })
    const caller = inboxOf(store).as(ann)
    const [item] = (await caller.list()).requests
    expect(item).toMatchObject({ kind: 'confirm', title: 'Really?' })
    const path = `/v1/requests/${item!.id}`
    const { version } = item!
    expect((await caller.post(`${path}/decide`, { version, decision: { type: 'approve' } })).status).toBe(400)
    const odd = await caller.post(`${path}/answer`, { version, answer: 'perhaps' })
    expect([odd.status, odd.body.code]).toEqual([400, 'answer_invalid'])
    const answered = await caller.post<RequestItem>(`${path}/answer`, { version, answer: true })
    expect(answered.body).toMatchObject({ status: 'decided', answered: { value: true, by: { id: 'ann' } } })
    const late = await inboxOf(store).as(bob).post(`${path}/answer`, { version, answer: false })
    expect([late.status, late.body.code]).toEqual([409, 'already_decided'])
    expect(late.body.request).toMatchObject({ answered: { value: true, by: { id: 'ann' } } })
  })

  it('that nobody can give is said with a reason, once, which the agent reads; a call is rejected instead', async () => {
    const store = diskStore()
    const setUp = tool({
      name: 'set_up',
      description: 'Asks.',
      parameters: z.object({}),
      resumable: true,
      execute: async (_args, ctx) => JSON.stringify(await ctx!.ask([{ key: 'iban', prompt: 'Which account?' }])),
    })
    const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'set_up', args: {} }] }, 'Done.'])
    const agent = new Agent({ name: 'clerk', model, tools: [setUp] })
    await run(agent, 'go', { store, threadId: 't' })
    const { as } = inboxOf(store)
    const caller = as(ann)
    const [item] = (await caller.list()).requests
    const path = `/v1/requests/${item!.id}/cancel`
    const body = { version: item!.version, reason: 'finance knows' }
    expect((await as({ sub: 'aud', roles: ['auditor'] }).post(path, body)).status).toBe(403)
    expect((await caller.post(path, { ...body, reason: '' })).status).toBe(400)
    expect((await caller.post(path, { ...body, version: 7 })).body.code).toBe('request_changed')
    const cancelled = await caller.post<RequestItem>(path, body, 'key')
    const closed = { reason: 'finance knows', by: { id: 'ann', groups: ['finance'], via: 'api' } }
    expect(cancelled.body).toMatchObject({ status: 'cancelled', closed })
    expect((await caller.post<RequestItem>(path, body, 'key')).body).toEqual(cancelled.body)
    const late = await as(bob).post(path, body)
    expect([late.status, late.body.code, late.body.request?.status]).toEqual([409, 'already_decided', 'cancelled'])
    await run(agent, await RunState.load(agent, { threadId: 't', store }), { store })
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('finance knows')

    const call = await scene()
    const refused = await call.ann.post(`${call.path}/cancel`, { version: 1, reason: 'no' })
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('/decide')])
  })

  it('that comes after the deadline finds the request expired', async () => {
    const store = memoryStore()
    const agent = new Agent({
      name: 'clerk',
      model: scriptedModel([{ toolCalls: [{ id: 'c1', name: 'pay', args: {} }] }, 'Done.']),
      tools: [
        tool({ name: 'pay', description: 'Pays.', parameters: z.object({}), needsApproval: true, execute: () => 1 }),
      ],
      policy: (await import('../../../src/index.ts')).humanInTheLoop({
        interruptOn: { pay: { timeoutSeconds: 0.05 } },
      }),
    })
    const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
    const caller = inboxOf(store).as(ann)
    const { request } = await caller.show(interruptions[0]!.id)
    await new Promise((resolve) => setTimeout(resolve, 80))
    const late = await caller.post(`/v1/requests/${request.id}/decide`, {
      ...seen(request),
      decision: { type: 'approve' },
    })
    expect([late.status, late.body.code]).toEqual([409, 'already_decided'])
    expect(late.body.request).toMatchObject({ status: 'expired', closed: { by: { kind: 'time' } } })
  })
})
