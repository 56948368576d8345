import { describe, expect, it } from 'vitest'
import { humanInTheLoop, openDesk, run, type Store } from '../../src/index.ts'
import { uuidSource } from '../../src/protocol/uuid.ts'
import { Journal } from '../../src/runtime/journal/journal.ts'
import { Loop } from '../../src/runtime/loop/loop.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { policedAgent } from '../support/agents/policed-agent.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const by = 'ann'
const approve = { type: 'approve' } as const

async function decided(undoSeconds: number) {
  const clock = fakeClock()
  const { clock: _, ...store } = memoryStore({ clock })
  const desk = openDesk({ store })
  const refund = gated('refund')
  const { agent } = scripted([calls(['a', 'refund']), 'Done.'], [refund])
  const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
  const [request] = await desk.decide({ request: interruptions[0]!, decision: approve, by, undoSeconds })
  return { clock, store, desk, agent, refund, request: request! }
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

  it('counts by the clock of the store: a process whose clock is ahead cannot start the call before', async () => {
    const { store, agent, refund } = await decided(10)
    const journal = await aheadOf(store)
    const loop = new Loop(agent, journal, { newId: uuidSource(), whenWaiting: 'leave' })
    expect(await loop.drive()).toEqual({ kind: 'paused' })
    expect(refund.runs).toEqual([])
    expect((await store.read('t')).entries.map(({ body }) => JSON.parse(body).type)).not.toContain('call.started')
  })

  it('ends for whoever withdraws, too: from then on the decision stands', async () => {
    const { clock, desk, request } = await decided(10)
    clock.advance(9_999)
    expect(await desk.withdraw(request, by)).toMatchObject({ status: 'open', version: 3 })
    await desk.decide({ request: request.id, decision: approve, by, undoSeconds: 10 })
    clock.advance(10_000)
    await expect(desk.withdraw(request.id, by)).rejects.toMatchObject({ code: 'stale_answer' })
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
