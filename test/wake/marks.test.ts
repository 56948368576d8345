import { describe, expect, it } from 'vitest'
import { apply } from '../../src/core/fold/fold.ts'
import { emptyState } from '../../src/core/state.ts'
import { wakeAt } from '../../src/core/wake.ts'
import { CheckpointedChannel, humanInTheLoop, openDesk, RunState, run, type Store, sweep } from '../../src/index.ts'
import type { Append } from '../../src/ports/store.ts'
import { parseBody } from '../../src/protocol/entries/versions.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { policedAgent } from '../support/agents/policed-agent.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const by = 'ann'
const approve = { type: 'approve' } as const

/** A store whose clock stands still, the appends that it got, and which threads it says must be driven. */
function scene() {
  const clock = fakeClock()
  const inner = memoryStore({ clock })
  const appends: Append[] = []
  const store: Store = {
    ...inner,
    append(append) {
      appends.push(append)
      return inner.append(append)
    },
  }
  const ready = async () => (await store.ready()).threads.map(({ threadId }) => threadId)
  return { clock, store, appends, ready, desk: openDesk({ store }) }
}

/** What the state of a thread says, next to what the store says. */
async function marks(store: Store, threadId: string) {
  const { entries, wake, now } = await store.read(threadId)
  const state = emptyState(store.tenantId, threadId)
  for (const { body, seq, at } of entries) apply(state, parseBody(body, { threadId, seq }), at)
  return { exact: wakeAt(state, now), mark: wake.at }
}

const refunding = (...tools: Parameters<typeof scripted>[1] & object) =>
  scripted([calls(['a', 'refund']), 'Done.'], tools.length > 0 ? tools : [gated('refund')])

