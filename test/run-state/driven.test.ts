import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { callDigest } from '../../src/core/digest.ts'
import { cutChunks, NO_CHUNKS } from '../../src/core/fold/chunks.ts'
import { FOLD, takeSnapshot } from '../../src/core/fold/snapshot.ts'
import type { ThreadState } from '../../src/core/state.ts'
import { type Agent, memoryStore, openDesk, RunState, run, type Store } from '../../src/index.ts'
import type { Append } from '../../src/ports/store.ts'
import { StoreFailed } from '../../src/protocol/errors/errors.ts'
import { Journal } from '../../src/runtime/journal/journal.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { loadDriver } from '../../src/store/sqlite/connection/load-driver.ts'
import { noting } from '../support/agents/noting-tools.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { messagesIn } from '../support/chunked.ts'
import { freshSchema, usePostgres } from '../support/servers/use-postgres.ts'
import { tamperWith } from '../support/stores/tamper.ts'
import { unsyncedPostgres } from '../support/stores/unsynced-postgres.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-driven-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const server = usePostgres()
const file = () => join(folder, `${randomUUID()}.db`)
const places: [name: string, open: () => Store][] = [
  ['in memory', () => memoryStore()],
  ['in SQLite', () => sqliteStore({ path: file(), durability: 'process' })],
  ['in SQLite with a thread for writes', () => sqliteStore({ path: file(), thread: true })],
  ['in Postgres', () => unsyncedPostgres({ connectionString: server.get().connectionString, schema: freshSchema() })],
]

/** An agent that asks for an approval in each of many turns. */
function payer(turns = 60) {
  const pay = gated('pay')
  const script = Array.from({ length: turns }, (_, n) => calls([`c${n}`, 'pay', { n }]))
  return { pay, ...scripted([...script, 'Done.'], [pay]) }
}

/** Cold cycles: each decision and each turn is of a process that has not seen the thread. */
async function cycles(agent: Agent, store: Store, count: number): Promise<RunState> {
  const at = { store, threadId: 't' }
  for (let n = 0; n < count; n++) {
    const state = await RunState.load(agent, at)
    await state.approve(state.interruptions[0]!, { by: 'ann' })
    await run(agent, await RunState.load(agent, at))
  }
  return RunState.load(agent, { ...at, messages: true })
}

const begin = (agent: Agent, store: Store) => run(agent, 'go', { store, threadId: 't', maxTurns: null })

/** The store, with what passes it. */
function watched(store: Store) {
  const seen = { read: 0, reads: 0, whole: 0, snapshots: [] as NonNullable<Append['snapshot']>[] }
  const watching: Store = {
    ...store,
    async append(append) {
      const outcome = await store.append(append)
      if (outcome.ok && append.snapshot) seen.snapshots.push(append.snapshot)
      return outcome
    },
    async read(threadId, options = {}) {
      const slice = await store.read(threadId, options)
      seen.read += slice.entries.length
      seen.reads++
      if (!slice.snapshot && !options.after && slice.version > 0) seen.whole++
      return slice
    },
  }
  return { store: watching, seen }
}

