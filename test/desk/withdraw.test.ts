import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, CheckpointedChannel, memoryStore, openDesk, run, tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { abortRun } from '../../src/worker.ts'
import { entriesOf } from '../support/stores/entries.ts'

const ann = { kind: 'person', id: 'ann' } as const
const approve = { type: 'approve' } as const

/** Two calls that wait, and the desk that decides them. */
async function asked() {
  const store = memoryStore()
  const pay = tool({
    name: 'pay',
    description: 'pay',
    parameters: z.object({}),
    needsApproval: true,
    execute: () => 'ok',
  })
  const sure = tool({
    name: 'sure',
    description: 'sure',
    parameters: z.object({}),
    resumable: true,
    execute: async (_, ctx) => String(await ctx.confirm('Really?')),
  })
  const toolCalls = ['pay', 'pay', 'sure'].map((name, index) => ({ id: `c${index}`, name, args: {} }))
  const agent = new Agent({ name: 'agent', model: scriptedModel([{ toolCalls }, 'Done.']), tools: [pay, sure] })
  const { interruptions, state } = await run(agent, 'go', { store, threadId: 't' })
  const confirm = interruptions.find(({ kind }) => kind === 'confirm')?.id ?? ''
  const [first = '', second = ''] = interruptions.filter(({ kind }) => kind === 'approve').map(({ id }) => id)
  return { store, desk: openDesk({ store }), first, second, confirm, resume: () => run(agent, state) }
}

