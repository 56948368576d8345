import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { NO_CHUNKS } from '../../src/core/fold/chunks.ts'
import { FOLD, takeSnapshot } from '../../src/core/fold/snapshot.ts'
import { foldThread } from '../../src/desk/record/fold-thread.ts'
import { type Answer, type JsonObject, memoryStore, openDesk, RunState, run, type Store } from '../../src/index.ts'
import { Journal } from '../../src/runtime/journal/journal.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { freshSchema, usePostgres } from '../support/servers/use-postgres.ts'
import { tamperWith } from '../support/stores/tamper.ts'
import { unsyncedPostgres } from '../support/stores/unsynced-postgres.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-lean-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const server = usePostgres()
const file = () => join(folder, `${randomUUID()}.db`)
const places: [name: string, open: () => Store][] = [
  ['in memory', () => memoryStore()],
  ['in SQLite', () => sqliteStore({ path: file(), durability: 'process' })],
  ['in Postgres', () => unsyncedPostgres({ connectionString: server.get().connectionString, schema: freshSchema() })],
]

const NOT_LOADED = {
  name: 'MessagesNotLoaded',
  message: expect.stringMatching(/thread ".*state\.loadMessages\(\).*messages: true/),
}

/** A run that waits for its next approval after so many others. */
async function afterApprovals(count: number, store: Store, threadId = 't') {
  const pay = gated('pay')
  const script = Array.from({ length: count + 2 }, (_, n) => calls([`c${n}`, 'pay', { n }]))
  const { agent, model } = scripted([...script, 'Done.'], [pay])
  let result = await run(agent, 'go', { store, threadId, maxTurns: null })
  for (let n = 0; n < count; n++) {
    await result.state.approve(result.interruptions[0]!, { by: 'ann' })
    result = await run(agent, result.state)
  }
  return { agent, model, pay, result, at: { store, threadId } }
}

/** How many entries a load reads. */
const readFrom = async (store: Store, threadId = 't') => {
  const { snapshot, entries } = await store.read(threadId, { snapshot: FOLD })
  return { snapshot: snapshot?.body.length, entries: entries.length }
}

describe.each(places)('a lean state, %s', (_, open) => {
  it.each([1, 12])(
    'shows and decides what is open, says what was not loaded, and loads it (%i approvals)',
    async (count) => {
      const store = open()
      const { agent, pay, result, at } = await afterApprovals(count, store, randomUUID())
      const lean = await RunState.load(agent, at)
      expect(lean.interruptions).toEqual(result.interruptions)
      expect([lean.status, lean.runId, lean.currentTurn]).toEqual(['open', result.runId, count + 1])
      for (const read of [() => lean.messages, () => lean.history, () => lean.newItems, () => lean.toString()]) {
        expect(read).toThrow(expect.objectContaining(NOT_LOADED))
      }
      expect(() => JSON.stringify(lean)).toThrow(expect.objectContaining(NOT_LOADED))
      await lean.approve(lean.interruptions[0]!, { by: 'bob' })
      await lean.loadMessages()
      expect(lean.messages).toEqual(result.state.messages)
      const whole = await RunState.load(agent, { ...at, messages: true })
      expect(whole.toString()).toBe(lean.toString())
      const next = await run(agent, await RunState.load(agent, at))
      expect(next.status).toBe('interrupted')
      expect(pay.runs.map(({ args }) => args)).toHaveLength(count + 1)
      expect(next.state.messages).toHaveLength(2 * count + 4)
      await next.state.loadMessages()
      expect(await RunState.fromString(agent, next.state.toString())).toMatchObject({ runId: next.runId })
      await store.close()
    },
  )

  it('reads as much after forty approvals as after ten, at the desk too', async () => {
    const store = open()
    const [some, many] = [randomUUID(), randomUUID()]
    await afterApprovals(10, store, some)
    const { agent, pay, at } = await afterApprovals(40, store, many)
    const [short, long] = [await readFrom(store, some), await readFrom(store, many)]
    expect(long.snapshot! - short.snapshot!).toBeLessThan(100)
    expect(long.entries).toBeLessThan(20)
    const lean = await RunState.load(agent, at)
    const request = lean.interruptions[0]!
    const desk = openDesk({ store })
    await desk.decide({ request, decision: { type: 'edit', args: { n: 7 } }, by: 'ann' })
    await desk.withdraw(request, 'ann')
    const again = await RunState.load(agent, at)
    await again.edit(again.interruptions[0]!, { args: { n: 8 }, by: 'ann' })
    await run(agent, again)
    expect(pay.runs.at(-1)?.args).toEqual({ n: 8 })
    await store.close()
  })
})

it('a journal that was opened from a snapshot keeps no entries until all are loaded', async () => {
  const store = memoryStore()
  const { agent, result } = await afterApprovals(12, store)
  const whole = result.state.toString()
  const journal = await Journal.openLean(store, 't')
  expect(journal).toMatchObject({ isWhole: false, bodies: [], state: { version: (await store.read('t')).version } })
  const state = await RunState.load(agent, { store, threadId: 't' })
  await state.addInput('more')
  await journal.catchUp()
  expect(journal.bodies).toEqual([])
  await journal.loadAll()
  expect(journal.isWhole).toBe(true)
  expect(journal.bodies).toHaveLength(journal.state.version)
  await state.loadMessages()
  expect(JSON.parse(state.toString()).entries.slice(0, -1)).toEqual(JSON.parse(whole).entries)
})

describe.each(places)('an idempotency key, %s', (_, open) => {
  it('is found wherever it was used, and a new one is known to be new from the snapshot', async () => {
    const store = open()
    const { agent } = scripted(
      [...Array.from({ length: 14 }, (_, n) => calls([`c${n}`, 'pay', { n }])), 'Done.'],
      [gated('pay')],
    )
    let result = await run(agent, 'go', { store, threadId: 't', maxTurns: null })
    const answered: Answer[] = []
    for (let n = 0; n < 12; n++) {
      const answer = {
        request: result.interruptions[0]!.id,
        decision: { type: 'approve' },
        by: 'ann',
        idempotencyKey: `k${n}`,
      } as const
      answered.push(answer)
      await openDesk({ store }).decide(answer)
      result = await run(agent, await RunState.load(agent, { store, threadId: 't' }))
    }
    const { entries, snapshot } = await readFrom(store)
    expect(snapshot).toBeDefined()
    let read = 0
    const counted: Store = {
      ...store,
      async read(...given) {
        const slice = await store.read(...given)
        read += slice.entries.length
        return slice
      },
    }
    const desk = openDesk({ store: counted })
    for (const [index, answer] of answered.entries()) {
      expect(await desk.decide(answer)).toMatchObject([{ id: answer.request, status: 'decided', version: 2 }])
      const other = { ...answer, decision: { type: 'reject' } } as const
      await expect(desk.decide(other)).rejects.toMatchObject({ name: 'IdempotencyKeyReused' })
      const state = await RunState.load(agent, { store, threadId: 't' })
      const again = state.reject(result.interruptions[0]!, { by: 'ann', idempotencyKey: `k${index}` })
      await expect(again).rejects.toMatchObject({ name: 'IdempotencyKeyReused' })
    }
    read = 0
    const request = result.interruptions[0]!
    await desk.decide({ request, decision: { type: 'approve' }, by: 'ann', idempotencyKey: 'new' })
    await openDesk({ store }).withdraw(request, 'ann')
    const state = await RunState.load(agent, { store: counted, threadId: 't' })
    await state.approve(state.interruptions[0]!, { by: 'ann', idempotencyKey: 'newer' })
    expect(read).toBeLessThan(4 * (entries + 5))
    await store.close()
  })
})

it.each([1, 2, 3])(
  'a load reads few entries when every turn is driven by a process that read them all (%i calls a turn)',
  async (count) => {
    const store = memoryStore()
    const turn = Array.from({ length: count }, (_, n): [string, string, JsonObject] => [`c${n}`, 'pay', { n }])
    const { agent } = scripted([...Array.from({ length: 26 }, () => calls(...turn)), 'Done.'], [gated('pay')])
    await run(agent, 'go', { store, threadId: 't', maxTurns: null })
    const desk = openDesk({ store })
    for (let n = 0; n < 25; n++) {
      for (const request of (await desk.list({ status: 'open' })).requests)
        await desk.decide({ request, decision: { type: 'approve' }, by: 'ann' })
      await run(agent, await RunState.load(agent, { store, threadId: 't', messages: true }))
      expect((await readFrom(store)).entries).toBeLessThan(40)
    }
    await store.close()
  },
)

/** The store as a build sees it whose fold has another version. */
function ofFold(store: Store, fold: number): Store {
  return {
    ...store,
    append: ({ snapshot, ...append }) =>
      store.append(snapshot ? { ...append, snapshot: { ...snapshot, fold } } : append),
    read: (threadId, options = {}) =>
      store.read(threadId, options.snapshot === undefined ? options : { ...options, snapshot: fold }),
  }
}

describe.each(places)('in a rolling deploy, %s', (_, open) => {
  it('two builds whose folds differ decide and drive one thread in turn, each from its own snapshot', async () => {
    const store = open()
    const builds = [ofFold(store, FOLD), ofFold(store, FOLD + 1)]
    const pay = gated('pay')
    const script = Array.from({ length: 30 }, (_, n) => calls([`c${n}`, 'pay', { n }]))
    const { agent } = scripted([...script, 'Done.'], [pay])
    await run(agent, 'go', { store: builds[0]!, threadId: 't', maxTurns: null })
    for (let n = 0; n < 30; n++) {
      const [decider, driver] = [builds[n % 2]!, builds[(n >> 1) % 2]!]
      const state = await RunState.load(agent, { store: decider, threadId: 't' })
      await state.approve(state.interruptions[0]!, { by: 'ann' })
      await run(agent, await RunState.load(agent, { store: driver, threadId: 't' }))
    }
    for (const fold of [FOLD, FOLD + 1]) expect((await store.read('t', { snapshot: fold })).snapshot).toBeDefined()
    expect(pay.runs.map(({ args }) => (args as { n: number }).n)).toEqual(Array.from({ length: 30 }, (_, n) => n))
    expect((await RunState.load(agent, { store, threadId: 't' })).status).toBe('completed')
    await store.close()
  })
})

describe('a snapshot in a file that somebody changed', () => {
  const changed = async (change: string, auditKey?: string) => {
    const path = file()
    const store = sqliteStore({ path, durability: 'process', ...(auditKey ? { auditKey } : {}) })
    const made = await afterApprovals(12, store)
    expect((await readFrom(store)).snapshot).toBeGreaterThan(500)
    expect(tamperWith(path, change)).toBe(1)
    return { ...made, store }
  }

  it.each([
    ['is no JSON', `UPDATE snapshots SET body = '{'`],
    ['is something else', `UPDATE snapshots SET body = '{"version":1}'`],
    ['is of another version', `UPDATE snapshots SET version = version - 1`],
    ['is of another history', `UPDATE snapshots SET hash = zeroblob(32)`],
  ])('is ignored if it %s, and the entries are folded', async (_, change) => {
    const { agent, result, at, store } = await changed(change)
    const lean = await RunState.load(agent, at)
    expect(lean.interruptions).toEqual(result.interruptions)
    await lean.approve(lean.interruptions[0]!, { by: 'ann' })
    expect((await run(agent, lean)).status).toBe('interrupted')
    await store.close()
  })

  it('G3: lets nothing run: before a body starts, its own entries are folded', async () => {
    const store = sqliteStore({ path: file(), durability: 'process' })
    const { agent, pay, result, at } = await afterApprovals(12, store)
    const { state } = await foldThread(store, 't')
    const forged = JSON.parse(takeSnapshot(state, NO_CHUNKS))
    const [call] = forged.run.frames[0].calls
    const { definition, digest } = call
    const by = { kind: 'person', id: 'mallory' }
    const release = { tool: 'pay', definition, digest, args: { n: 999 }, asRun: true, facts: {}, by, notBefore: 0 }
    call.phase = { at: 'released', release }
    const snapshot = { fold: FOLD, body: JSON.stringify(forged) }
    expect(await store.append({ threadId: 't', version: state.version, entries: [], snapshot })).toMatchObject({
      ok: true,
    })
    const lean = await RunState.load(agent, at)
    // Without an audit key nothing tells this snapshot from a genuine one.
    expect(lean.interruptions).toEqual([])
    const next = await run(agent, lean)
    expect(next.interruptions).toEqual(result.interruptions)
    expect(pay.runs.map(({ args }) => (args as { n: number }).n)).toEqual(Array.from({ length: 12 }, (_, n) => n))
    await store.close()
  })

  it('is ignored with an audit key, whatever was changed', async () => {
    const { agent, result, at, store } = await changed(
      `UPDATE snapshots SET body = replace(body, '"status":"open"', '"status":"aborted"')`,
      'a secret of tests',
    )
    const lean = await RunState.load(agent, at)
    expect(lean.status).toBe('open')
    expect(lean.interruptions).toEqual(result.interruptions)
    await store.close()
  })
})
