import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openDesk } from '../../src/desk/open-desk.ts'
import { humanInTheLoop } from '../../src/policy/human-in-the-loop.ts'
import { run } from '../../src/runtime/run/run.ts'
import { RunState } from '../../src/runtime/run/run-state.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const threadId = 't'
const DAY_MS = 86_400_000
const ann = { kind: 'person', id: 'ann' } as const

const warnings: string[] = []
beforeEach(() => {
  warnings.length = 0
  vi.spyOn(process, 'emitWarning').mockImplementation(((warning: string, { code }: { code?: string } = {}) => {
    if (code === 'holdpoint_clock_ahead') warnings.push(warning)
  }) as typeof process.emitWarning)
})
afterEach(() => void vi.restoreAllMocks())

/** A thread that waits for a person, and a clock that is wrong while something is done. */
async function paused() {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const pay = gated('pay')
  const { agent } = scripted([calls(['c1', 'pay']), 'done'], [pay])
  const result = await run(agent, 'go', { store, threadId })
  const start = clock.now()
  return {
    ...{ clock, store, pay, agent, result },
    async wrongly(work: () => Promise<unknown>) {
      clock.set(start + DAY_MS)
      await work()
      clock.set(start)
    },
    load: () => RunState.load(agent, { store, threadId }),
    approve: (undoSeconds: number) =>
      openDesk({ store }).decide({ request: only(result).id, decision: { type: 'approve' }, by: ann, undoSeconds }),
    /** Lets some seconds pass, one by one. */
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        clock.advance(1000)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    },
  }
}

it('one append with a clock a day ahead does not delay an undo window, and the reader is warned', async () => {
  const { pay, agent, result, wrongly, load, approve, pass } = await paused()
  await wrongly(() => result.state.addInput('hurry'))
  await approve(10)
  const resumed = run(agent, await load())
  await pass(9)
  expect(pay.runs).toEqual([])
  await pass(2)
  expect((await resumed).status).toBe('completed')
  expect(pay.runs.length).toBe(1)
  expect(warnings.length).toBe(1)
  expect(warnings[0]).toContain('86400 s ahead')
})

it('a decision that was made by a clock a day ahead takes effect after its undo window, counted from when it is read', async () => {
  const { pay, agent, wrongly, load, approve, pass } = await paused()
  await wrongly(() => approve(10))
  const resumed = run(agent, await load())
  await pass(9)
  expect(pay.runs).toEqual([])
  await pass(2)
  expect((await resumed).status).toBe('completed')
  expect(pay.runs.length).toBe(1)
  expect(warnings.length).toBe(1)
})

it('one append with a clock a day ahead does not end the time that people have to answer', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const pay = gated('pay')
  const { agent } = scripted([calls(['c1', 'pay']), 'done'], [pay], {
    policy: humanInTheLoop({ interruptOn: { pay: { timeoutSeconds: 3600 } } }),
  })
  const result = await run(agent, 'go', { store, threadId })
  const start = clock.now()
  clock.set(start + DAY_MS)
  await store.append({ threadId, entries: [], lease: { op: 'take', holder: 'other', ttlMs: 1000, thenDrop: true } })
  clock.set(start)
  await openDesk({ store }).decide({ request: only(result).id, decision: { type: 'approve' }, by: ann })
  expect((await run(agent, await RunState.load(agent, { store, threadId }))).status).toBe('completed')
})

it('a process that died under a clock a day ahead does not lock the thread for a day', async () => {
  const { store, agent, wrongly, load, approve } = await paused()
  await approve(0)
  await wrongly(() =>
    store.append({ threadId, entries: [], lease: { op: 'take', holder: 'elsewhere|1|1|x', ttlMs: 30_000 } }),
  )
  expect((await run(agent, await load())).status).toBe('completed')
})

it('a clock that was right causes no warning', async () => {
  const { agent, load, approve } = await paused()
  await approve(0)
  expect((await run(agent, await load())).status).toBe('completed')
  expect(warnings).toEqual([])
})
