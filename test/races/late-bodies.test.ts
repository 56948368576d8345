import { describe, expect, it } from 'vitest'
import type { Append, Store } from '../../src/ports/store.ts'
import { uuidSource } from '../../src/protocol/uuid.ts'
import type { Agent } from '../../src/runtime/agent/agent.ts'
import { tool } from '../../src/runtime/definition/tool/tool.ts'
import { Journal } from '../../src/runtime/journal/journal.ts'
import { type Ending, Loop } from '../../src/runtime/loop/loop.ts'
import { run } from '../../src/runtime/run/run.ts'
import { RunState } from '../../src/runtime/run/run-state.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { latch } from '../support/latch.ts'
import { entriesOf } from '../support/stores/entries.ts'

const threadId = 't'
const LEASE_MS = 300

/** A store that puts itself between the driver and the other one, and time that runs out for everybody's leases at once. */
function setting() {
  let aheadMs = 0
  const store = memoryStore({ clock: { now: () => Date.now() + aheadMs } })
  return {
    store,
    expireLeases: () => {
      aheadMs += 60_000
    },
    behind: (change: Partial<Store>): Store => ({ ...store, ...change }),
  }
}

/** Goes on with a thread under a short lease. */
async function goOn(agent: Agent, store: Store, signal?: AbortSignal): Promise<Ending> {
  const journal = await Journal.open(store, threadId)
  return new Loop(agent, journal, { newId: uuidSource(), leaseMs: LEASE_MS, signal }).drive()
}

const types = async (store: Store) => (await entriesOf(store, threadId)).map(({ type }) => type)

const soon = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('an approved call does not start after its lease has gone', () => {
  it('when a beforeTool hook takes longer than the lease and another process took over', async () => {
    const { store, expireLeases } = setting()
    const pay = gated('pay')
    const inHook = latch()
    const other = scripted([calls(['c1', 'pay']), 'never mind'], [pay], {
      middleware: [{ name: 'slow', beforeTool: () => undefined }],
    })
    const { agent } = scripted(['not asked'], [pay], {
      middleware: [
        {
          name: 'slow',
          async beforeTool() {
            inHook.open()
            await soon(LEASE_MS * 1.5)
            return undefined
          },
        },
      ],
    })
    const paused = await run(other.agent, 'go', { store, threadId })
    await paused.state.approve(paused.interruptions[0]!)
    const late = goOn(agent, store)
    await inHook.passed
    expireLeases()
    const asked = await run(other.agent, await RunState.load(other.agent, { store, threadId }))
    expect(asked.interruptions[0]).toMatchObject({ reason: 'unknown_outcome' })
    expect(await late).toEqual({ kind: 'overtaken' })
    expect(pay.runs).toEqual([])
    await asked.state.reject(asked.interruptions[0]!)
    expect((await run(other.agent, asked.state)).finalOutput).toBe('never mind')
    expect(pay.runs).toEqual([])
  })

  it('when the acknowledgement of its start came after the lease', async () => {
    const { store, behind } = setting()
    const pay = gated('pay')
    const { agent } = scripted([calls(['c1', 'pay']), 'done'], [pay])
    const paused = await run(agent, 'go', { store, threadId })
    await paused.state.approve(paused.interruptions[0]!)
    const slow = behind({
      async append(append: Append) {
        const outcome = await store.append(append)
        if (append.entries.some((body) => body.includes('"call.started"'))) await soon(LEASE_MS * 1.2)
        return outcome
      },
    })
    expect(await goOn(agent, slow)).toEqual({ kind: 'overtaken' })
    expect(pay.runs).toEqual([])
    // It knows that it did not begin, so nobody has to be asked about that: the next one runs it, under a higher token.
    expect((await run(agent, await RunState.load(agent, { store, threadId }))).finalOutput).toBe('done')
    expect(pay.runs.map(({ ctx }) => [ctx.attempt, ctx.fencingToken])).toEqual([[2, 3]])
  })

  it('when the append of its start brought no lease', async () => {
    const { store, behind } = setting()
    const [pay, look] = [gated('pay'), free('look')]
    const { agent } = scripted([calls(['c1', 'pay'], ['c2', 'look']), 'done'], [pay, look])
    const without = behind({ append: async (append) => ({ ...(await store.append(append)), lease: null }) as never })
    const first = await run(agent, 'go', { store: without, threadId })
    expect([first.status, look.runs.length]).toEqual(['incomplete', 0])
    expect((await types(store)).slice(-2)).toEqual(['call.started', 'call.released'])
  })

  it('when it had to wait in its line for another one', async () => {
    const { store, expireLeases } = setting()
    const began: string[] = []
    const [first, go] = [latch(), latch()]
    const inLine = (name: string, work: () => Promise<unknown>) =>
      ({
        ...tool({
          name,
          description: name,
          parameters: free(name).parameters,
          execute: async () => {
            began.push(name)
            return await work()
          },
        }),
        line: 'screen',
      }) as const
    const one = inLine('one', async () => {
      first.open()
      await go.passed
      return 'one'
    })
    const two = inLine('two', async () => 'two')
    const { agent } = scripted([calls(['c1', 'one'], ['c2', 'two']), 'done'], [one, two])
    await run(agent, 'go', { store, threadId, signal: AbortSignal.abort() }).catch(() => undefined)
    const late = goOn(agent, store)
    await first.passed
    expireLeases()
    await soon(LEASE_MS)
    go.open()
    expect(await late).toEqual({ kind: 'overtaken' })
    expect(began).toEqual(['one'])
  })

  it('when a person answers a body that waited here, after another process went on with it', async () => {
    const { store, expireLeases } = setting()
    const paid: number[] = []
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      parameters: free('pay').parameters,
      resumable: true,
      async execute(_args, ctx) {
        const sure = await ctx.confirm('Sure?')
        if (sure) paid.push(ctx.fencingToken)
        return String(sure)
      },
    })
    const { InMemoryChannel } = await import('../../src/channel/in-memory.ts')
    const channel = new InMemoryChannel()
    const { agent } = scripted([calls(['c1', 'pay']), 'done'], [pay])
    await run(agent, 'go', { store, threadId, signal: AbortSignal.abort() }).catch(() => undefined)
    const journal = await Journal.open(store, threadId)
    const late = new Loop(agent, journal, { newId: uuidSource(), leaseMs: LEASE_MS, channel }).drive()
    while (!channel.pending) await soon(5)
    expireLeases()
    await soon(LEASE_MS)
    channel.answer(channel.pending.questionId, true)
    await late
    expect(paid).toEqual([])
  })
})

