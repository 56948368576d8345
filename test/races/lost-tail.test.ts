import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Clock } from '../../src/ports/clock.ts'
import type { Append, Store } from '../../src/ports/store.ts'
import { StoreBehind } from '../../src/protocol/errors/errors.ts'
import { run } from '../../src/runtime/run/run.ts'
import { RunState } from '../../src/runtime/run/run-state.ts'
import { storeSession } from '../../src/runtime/session/store-session.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { failedWith, refused } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

/** A database behind one address: its files are put back to what a backup has, as after a disaster. */
function restorable(clock?: Clock) {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-tail-'))
  const [path, backup] = [join(dir, 'store.db'), join(dir, 'backup.db')]
  let open = sqliteStore({ path, durability: 'process', ...(clock ? { clock } : {}) })
  const appends: Append[] = []
  onTestFinished(async () => {
    await open.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const store = new Proxy({} as Store, {
    get(_, member: keyof Store) {
      const value = open[member]
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        if (member === 'append') appends.push(given[0] as Append)
        return (value as (...given: unknown[]) => unknown).apply(open, given)
      }
    },
  })
  const move = async (from: string, to: string) => {
    await open.close()
    copyFileSync(from, to)
    open = sqliteStore({ path, durability: 'process', ...(clock ? { clock } : {}) })
  }
  return {
    store,
    backUp: () => move(path, backup),
    /** Resolves to the appends that are made from then on. */
    async restore() {
      await move(backup, path)
      appends.length = 0
      return appends
    },
  }
}

test('a store that lost its tail ends a run at once instead of being written to without end', async () => {
  const { store, backUp, restore } = restorable()
  let after: Append[] = []
  const pay = gated('pay', {
    execute: async () => {
      after = await restore()
    },
  })
  const { agent } = scripted([calls(['c1', 'pay']), 'done'], [pay])
  const paused = await run(agent, 'go', { store, threadId: 't' })
  await backUp()
  await paused.state.approve(only(paused))
  const result = await run(agent, paused.state)
  const error = failedWith(result, StoreBehind, 'store_behind')
  expect(error).toMatchObject({ threadId: 't', retryable: false })
  expect(error.found).toBeLessThan(error.expected)
  expect(error.message).toContain(`version ${error.found}`)
  expect(after.length).toBeLessThanOrEqual(3)
  // The lease of the lost time may be somebody else's by now: it is not touched.
  expect(after.filter(({ lease }) => lease !== undefined)).toEqual([])
})

test('deciding, reading and resuming each detect a lost tail, and start nothing', async () => {
  const { store, backUp, restore } = restorable()
  const pay = gated('pay')
  const { agent } = scripted([calls(['c1', 'pay'], ['c2', 'pay']), 'done'], [pay])
  const paused = await run(agent, 'go', { store, threadId: 't', toolExecution: { start: 'settled' } })
  await backUp()
  const [first, second] = paused.interruptions
  await paused.state.approve(first!)
  const appends = await restore()
  await refused(paused.state.approve(second!), StoreBehind, 'store_behind')
  await refused(paused.state.addInput('and?'), StoreBehind, 'store_behind')
  const resumed = await run(agent, paused.state).catch((error: unknown) => error)
  expect(resumed).toBeInstanceOf(StoreBehind)
  expect(appends.length).toBeLessThanOrEqual(3)
  expect(pay.runs).toEqual([])
})

test('a thread that lost its tail fails the call that finds out, and the next object reads what is there', async () => {
  const { store, backUp, restore } = restorable()
  const script = scripted(['hello', 'there', 'again'], [])
  const thread = script.agent.thread('t', { store })
  await thread.prompt('one')
  await backUp()
  await thread.prompt('two')
  const appends = await restore()
  await refused(thread.prompt('three'), StoreBehind, 'store_behind')
  expect(appends.length).toBeLessThanOrEqual(1)
  const anew = script.agent.thread('t', { store })
  expect(await anew.prompt('two once more')).toMatchObject({ status: 'completed' })
})

for (const [grown, afterMs] of [
  ['to the same version', 60_000],
  ['to the same version', 0],
  ['past it', 60_000],
  ['past it', 0],
] as const) {
  test(`a store that lost its tail and grew ${grown} within ${afterMs} ms is found out before an approved call starts`, async () => {
    const clock = fakeClock()
    const { store, backUp, restore } = restorable(clock)
    const pay = gated('pay')
    const { agent } = scripted([calls(['c1', 'pay']), 'done', 'done'], [pay])
    const paused = await run(agent, 'go', { store, threadId: 't' })
    await backUp()
    await paused.state.approve(only(paused), { by: 'ann' })
    const { version } = await store.read('t')
    await restore()
    clock.advance(afterMs)
    // Nobody knows of that approval any more, and somebody else decides.
    const other = await RunState.load(agent, { store, threadId: 't' })
    await other.reject(only(paused).id, { by: 'bob' })
    if (grown === 'past it') await run(agent, other)
    else await other.addInput('why?')
    const now = (await store.read('t')).version
    expect(grown === 'past it' ? now > version : now === version).toBe(true)
    const error = failedWith(await run(agent, paused.state), StoreBehind, 'store_behind')
    expect(error).toMatchObject({ expected: version, message: expect.stringContaining(`another entry ${version}`) })
    await refused(paused.state.addInput('and?'), StoreBehind, 'store_behind')
    expect(pay.runs).toEqual([])
    expect((await store.read('t')).version).toBe(now)
  })
}

test('nothing is decided, added or withdrawn through an object of a store that lost its tail and has grown as long again', async () => {
  const { store, backUp, restore } = restorable(fakeClock())
  const { agent } = scripted([calls(['c1', 'pay'], ['c2', 'pay']), 'done'], [gated('pay')])
  const paused = await run(agent, 'go', { store, threadId: 't', toolExecution: { start: 'settled' } })
  await backUp()
  const [first, second] = paused.interruptions
  await paused.state.approve(first!, { by: 'ann' })
  await restore()
  const other = await RunState.load(agent, { store, threadId: 't' })
  await other.reject(first!.id, { by: 'bob' })
  await other.addInput('why?')
  const now = await store.read('t')
  // The request is open there, too, at the same version: only the history tells.
  await refused(paused.state.approve(second!, { by: 'ann' }), StoreBehind, 'store_behind')
  await refused(paused.state.addInput('and?'), StoreBehind, 'store_behind')
  expect(await store.read('t')).toEqual(now)
})

test('an entry that was erased after it was read is no lost tail', async () => {
  const { agent } = scripted(['hello', 'there'], [])
  const store = memoryStore()
  const thread = agent.thread('t', { store })
  await thread.prompt('one')
  const { version, entries } = await store.read('t')
  const by = { kind: 'system', id: 'privacy' }
  const erased = { v: 1, type: 'erased', entry: version, was: 'x', now: 'y', by, reason: 'asked for' }
  await store.append({ threadId: 't', entries: [JSON.stringify(erased)] })
  const read = store.read.bind(store)
  vi.spyOn(store, 'read').mockImplementation(async (threadId, options) => {
    const slice = await read(threadId, options)
    return {
      ...slice,
      entries: slice.entries.map((entry) => (entry.seq === version ? { ...entry, body: '{"v":1}' } : entry)),
    }
  })
  expect(entries.at(-1)!.body).not.toBe('{"v":1}')
  expect(await thread.prompt('two')).toMatchObject({ status: 'completed' })
})

test('a session that lost its tail is not added to', async () => {
  const { store, backUp, restore } = restorable()
  const session = storeSession({ store, sessionId: 's' })
  await session.addItems([{ role: 'user', content: 'none' }])
  await backUp()
  await session.addItems([{ role: 'user', content: 'one' }])
  const appends = await restore()
  await refused(session.addItems([{ role: 'user', content: 'two' }]), StoreBehind, 'store_behind')
  expect(appends).toEqual([])
})

test('a session that lost its tail and has grown as long again is neither added to nor read on', async () => {
  const { store, backUp, restore } = restorable()
  const session = storeSession({ store, sessionId: 's' })
  await session.addItems([{ role: 'user', content: 'none' }])
  await backUp()
  await session.addItems([{ role: 'user', content: 'one' }])
  const appends = await restore()
  await storeSession({ store, sessionId: 's' }).addItems([{ role: 'user', content: 'another' }])
  await refused(session.addItems([{ role: 'user', content: 'two' }]), StoreBehind, 'store_behind')
  await refused(session.getItems(), StoreBehind, 'store_behind')
  expect(appends.length).toBe(1)
})

test('a store whose reads lag behind its guards is detected at once, with one append', async () => {
  const { store } = restorable()
  const pay = gated('pay')
  const { agent } = scripted([calls(['c1', 'pay']), 'done'], [pay])
  const paused = await run(agent, 'go', { store, threadId: 't' })
  const old = await store.read('t')
  let appends = 0
  const lagging: Store = Object.assign(Object.create(store) as Store, {
    read: async (_: string, { after = 0 } = {}) => ({
      ...old,
      follows: after > 0 ? old.head : old.follows,
      entries: old.entries.slice(after),
    }),
    append: (append: Append) => {
      appends++
      return store.append(append)
    },
  })
  const thread = agent.thread('t', { store: lagging })
  await thread.loadPendingHitlRequest()
  await paused.state.addInput('hurry')
  await refused(thread.abortPending(), StoreBehind, 'store_behind')
  expect(appends).toBe(1)
})

test.each([80, 90])(
  'the entries of another history (%i turns) are not read into a state that let go of its own',
  async (turns) => {
    const [lost, restored] = [memoryStore(), memoryStore()]
    const looking = (count: number) =>
      scripted([...Array.from({ length: count }, (_, n) => calls([`c${n}`, 'look'])), 'done'], [free('look')]).agent
    let current = lost
    const store: Store = { ...lost, read: (...given) => current.read(...given) }
    const { state } = await run(looking(80), 'go', { store, threadId: 't', maxTurns: null })
    await run(looking(turns), 'Another history.', { store: restored, threadId: 't', maxTurns: null })
    current = restored
    await refused(state.loadMessages(), StoreBehind, 'store_behind')
    expect(() => state.toString()).toThrow('loadMessages')
  },
)