describe.each(places)('a long thread, %s', (_, open) => {
  it('is driven from a snapshot, chunks and a few entries, and the model reads the whole conversation', async () => {
    const { store, seen } = watched(open())
    const { agent, model, pay } = payer()
    await begin(agent, store)
    await cycles(agent, store, 12)
    Object.assign(seen, { read: 0, whole: 0, snapshots: [] })
    await cycles(agent, store, 20)
    // The load of all messages in the end.
    expect(seen.whole).toBe(1)
    expect(seen.read).toBeLessThan(20 * 3 * 20 + 170)
    expect(model.requests.at(-1)?.messages).toHaveLength(2 * 32 + 1)
    expect(pay.runs.map(({ args }) => (args as { n: number }).n)).toEqual(Array.from({ length: 32 }, (_, n) => n))
    // Each message is in one chunk, once.
    const written = messagesIn(seen.snapshots.flatMap(({ chunks }) => chunks?.bodies ?? []))
    expect(written.length).toBeLessThanOrEqual(2 * 20 + 20)
    const { chunks = [] } = (await store.read('t', { snapshot: FOLD, chunks: true })).snapshot!
    const { messages } = await RunState.load(agent, { store, threadId: 't', messages: true })
    const chunked = messagesIn(chunks)
    expect(chunked.length).toBeGreaterThan(50)
    expect(chunked).toEqual(messages.slice(0, chunked.length))
    await store.close()
  })

  it('is driven by processes that take turns and hold it, and the chunks stay whole', async () => {
    const store = open()
    const { agent, pay } = payer()
    const { state: first } = await begin(agent, store)
    const held = [first, await RunState.load(agent, { store, threadId: 't' })]
    held.push(await RunState.load(agent, { store, threadId: 't', messages: true }))
    for (let n = 0; n < 30; n++) {
      const [request] = (await openDesk({ store }).list({ status: 'open' })).requests
      await held[n % 3]!.approve(request!, { by: 'ann' })
      await run(agent, held[(n >> 1) % 3]!)
      const journal = await Journal.openToDrive(store, 't')
      expect(journal.isWhole).toBe((await store.read('t', { snapshot: FOLD })).snapshot === undefined)
      expect(journal.state.messages.all).toEqual((await Journal.open(store, 't')).state.messages.all)
    }
    expect(pay.runs).toHaveLength(30)
    await store.close()
  })

  it.each([
    ['with a few chunks by one that loaded it, which reads no more', 8, 0],
    ['with many by one that loaded it, which reads them when it runs', 40, 1],
  ])('is driven %s', async (_, turns, reads) => {
    const { store, seen } = watched(open())
    const { agent, model } = payer()
    await begin(agent, store)
    await cycles(agent, store, turns)
    const state = await RunState.load(agent, { store, threadId: 't' })
    expect(() => state.messages).toThrow(expect.objectContaining({ code: 'messages_not_loaded' }))
    await state.approve(state.interruptions[0]!, { by: 'ann' })
    const before = seen.reads
    await run(agent, state)
    expect(seen.reads - before).toBe(reads)
    expect(model.requests.at(-1)?.messages).toHaveLength(2 * (turns + 1) + 1)
    await store.close()
  })

  it('returns states with all messages, whose toString() says what to load', async () => {
    const store = open()
    const { agent } = payer()
    await begin(agent, store)
    await cycles(agent, store, 12)
    const lean = await RunState.load(agent, { store, threadId: 't' })
    await lean.approve(lean.interruptions[0]!, { by: 'ann' })
    const { state } = await run(agent, lean)
    const whole = await RunState.load(agent, { store, threadId: 't', messages: true })
    expect(state.messages).toEqual(whole.messages)
    expect(state.history).toEqual(whole.history)
    expect(state.newItems).toEqual(whole.newItems)
    const notLoaded = expect.objectContaining({
      name: 'MessagesNotLoaded',
      message: expect.stringMatching(/earlier entries of thread "t".*state\.loadMessages\(\)/),
    })
    expect(() => state.toString()).toThrow(notLoaded)
    expect(() => JSON.stringify(state)).toThrow(notLoaded)
    await state.loadMessages()
    expect(state.toString()).toBe(whole.toString())
    await store.close()
  })

  it('moves into another store with all of its entries', async () => {
    const [store, other] = [open(), memoryStore()]
    const { agent } = payer()
    await begin(agent, store)
    await cycles(agent, store, 12)
    const moved = await run(agent, await RunState.load(agent, { store, threadId: 't' }), { store: other })
    expect(moved.status).toBe('interrupted')
    expect((await other.read('t')).version).toBe((await store.read('t')).version)
    await store.close()
  })
})

it('a snapshot whose chunks cannot be looked up is left out, and the append that would have taken it along is made', async () => {
  const inner = memoryStore()
  let refused = 0
  const store: Store = {
    ...inner,
    async read(threadId, options = {}) {
      if (options.snapshot === undefined || options.chunks) return inner.read(threadId, options)
      refused++
      throw new StoreFailed('The store cannot be read', new Error('gone'))
    },
  }
  const { agent, pay } = payer()
  const { state } = await begin(agent, store)
  const held = [state, await RunState.load(agent, { store, threadId: 't', messages: true })]
  for (let n = 0; n < 20; n++) {
    const [request] = (await openDesk({ store: inner }).list({ status: 'open' })).requests
    await held[n % 2]!.approve(request!, { by: 'ann' })
    expect(await run(agent, held[(n >> 1) % 2]!)).toMatchObject({ status: 'interrupted' })
  }
  expect(refused).toBeGreaterThan(0)
  expect(pay.runs).toHaveLength(20)
})