describe('withdrawing a decision', () => {
  it('opens the request again, one version on, and the record says who took back what', async () => {
    const { store, desk, first } = await asked()
    await desk.decide({ request: first, decision: approve, by: ann })
    await desk.withdraw(first, ann)
    expect(await desk.get(first)).toMatchObject({ status: 'open', version: 3 })
    expect((await entriesOf(store, 't')).at(-1)).toMatchObject({
      type: 'request.reopened',
      id: first,
      version: 3,
      cause: 'withdrawn',
      by: ann,
    })
  })

  it('is not said to have taken effect where the run was aborted inside of its undo window', async () => {
    const { store, desk, first } = await asked()
    await desk.decide({ request: first, decision: approve, by: ann, undoSeconds: 60 })
    await abortRun(store, { threadId: 't', by: 'olga', reason: 'enough' })
    await expect(desk.withdraw(first, ann)).rejects.toMatchObject({
      code: 'stale_answer',
      message: `The decision on request ${first} cannot be withdrawn any more: its run was aborted.`,
    })
  })

  it('is for its author alone: the same kind and the same id', async () => {
    const { desk, first } = await asked()
    await desk.decide({ request: first, decision: approve, by: ann })
    for (const by of [{ ...ann, id: 'bob' }, { kind: 'system', id: 'ann' } as const])
      await expect(desk.withdraw(first, by)).rejects.toMatchObject({
        code: 'decision_not_allowed',
        message: expect.stringContaining('Only ann'),
      })
    expect(await desk.get(first)).toMatchObject({ status: 'decided', version: 2 })
  })

  it('is refused where nothing was decided: still open, closed, or an answer to another kind of question', async () => {
    const { desk, first, second, confirm } = await asked()
    await desk.cancel(second, { reason: 'over', by: ann })
    await desk.answer(confirm, true, { by: ann })
    for (const [id, requestStatus] of [
      [first, 'open'],
      [second, 'cancelled'],
      [confirm, 'decided'],
    ])
      await expect(desk.withdraw(id!, ann)).rejects.toMatchObject({
        name: 'HitlStaleAnswer',
        requestId: id,
        requestStatus,
      })
  })

  it('is refused once the call was started', async () => {
    const { desk, first, resume } = await asked()
    await desk.decide({ request: first, decision: approve, by: ann })
    await resume()
    await expect(desk.withdraw(first, ann)).rejects.toMatchObject({
      code: 'stale_answer',
      message: expect.stringContaining('has taken effect'),
    })
  })

  it('takes nothing back of a later request about the same call, which somebody else decided', async () => {
    let balance = 100
    const pay = tool({
      name: 'pay',
      description: 'pay',
      parameters: z.object({}),
      needsApproval: true,
      preconditions: () => ({ balance }),
      execute: () => 'ok',
    })
    const store = memoryStore()
    const desk = openDesk({ store })
    const model = scriptedModel([{ toolCalls: [{ id: 'c', name: 'pay', args: {} }] }])
    const agent = new Agent({ name: 'agent', model, tools: [pay] })
    const { interruptions, state } = await run(agent, 'go', { store, threadId: 't' })
    const first = interruptions[0]!.id
    await desk.decide({ request: first, decision: approve, by: ann })
    balance = 10
    const second = (await run(agent, state)).interruptions[0]!.id
    const bob = { ...ann, id: 'bob' }
    await desk.decide({ request: second, decision: { type: 'reject' }, by: bob, undoSeconds: 60 })
    await expect(desk.withdraw(first, ann)).rejects.toMatchObject({ code: 'stale_answer' })
    expect(await desk.get(second)).toMatchObject({ status: 'decided', decision: { by: bob } })
    await desk.withdraw(second, bob)
    expect(await desk.get(second)).toMatchObject({ status: 'open', version: 3 })
  })

  it('opens the request before a final answer again, and that one alone', async () => {
    const store = memoryStore()
    const desk = openDesk({ store })
    const gate = { name: 'gate', afterModel: () => ({ hold: { description: 'Send it?' } }) }
    const agent = new Agent({ name: 'agent', model: scriptedModel(['Bye.']), middleware: [gate] })
    const paused = await run(agent, 'go', { store, threadId: 't' })
    const { id } = paused.interruptions[0]!
    await desk.decide({ request: id, decision: approve, by: ann, undoSeconds: 60 })
    await desk.withdraw(id, ann)
    expect(await desk.get(id)).toMatchObject({ status: 'open', version: 3 })
    await desk.decide({ request: id, decision: approve, by: ann })
    expect(await run(agent, paused.state)).toMatchObject({ status: 'completed', finalOutput: 'Bye.' })
    await expect(desk.withdraw(id, ann)).rejects.toMatchObject({ code: 'stale_answer' })
  })

  it('is refused for what an application asked by itself, which goes on at once', async () => {
    const store = memoryStore()
    const desk = openDesk({ store })
    const channel = new CheckpointedChannel({ store, threadId: 't' })
    const asked = channel.approve({ toolName: 'pay', toolCallId: 'c', args: {} })
    await expect.poll(async () => (await desk.list({ status: 'open' })).requests.length).toBe(1)
    const { id } = (await desk.list({ status: 'open' })).requests[0]!
    await desk.decide({ request: id, decision: approve, by: ann })
    await asked
    await expect(desk.withdraw(id, ann)).rejects.toMatchObject({
      code: 'stale_answer',
      message: expect.stringContaining('has taken effect'),
    })
  })

  it('takes the standing decision back that it gave, and no other', async () => {
    const { desk, first, second } = await asked()
    await desk.decide({ request: first, decision: approve, by: ann, always: { scope: 'agent' } })
    await desk.decide({ request: second, decision: { type: 'reject' }, by: ann, always: { scope: 'agent' } })
    const inForce = async () => (await desk.grants()).grants.map(({ requestId }) => requestId)
    expect((await inForce()).sort()).toEqual([first, second].sort())
    await desk.withdraw(first, ann)
    expect(await inForce()).toEqual([second])
  })

  it('goes through if its standing decision was revoked before', async () => {
    const { desk, first } = await asked()
    await desk.decide({ request: first, decision: approve, by: ann, always: { scope: 'agent' } })
    const [grant] = (await desk.grants()).grants
    await desk.revoke(grant!.id, { by: ann })
    await desk.withdraw(first, ann)
    expect(await desk.get(first)).toMatchObject({ status: 'open', version: 3 })
  })
})
