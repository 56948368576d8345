import { expect, it } from 'vitest'
import { z } from 'zod'
import { openDesk } from '../../src/desk/open-desk.ts'
import type { Queue } from '../../src/ports/queue.ts'
import { SYSTEM_TENANT } from '../../src/ports/records.ts'
import { inProcessQueue } from '../../src/queue/in-process/queue.ts'
import { Agent } from '../../src/runtime/agent/agent.ts'
import { tool } from '../../src/runtime/definition/tool/tool.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { enqueueRun } from '../../src/worker/enqueue-run.ts'
import { until } from '../support/until.ts'
import { decide, isOver, over, payer, type Scene, scene } from './scene.ts'

it('an approval in its undo window holds no slot, and is acted on when the window ends', async () => {
  const clock = fakeClock()
  const { store, start, events } = scene({ store: memoryStore({ clock }), queue: inProcessQueue({ clock }) })
  const paid: string[] = []
  const agent = payer({ pay: ({ threadId }) => paid.push(threadId) })
  const worker = await start(agent, { concurrency: 1 })
  await enqueueRun(store, { agent, threadId: 't', input: 'pay' })
  await decide(store, 't', { undoSeconds: 10 })
  await until(() => worker.status().active === 0)
  await enqueueRun(store, { agent, threadId: 'u', input: 'pay' })
  await decide(store, 'u')
  await over(store, 'u')
  clock.advance(9_900)
  await until(() => worker.status().active === 0)
  expect(paid).toEqual(['u'])
  clock.advance(200)
  await over(store, 't')
  expect(paid).toEqual(['u', 't'])
  expect(events.filter(({ type }) => type === 'error')).toEqual([])
})

it('a withdrawn approval wakes nobody', async () => {
  const clock = fakeClock()
  const { store, start } = scene({ store: memoryStore({ clock }), queue: inProcessQueue({ clock }) })
  const agent = payer({ pay: () => Promise.reject(new Error('it was withdrawn')) })
  const worker = await start(agent)
  await enqueueRun(store, { agent, threadId: 't', input: 'pay' })
  const id = await decide(store, 't', { undoSeconds: 10 })
  await openDesk({ store }).withdraw(id, 'ann')
  const { version } = await store.read('t')
  expect((await store.read('t')).wake.at).toBeNull()
  clock.advance(20_000)
  await until(() => worker.status().active === 0)
  expect(await isOver(store, 't')).toBe(false)
  expect((await store.read('t')).version).toBe(version)
})

/** Starts a worker that never sweeps, and waits until its relay reads the outbox. */
async function startRelaying({ store, start }: Scene, agent: Agent): Promise<void> {
  await start(agent, { sweepMs: 2_000_000_000 })
  await until(async () => (await store.tenant(SYSTEM_TENANT).readRecord('cursor', 'workers')) !== undefined)
}

/** A queue that hands out once what was rung for several times before. */
function merging(sound: Queue): Queue {
  const waiting = new Set<string>()
  return {
    ...sound,
    async ring(wakeUp, options) {
      if (waiting.has(wakeUp.threadId)) return
      waiting.add(wakeUp.threadId)
      await sound.ring(wakeUp, options)
    },
    consume: ({ handle, ...options }) =>
      sound.consume({
        ...options,
        async handle(wakeUp) {
          waiting.delete(wakeUp.threadId)
          await handle(wakeUp)
        },
      }),
  }
}

/** An agent that asks for two payments in one turn. */
function twicePayer(pay: (cents: number) => void): Agent {
  const call = (cents: number) => ({ id: `c${cents}`, name: 'pay', args: { cents } })
  return new Agent({
    id: 'payer',
    name: 'Payer',
    model: {
      respond: async ({ messages }) =>
        messages.at(-1)?.role === 'tool' ? { content: 'done' } : { toolCalls: [call(1), call(2)] },
    },
    tools: [
      tool({
        name: 'pay',
        description: 'Pays.',
        parameters: z.object({ cents: z.number() }),
        needsApproval: true,
        execute: ({ cents }) => pay(cents),
      }),
    ],
  })
}

it('a worker that leaves a thread inside a second undo window is woken when that window ends, without any sweep', async () => {
  const clock = fakeClock()
  const place = scene({ store: memoryStore({ clock }), queue: merging(inProcessQueue({ clock })) })
  const { store, events } = place
  const paid: number[] = []
  const agent = twicePayer((cents) => paid.push(cents))
  await startRelaying(place, agent)
  await enqueueRun(store, { agent, threadId: 't', input: 'pay' })
  const desk = openDesk({ store })
  await until(async () => (await desk.list({ status: 'open' })).requests.length === 2)
  const { requests } = await desk.list({ status: 'open' })
  for (const [index, request] of requests.entries())
    await desk.decide({ request, decision: { type: 'approve' }, by: 'ann', undoSeconds: 1 + 9 * index })
  const { rows } = await store.outbox({ after: '0' })
  const relayed = () => events.reduce((sum, event) => sum + (event.type === 'relayed' ? event.rows : 0), 0)
  const driven = () => events.filter(({ type }) => type === 'driven').length
  await until(() => relayed() === rows.length)
  clock.advance(1000)
  await until(() => paid.length === 1 && driven() === 2)
  clock.advance(9000)
  await over(store, 't')
  expect(paid.toSorted()).toEqual([1, 2])
  expect(events.filter(({ type }) => type === 'swept')).toEqual([])
})

it('a thread whose wake-up comes before its undo window ends is woken again when it ends, without any sweep', async () => {
  const clock = fakeClock()
  const sound = inProcessQueue({ clock })
  let isHasty = true
  const hasty: Queue = {
    ...sound,
    async ring(wakeUp, { delayMs = 0 } = {}) {
      const isEarly = isHasty && delayMs > 0
      if (isEarly) isHasty = false
      await sound.ring(wakeUp, isEarly ? {} : { delayMs })
    },
  }
  const place = scene({ store: memoryStore({ clock }), queue: hasty })
  const { store, events } = place
  const agent = payer()
  await startRelaying(place, agent)
  await enqueueRun(store, { agent, threadId: 't', input: 'pay' })
  await decide(store, 't', { undoSeconds: 10 })
  await until(() => !isHasty && events.some((event) => event.type === 'passed' && event.why === 'not_due'))
  clock.advance(10_000)
  await over(store, 't')
  expect(events.filter(({ type }) => type === 'swept')).toEqual([])
})