describe('the wake mark of a thread', () => {
  it('costs no append: an approve cycle has six', async () => {
    const { store, appends, ready, desk } = scene()
    const { agent } = refunding()
    const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
    expect(await ready()).toEqual([])
    await desk.decide({ request: interruptions[0]!, decision: approve, by })
    expect(await ready()).toEqual(['t'])
    expect((await agent.thread('t', { store }).resume()).status).toBe('completed')
    expect(await ready()).toEqual([])
    expect(appends).toHaveLength(6)
    expect(appends.map(({ wake }) => wake)).toEqual([
      { op: 'by', inMs: 0 },
      { op: 'set', at: null },
      { op: 'by', inMs: 0 },
      undefined,
      { op: 'by', inMs: 0 },
      { op: 'set', at: null },
    ])
  })

  it('names the agent and the version of the run', async () => {
    const { store } = scene()
    const { agent } = scripted(['Hello.'], [], { version: '7' })
    await run(agent, 'go', { store, threadId: 't' })
    expect((await store.read('t')).wake).toEqual({ at: null, tries: 0, agent: 'clerk', agentVersion: '7' })
    await run(scripted(['Hello.']).agent, 'go', { store, threadId: 't' })
    expect((await store.read('t')).wake).toEqual({ at: null, tries: 0, agent: 'clerk', agentVersion: null })
  })

  it('stays while the run fails, so that others find it', async () => {
    const { store, ready } = scene()
    const { agent } = scripted([new Error('no model today')])
    expect(await agent.thread('t', { store }).prompt('go')).toMatchObject({ status: 'failed' })
    expect(await ready()).toEqual(['t'])
    expect(await marks(store, 't')).toMatchObject({ exact: expect.any(Number), mark: expect.any(Number) })
  })

  it.each(['reject', 'respond', 'edit'] as const)('is set by a decision to %s', async (type) => {
    const { store, ready, desk } = scene()
    const { interruptions } = await run(refunding().agent, 'go', { store, threadId: 't' })
    const decision = { reject: { type }, respond: { type, message: 'no' }, edit: { type, args: {} } }[type]
    await desk.decide({ request: interruptions[0]!, decision: decision as { type: 'reject' }, by })
    expect(await ready()).toEqual(['t'])
    await refunding().agent.thread('t', { store }).resume()
    expect(await ready()).toEqual([])
  })

  it('is set when a request is cancelled', async () => {
    const { store, ready, desk } = scene()
    const { interruptions } = await run(refunding().agent, 'go', { store, threadId: 't' })
    await desk.cancel(interruptions[0]!, { reason: 'no longer needed', by })
    expect(await ready()).toEqual(['t'])
  })

  it.each(['reject', 'allow'] as const)('is set by a deadline that passes (%s)', async (onTimeout) => {
    const { clock, store, ready } = scene()
    const policy = humanInTheLoop({ interruptOn: { ping: { timeoutSeconds: 60, onTimeout } } })
    const { agent } = policedAgent(policy, { calls: [['ping', { query: '' }]] })
    await run(agent, 'go', { store, threadId: 't' })
    clock.advance(60_000)
    expect(await ready()).toEqual([])
    await sweep(store)
    expect(await ready()).toEqual(['t'])
  })

  it('is not set by an escalation', async () => {
    const { clock, store, ready } = scene()
    const policy = humanInTheLoop({ interruptOn: { ping: { timeoutSeconds: 60, onTimeout: 'escalate' } } })
    const { agent } = policedAgent(policy, { calls: [['ping', { query: '' }]] })
    await run(agent, 'go', { store, threadId: 't' })
    clock.advance(60_000)
    expect(await sweep(store)).toMatchObject({ escalated: 1 })
    expect(await ready()).toEqual([])
  })

  it('is set by the answer to a question of a body', async () => {
    const { store, ready, desk } = scene()
    const ask = free('ask', { resumable: true, execute: (_, ctx) => ctx.confirm('Really?') })
    const { agent } = scripted([calls(['a', 'ask']), 'Done.'], [ask])
    const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
    expect(await ready()).toEqual([])
    await desk.answer(interruptions[0]!, true, { by })
    expect(await ready()).toEqual(['t'])
  })

  it('is not set by the answer to a question of the application, which moves no run', async () => {
    const { store, ready, desk } = scene()
    const channel = new CheckpointedChannel({ store, threadId: 't' })
    const asking = channel.confirm('Deploy?')
    const [request] = await asked(desk)
    await desk.answer(request!, true, { by })
    await asking
    expect(await ready()).toEqual([])
    expect((await store.read('t')).wake.at).toBe(null)
  })

  it('is set by input that joins a run which waits, and cleared by whoever looks and finds nothing to do', async () => {
    const { store, ready, appends } = scene()
    const { agent } = refunding()
    await run(agent, 'go', { store, threadId: 't' })
    await agent.thread('t', { store }).prompt('and more', { whilePaused: 'queue' })
    expect(await ready()).toEqual([])
    await store.append({ threadId: 't', entries: [], wake: { op: 'by', inMs: 0 } })
    appends.length = 0
    await agent.thread('t', { store }).resume()
    expect(await ready()).toEqual([])
    expect(appends).toMatchObject([{ entries: [], wake: { op: 'set', at: null } }])
    appends.length = 0
    await agent.thread('t', { store }).resume()
    expect(appends).toEqual([])
  })

  it('is cleared when the run is aborted', async () => {
    const { store, ready, desk } = scene()
    const { agent } = refunding()
    const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
    await desk.decide({ request: interruptions[0]!, decision: approve, by })
    await agent.thread('t', { store }).abortPending({ reason: 'enough', by })
    expect(await ready()).toEqual([])
  })

  it('waits for the end of an undo window, and goes with the decision that is withdrawn', async () => {
    const { clock, store, ready, desk } = scene()
    const { interruptions } = await run(refunding().agent, 'go', { store, threadId: 't' })
    const [request] = await desk.decide({ request: interruptions[0]!, decision: approve, by, undoSeconds: 10 })
    expect(await store.ready()).toEqual({ threads: [], nextAt: clock.now() + 10_000, now: clock.now() })
    await desk.withdraw(request!, by)
    expect(await store.ready()).toEqual({ threads: [], nextAt: null, now: clock.now() })
    await desk.decide({ request: interruptions[0]!.id, decision: approve, by, undoSeconds: 10 })
    clock.advance(10_000)
    expect(await ready()).toEqual(['t'])
  })

  it('comes along when a state string is moved into a store', async () => {
    const { store, ready } = scene()
    const { agent } = refunding()
    const { state, interruptions } = await run(agent, 'go')
    await state.approve(interruptions[0]!, { by })
    const restored = await RunState.fromString(agent, await state.toString(), { trust: true })
    const running = { ...store, renewLease: store.renewLease }
    const result = await run(agent, restored, { store: running })
    expect(result.status).toBe('completed')
    expect(await ready()).toEqual([])
  })
})

/** The open requests, once there are any. */
async function asked(desk: ReturnType<typeof openDesk>) {
  for (;;) {
    const { requests } = await desk.list({ status: 'open' })
    if (requests.length > 0) return requests
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