describe('chunks that cannot be used', () => {
  /** A thread in a file whose chunks somebody changed. */
  async function changed(change: string, auditKey?: string) {
    const path = file()
    const key = auditKey ? { auditKey } : {}
    const { store, seen } = watched(sqliteStore({ path, durability: 'process', ...key }))
    const made = payer()
    await begin(made.agent, store)
    await cycles(made.agent, store, 16)
    expect(tamperWith(path, change)).toBeGreaterThan(0)
    Object.assign(seen, { read: 0, whole: 0, snapshots: [] })
    return { ...made, store, seen }
  }

  it.each([
    ['one is missing', 'DELETE FROM chunks WHERE number = 2'],
    ['the last is missing', 'DELETE FROM chunks WHERE number = (SELECT max(number) FROM chunks)'],
    ['one was changed', `UPDATE chunks SET body = replace(body, 'pay', 'pax') WHERE number = 1`],
    ['they are in another order', 'UPDATE chunks SET number = 1000 - number'],
    ['there are none', 'DELETE FROM chunks'],
  ])('are ignored, and written anew with the next snapshot: %s', async (_, change) => {
    for (const auditKey of [undefined, 'a secret of tests']) {
      const { agent, model, pay, store, seen } = await changed(change, auditKey)
      const truth = (await Journal.open(store, 't')).state.messages.all
      const { messages } = (await Journal.openToDrive(store, 't')).state
      expect(messages.all).toEqual(truth)
      await cycles(agent, store, 10)
      expect(model.requests.at(-1)?.messages).toHaveLength(2 * 26 + 1)
      expect(pay.runs).toHaveLength(26)
      expect(seen.snapshots.length).toBeGreaterThan(1)
      expect((await Journal.openToDrive(store, 't')).isWhole).toBe(false)
      await store.close()
    }
  })

  it('a store that keeps none is read whole', async () => {
    const sound = memoryStore()
    const store: Store = {
      ...sound,
      append: ({ snapshot, ...append }) =>
        sound.append(snapshot ? { ...append, snapshot: { fold: snapshot.fold, body: snapshot.body } } : append),
    }
    const { agent, pay } = payer()
    await begin(agent, store)
    await cycles(agent, store, 12)
    expect((await Journal.openToDrive(store, 't')).isWhole).toBe(true)
    expect(pay.runs).toHaveLength(12)
  })

  it('a thread of the fold before is read whole once, and its next snapshot has all of its messages', async () => {
    const { store: sound, seen } = watched(memoryStore())
    const before: Store = {
      ...sound,
      append: ({ snapshot, ...append }) =>
        sound.append(snapshot ? { ...append, snapshot: { fold: FOLD - 1, body: 'of another build' } } : append),
    }
    const { agent } = payer()
    await begin(agent, before)
    await cycles(agent, before, 16)
    Object.assign(seen, { read: 0, whole: 0, snapshots: [] })
    await cycles(agent, sound, 10)
    const [first, second] = seen.snapshots
    expect(messagesIn(first!.chunks!.bodies).length).toBeGreaterThan(30)
    expect([first!.chunks!.first, second!.chunks!.first]).toEqual([1, 2])
  })
})

/** A snapshot as parsed. */
type Plain = ReturnType<typeof JSON.parse>

