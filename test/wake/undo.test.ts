import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type AgentOptions,
  type Decision,
  humanInTheLoop,
  type Middleware,
  openDesk,
  run,
  type Store,
} from '../../src/index.ts'
import { uuidSource } from '../../src/protocol/uuid.ts'
import { Journal } from '../../src/runtime/journal/journal.ts'
import { Loop } from '../../src/runtime/loop/loop.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { policedAgent } from '../support/agents/policed-agent.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const by = 'ann'
const approve: Decision = { type: 'approve' }

/** A final answer that a person reviews. */
const reviewed: Middleware = { name: 'reviewed', afterModel: () => ({ hold: { description: 'Send it?' } }) }

async function decided(
  undoSeconds: number,
  { decision = approve, options = {} }: { decision?: Decision; options?: Partial<AgentOptions> } = {},
) {
  const clock = fakeClock()
  const { clock: _, ...store } = memoryStore({ clock })
  const desk = openDesk({ store })
  const parameters = z.looseObject({}).refine(({ amount }) => amount !== 13)
  const refund = gated('refund', { parameters })
  const script = options.middleware ? ['Dear Ann', 'Done.'] : [calls(['a', 'refund']), 'Done.']
  const { agent, model } = scripted(script, [refund], options)
  const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
  const [request] = await desk.decide({ request: interruptions[0]!, decision, by, undoSeconds })
  return { clock, store, desk, agent, model, refund, request: request! }
}

async function typesIn(store: Store): Promise<string[]> {
  return (await store.read('t')).entries.map(({ body }) => JSON.parse(body).type)
}

/** A journal of a process whose clock is an hour ahead of the store's. */
async function aheadOf(store: Store): Promise<Journal> {
  const journal = await Journal.open(store, 't')
  const now = journal.now.bind(journal)
  let told = 0
  const sent = store.append
  Object.assign(store, {
    append: async (append: Parameters<Store['append']>[0]) => {
      told++
      return sent(append)
    },
  })
  journal.now = () => now() + (told === 0 ? 3_600_000 : 0)
  return journal
}

describe('the undo window of a decision', () => {
  it('holds no slot: a driver that does not stay leaves, and the mark has its end', async () => {
    const { clock, store, agent, refund } = await decided(10)
    const journal = await Journal.open(store, 't')
    const loop = new Loop(agent, journal, { newId: uuidSource(), whenWaiting: 'leave' })
    expect(await loop.drive()).toEqual({ kind: 'paused' })
    expect(await store.ready()).toMatchObject({ threads: [], nextAt: clock.now() + 10_000 })
    expect(refund.runs).toEqual([])
    clock.advance(10_000)
    expect((await store.ready()).threads).toHaveLength(1)
    expect((await agent.thread('t', { store }).resume()).status).toBe('completed')
    expect(refund.runs).toHaveLength(1)
  })

  it.each<[string, Decision, Partial<AgentOptions>]>([
    ['an approval', approve, {}],
    ['a rejection', { type: 'reject', message: 'no' }, {}],
    ['an answer in place of the tool', { type: 'respond', message: 'done by hand' }, {}],
    ['an edit', { type: 'edit', args: { amount: 1 } }, {}],
    ['an edit that the tool refuses', { type: 'edit', args: { amount: 13 } }, {}],
    ['a final answer that is let through', approve, { middleware: [reviewed] }],
    ['a final answer that is replaced', { type: 'respond', message: 'Dear Bob' }, { middleware: [reviewed] }],
    ['a final answer that is rejected', { type: 'reject' }, { middleware: [reviewed] }],
  ])(
    'counts by the clock of the store: a process whose clock is ahead does not act before: %s',
    async (_, decision, options) => {
      const { clock, store, desk, agent, refund, request } = await decided(10, { decision, options })
      const before = await typesIn(store)
      const journal = await aheadOf(store)
      const loop = new Loop(agent, journal, { newId: uuidSource(), whenWaiting: 'leave' })
      expect(await loop.drive()).toEqual({ kind: 'paused' })
      expect(refund.runs).toEqual([])
      expect(await typesIn(store)).toEqual(before)
      clock.advance(9_999)
      expect(await desk.withdraw(request, by)).toMatchObject({ status: 'open' })
      await desk.decide({ request: request.id, decision, by, undoSeconds: 10 })
      clock.advance(10_000)
      await agent.thread('t', { store }).resume()
      expect(await typesIn(store)).not.toEqual(before)
    },
  )

  it('ends for whoever withdraws, too: from then on the decision stands', async () => {
    const { clock, desk, request } = await decided(10)
    clock.advance(9_999)
    expect(await desk.withdraw(request, by)).toMatchObject({ status: 'open', version: 3 })
    await desk.decide({ request: request.id, decision: approve, by, undoSeconds: 10 })
    clock.advance(10_000)
    await expect(desk.withdraw(request.id, by)).rejects.toMatchObject({ code: 'stale_answer' })
  })
})

describe('a decision that is withdrawn while a driver acts on it', () => {
  it('is not acted on: the decision that was made instead is', async () => {
    let withdrawn = 0
    const toolErrorFormatter = async () => {
      withdrawn++
      await desk.withdraw(request, by)
      const decision = { type: 'respond', message: 'done by hand' } as const
      await desk.decide({ request: request.id, decision, by })
      return 'rejected'
    }
    const decision = { type: 'reject' } as const
    const { store, desk, agent, model, request } = await decided(0, { decision, options: { toolErrorFormatter } })
    expect((await agent.thread('t', { store }).resume()).status).toBe('completed')
    expect(withdrawn).toBe(1)
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('done by hand')
  })
})

describe('a decision that is withdrawn after the deadline of its request', () => {
  it('leaves an expired request, says so, and the thread is driven', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const desk = openDesk({ store })
    const policy = humanInTheLoop({ interruptOn: { ping: { timeoutSeconds: 60 } } })
    const { agent } = policedAgent(policy, { calls: [['ping', { query: '' }]] })
    const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
    clock.advance(59_000)
    const [request] = await desk.decide({ request: interruptions[0]!, decision: approve, by, undoSeconds: 30 })
    clock.advance(2_000)
    expect(await desk.withdraw(request!, by)).toMatchObject({ status: 'expired', version: 4 })
    expect((await store.due()).requests).toEqual([])
    expect((await store.ready()).threads).toHaveLength(1)
    const entries = (await store.read('t')).entries.map(({ body }) => JSON.parse(body).type)
    expect(entries.slice(-2)).toEqual(['request.reopened', 'request.closed'])
  })
})