it('a call that was not begun when its run was stopped is begun by the next one, without a question', async () => {
  const { store } = setting()
  const stop = new AbortController()
  const pay = gated('pay')
  const { agent } = scripted([calls(['c1', 'pay']), 'done'], [pay], {
    middleware: [
      {
        name: 'stops',
        beforeTool() {
          stop.abort()
          return undefined
        },
      },
    ],
  })
  const paused = await run(agent, 'go', { store, threadId })
  await paused.state.approve(paused.interruptions[0]!)
  expect(await goOn(agent, store, stop.signal)).toEqual({ kind: 'stopped' })
  expect(pay.runs).toEqual([])
  expect((await run(agent, await RunState.load(agent, { store, threadId }))).finalOutput).toBe('done')
  expect(pay.runs.length).toBe(1)
})

it('a call whose time was over while it waited in its line does not begin after its result', async () => {
  const began: string[] = []
  const go = latch()
  const make = (name: string, timeoutSeconds: number | undefined, work: () => Promise<unknown>) => ({
    ...tool({
      name,
      description: name,
      parameters: free(name).parameters,
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
      execute: async () => {
        began.push(name)
        return await work()
      },
    }),
    line: 'screen',
  })
  const one = make('one', undefined, () => go.passed)
  const two = make('two', 0.05, async () => 'two')
  const { agent } = scripted(
    [
      calls(['c1', 'one'], ['c2', 'two']),
      async () => {
        await soon(20)
        return 'done'
      },
    ],
    [one, two],
  )
  setTimeout(() => go.open(), 200)
  const result = await run(agent, 'go')
  expect(result.finalOutput).toBe('done')
  expect(began).toEqual(['one'])
})

it('the fencing token of a body is the one of the lease that it runs under, and grows with each', async () => {
  const { store } = setting()
  const pay = gated('pay')
  const { agent } = scripted([calls(['c1', 'pay']), calls(['c2', 'pay']), 'done'], [pay])
  let paused = await run(agent, 'go', { store, threadId })
  for (let round = 0; round < 2; round++) {
    await paused.state.approve(paused.interruptions[0]!)
    paused = await run(agent, paused.state)
  }
  const [first, second] = pay.runs.map(({ ctx }) => ctx.fencingToken)
  expect(first).toBeGreaterThan(0)
  expect(second).toBeGreaterThan(first!)
})