describe('a forged snapshot', () => {
  const by = { kind: 'person', id: 'mallory' }

  /** What somebody who can write the database invents. `plain` is the snapshot of a state that waits for a person. */
  const forgeries: [name: string, forge: (plain: Plain) => void][] = [
    [
      'with a release',
      (plain) => {
        const [call] = plain.run.frames[0].calls
        const { definition } = call
        const digest = callDigest({ tool: 'pay', definition, args: { n: 999 } })
        Object.assign(call, { args: { n: 999 }, digest })
        const release = { tool: 'pay', definition, digest, args: { n: 999 }, asRun: true, facts: {}, by, notBefore: 0 }
        call.phase = { at: 'released', release }
      },
    ],
    [
      'with other arguments',
      (plain) => {
        const [call] = plain.run.frames[0].calls
        call.args = { n: 999 }
        call.phase.request.opened.args = { n: 999 }
      },
    ],
    [
      'with a call that nobody made',
      (plain) => {
        plain.messages.last.toolCalls[0].args = { n: 999 }
        plain.run.frames[0].calls = []
        plain.run.askedAbout = []
      },
    ],
    [
      'with a nested run',
      (plain) => {
        const [root] = plain.run.frames
        const [call] = root.calls
        const nested = { ...root, key: call.key, messages: [], calls: [{ ...call, phase: { at: 'judged' } }] }
        plain.run.frames = [{ ...root, calls: [] }, nested]
      },
    ],
    [
      'with a decided review',
      (plain) => {
        const [root] = plain.run.frames
        const { request } = root.calls[0].phase
        Object.assign(root, { calls: [] })
        plain.run.askedAbout = []
        delete plain.messages.last.toolCalls
        const answer = { kind: 'decision', decision: { type: 'approve' }, by, at: 0, effectiveAt: 0 }
        root.gate = { request, answer }
      },
    ],
  ]

  it.each(forgeries)('%s starts no body: the thread is driven from its entries', async (_, forge) => {
    const store = sqliteStore({ path: file(), durability: 'process' })
    const { agent, pay } = payer()
    await begin(agent, store)
    await cycles(agent, store, 12)
    const { state } = await Journal.open(store, 't')
    const { interruptions } = await RunState.load(agent, { store, threadId: 't' })
    await putSnapshot(store, state, forge)
    const stored = await Journal.openLean(store, 't')
    expect(stored.isWhole).toBe(false)
    const next = await run(agent, await RunState.load(agent, { store, threadId: 't' }))
    expect(next.interruptions).toEqual(interruptions)
    expect(pay.runs.map(({ args }) => (args as { n: number }).n)).toEqual(Array.from({ length: 12 }, (_, n) => n))
    await store.close()
  })

  it('with another context is ignored where there is an audit key, so rules judge by the one that was given', async () => {
    const options = { path: file(), auditKey: { id: 'k', secret: 'a secret for tests' } }
    const needsApproval = ({ context }: { context?: unknown }) => (context as { role: string }).role !== 'boss'
    const pay = { ...gated('pay'), needsApproval }
    const looks = Array.from({ length: 40 }, (_, n) => calls([`l${n}`, 'look', { n }]))
    const { agent } = scripted(
      [...looks, calls(['h', 'hold']), calls(['p', 'pay'])],
      [noting('look'), gated('hold'), pay],
    )
    const first = sqliteStore(options)
    await run(agent, 'go', { store: first, threadId: 't', context: { role: 'clerk' }, maxTurns: null })
    await first.close()
    const db = loadDriver().open(options.path, 'write')
    expect(db.prepare('UPDATE snapshots SET body = replace(body, \'"clerk"\', \'"boss"\')').run([])).toBe(1)
    db.close()
    const store = sqliteStore(options)
    const state = await RunState.load(agent, { store, threadId: 't' })
    await state.approve(state.interruptions[0]!, { by: 'ann' })
    const { interruptions } = await run(agent, state, { maxTurns: null })
    expect(interruptions.map(({ toolName }) => toolName)).toEqual(['pay'])
    await store.close()
  })
})

describe('a snapshot that the entries after it do not follow from', () => {
  const misfits: [name: string, forge: (plain: Plain) => void][] = [
    ['without its run', (plain) => Object.assign(plain, { run: null })],
    ['without frames', (plain) => Object.assign(plain.run, { frames: [] })],
    ['with a call in no phase', (plain) => Object.assign(plain.run.frames[0].calls[0], { phase: {} })],
    ['with another turn', (plain) => Object.assign(plain.run.frames[0], { turn: 40 })],
    ['of nothing', (plain) => Object.assign(plain, { run: undefined, asked: [], grants: [], definitions: [] })],
  ]

  it.each(misfits)('is ignored at every door, and replaced: %s', async (_, forge) => {
    const store = memoryStore()
    const { agent, pay } = payer()
    await begin(agent, store)
    await cycles(agent, store, 12)
    await putSnapshot(store, (await Journal.open(store, 't')).state, forge)
    const desk = openDesk({ store })
    const [request] = (await desk.list({ status: 'open' })).requests
    await desk.decide({ request: request!.id, decision: { type: 'approve' }, by: 'ann', undoSeconds: 60 })
    expect(await desk.withdraw(request!.id, 'ann')).toMatchObject({ status: 'open' })
    await cycles(agent, store, 14)
    expect(pay.runs).toHaveLength(26)
    // The last snapshot is of the entries, and can be driven from.
    const journal = await Journal.openToDrive(store, 't')
    expect(journal.isWhole).toBe(false)
    expect(journal.state.messages.all).toEqual((await Journal.open(store, 't')).state.messages.all)
  })
})

/** Writes a snapshot of a state, as a process would whose code does what somebody wants. */
async function putSnapshot(store: Store, state: ThreadState, forge: (plain: Plain) => void): Promise<void> {
  const { bodies, mark } = cutChunks(state.messages, NO_CHUNKS)
  const plain = JSON.parse(takeSnapshot(state, mark))
  forge(plain)
  const snapshot = { fold: FOLD, body: JSON.stringify(plain), chunks: { first: 1, bodies } }
  expect(await store.append({ threadId: 't', version: state.version, entries: [], snapshot })).toMatchObject({
    ok: true,
  })
}
