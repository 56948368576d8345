import { expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, CheckpointedChannel, InMemoryChannel, memoryStore, tool } from '../src/index.ts'
import { scriptedModel } from '../src/testing.ts'
const make = (steps: number[] = []) => {
  const ran: unknown[] = []
  const refund = tool({ name: 'refund', description: 'Refund', parameters: z.object({ orderId: z.number() }), needsApproval: true, execute: (a) => { ran.push(a); return 'ok' } })
  const deploy = tool({ name: 'deploy', description: 'd', parameters: z.object({}), resumable: true, execute: async (_a, ctx) => {
    const x = await ctx.step('one', () => { steps.push(1); return steps.length })
    const ok = await ctx.confirm('Sure?', { details: { x } })
    ran.push(['deployed', ok, x]); return `deployed ${ok}` } })
  const script = (): any => ((request: any) => {
    const results = request.messages.filter((m: any) => m.role === 'tool')
    if (results.length === 0) return { toolCalls: [{ id: 'c1', name: 'refund', args: { orderId: 1 } }, { id: 'c2', name: 'refund', args: { orderId: 2 } }] }
    if (results.length === 2) return { toolCalls: [{ id: 'c3', name: 'deploy', args: {} }] }
    return 'Done.'
  })
  const model = scriptedModel(Array.from({ length: 10 }, script))
  return { agent: new Agent({ name: 'a', model, tools: [refund, deploy] }), ran, steps }
}
const until = async (f: () => unknown) => { for (let i = 0; i < 200; i++) { const v = f(); if (v) return v as any; await new Promise((r) => setTimeout(r, 5)) } throw new Error('timeout') }
it('live', async () => {
  const { agent, ran } = make()
  const channel = new InMemoryChannel()
  const thread = agent.thread('t', { channel })
  const events: any[] = []
  thread.subscribe((e) => events.push(e.type))
  const p = thread.prompt('go')
  await until(() => channel.pending?.questionId === 'c1')
  await channel.answer('c1', { type: 'approve' })
  await until(() => channel.pending?.questionId === 'c2')
  expect(ran.length).toBe(0)
  await channel.answer('c2', { type: 'reject', message: 'no' })
  const q = await until(() => channel.pending?.kind === 'confirm' && channel.pending)
  await expect(channel.answer(q.questionId, 'yes')).rejects.toThrow(/true or false/)
  await channel.answer(q.questionId, true)
  const r = await p
  expect(r.status, String((r as any).error)).toBe('completed')
  console.log(events.join(' '), ran)
}, 10000)
it('detach + respond fresh + resumable body', async () => {
  const { agent, ran, steps } = make()
  const store = memoryStore()
  const t1 = agent.thread('t', { store, channel: new CheckpointedChannel({ store, threadId: 't' }) })
  const events: any[] = []
  t1.subscribe((e) => events.push(e.type))
  const p = t1.prompt('go')
  await until(() => t1.inFlightHitlRequest)
  await t1.detach()
  expect((await p).status).toBe('suspended')
  console.log(events.join(' '))
  const fresh = () => agent.thread('t', { store, channel: new CheckpointedChannel({ store, threadId: 't' }) })
  const t2 = fresh()
  expect((await t2.loadPendingHitlRequest())?.questionId).toBe('c1')
  const r2p = t2.respond({ questionId: 'c1', answer: { type: 'approve' } })
  await until(() => t2.channel?.pending?.questionId === 'c2')
  await t2.channel!.answer('c2', { type: 'approve' })
  await until(() => t2.channel?.pending?.kind === 'confirm')
  expect(ran.length).toBe(2)
  await t2.detach()
  expect((await r2p).status).toBe('suspended')
  const t3 = fresh()
  const r3 = await t3.respond({ answer: true })
  expect(r3.status, String((r3 as any).error)).toBe('completed')
  expect(steps.length).toBe(1)
  console.log(ran)
}, 10000)
it('abort', async () => {
  const { agent } = make()
  const thread = agent.thread('t', { channel: new InMemoryChannel() })
  const p = thread.prompt('go')
  await until(() => thread.inFlightHitlRequest)
  const r = await thread.abortPending({ reason: 'stop' })
  expect(r.status).toBe('aborted')
  console.log(JSON.stringify(r.messages), (await p).status)
})
