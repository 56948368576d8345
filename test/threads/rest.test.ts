import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Agent, type AgentEvent, memoryStore, openDesk, run, type Store } from '../../src/index.ts'
import { postgresStore } from '../../src/postgres.ts'
import { REST_MS } from '../../src/runtime/thread/thread-journal.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { latch } from '../support/latch.ts'
import { freshSchema, usePostgres } from '../support/servers/use-postgres.ts'
import { warningsDuring } from '../support/warnings.ts'

const yes = { type: 'approve' } as const
const PAY = [calls(['c1', 'pay']), 'Paid.', calls(['c2', 'pay']), 'Paid again.']

/** What is to happen after the time in which threads begin to rest. */
let due: (() => void)[] = []

beforeEach(() => {
  due = []
  const { setTimeout: later } = globalThis
  const record = (act: () => void, ms?: number, ...rest: []) => {
    if (ms === REST_MS) due.push(act)
    return later(act, ms, ...rest)
  }
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(Object.assign(record, later) as typeof setTimeout)
})
afterEach(() => void vi.restoreAllMocks())

/** Lets that time pass at once, and no other. */
function rest(): void {
  for (const act of due.splice(0)) act()
}

const server = usePostgres()

const kinds: Record<string, (folder: string) => Store> = {
  memory: () => memoryStore(),
  SQLite: (folder) => sqliteStore({ path: join(folder, 'store.db') }),
  Postgres: () =>
    postgresStore({
      connectionString: server.get().connectionString,
      schema: freshSchema(),
      onWarning: () => undefined,
    }),
}

/** A store that says which reads begin with a snapshot: those of a journal that has nothing in memory. */
function watched(store: Store): { store: Store; loads: () => number; fail(times: number): void } {
  let [loads, failing] = [0, 0]
  const read: Store['read'] = async (threadId, options) => {
    if (options?.snapshot !== undefined) loads++
    if (failing-- > 0) throw new Error('unreachable')
    return store.read(threadId, options)
  }
  const fail = (times: number): void => {
    failing = times
  }
  return { store: { ...store, read }, loads: () => loads, fail }
}

/** An agent that pays on approval, its thread and what that tells. */
function paying(store: Store, script = PAY) {
  const pay = notingGated('pay')
  const look = noting('look')
  const { agent, model } = scripted(script, [pay, look])
  const thread = agent.thread('t', { store })
  const told: string[] = []
  const hear = (event: AgentEvent) =>
    void told.push(event.type === 'hitl_answer' ? `${event.type} ${JSON.stringify(event.answer)}` : event.type)
  return { agent, model, thread, pay, told, hear }
}

describe.each(Object.entries(kinds))('a thread that has rested, on %s', (_, open) => {
  let folder = ''
  let store: Store
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdpoint-rest-'))
    store = open(folder)
  })
  afterEach(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('answers, goes on and takes new input as if it had not', async () => {
    const live = async (place: Store, then: () => void) => {
      const { thread, told, hear, pay } = paying(place)
      thread.subscribe(hear)
      const statuses = [(await thread.prompt('Pay.')).status]
      then()
      statuses.push((await thread.respond({ answer: yes })).status)
      then()
      statuses.push((await thread.prompt('Again.')).status)
      then()
      const last = await thread.respond({ answer: yes })
      return { statuses: [...statuses, last.status], told, said: said(last), runs: pay.runs.length }
    }
    const lives = [await live(memoryStore(), () => undefined), await live(store, rest)]
    expect(lives[1]).toEqual(lives[0])
    expect(lives[1]).toMatchObject({
      statuses: ['suspended', 'completed', 'suspended', 'completed'],
      said: expect.arrayContaining(['Pay.', 'Paid.', 'Again.', 'Paid again.']),
      runs: 2,
    })
  })

  it('loads once for the next call, and not for one that comes before', async () => {
    const { store: seen, loads } = watched(store)
    const { thread } = paying(seen)
    await thread.prompt('Pay.')
    const before = loads()
    await thread.loadPendingHitlRequest()
    expect(loads()).toBe(before)
    rest()
    await thread.loadPendingHitlRequest()
    await thread.respond({ answer: yes })
    expect(loads()).toBe(before + 1)
  })

  it('goes on with what was decided meanwhile, and tells it once', async () => {
    const { thread, pay, told, hear } = paying(store)
    thread.subscribe(hear)
    await thread.prompt('Pay.')
    rest()
    const desk = openDesk({ store })
    const [request] = (await desk.list({ status: 'open' })).requests
    await desk.decide({ request: request!.id, version: request!.version, decision: yes, by: 'ann' })
    expect((await thread.resume()).status).toBe('completed')
    expect(pay.runs.length).toBe(1)
    expect(told.filter((one) => one.startsWith('hitl_'))).toEqual(['hitl_request', 'hitl_answer {"type":"approve"}'])
    expect(told.at(-1)).toBe('agent_end')
  })

  it('tells everything that another process did with it, in order and once, also beyond a snapshot', async () => {
    const turns = Array.from({ length: 12 }, (_, n) => calls([`l${n}`, 'look', { n }]))
    const script = [calls(['c1', 'pay']), ...turns, calls(['c2', 'pay']), 'Done.']
    const { agent, thread, pay, told, hear } = paying(store, script)
    await thread.prompt('Pay.', { maxTurns: null })
    rest()
    // Who subscribes now hears what is open, at once.
    thread.subscribe(hear)
    expect(told).toEqual(['hitl_request'])
    const other = agent.thread('t', { store })
    const request = await other.loadPendingHitlRequest()
    expect((await other.respond({ id: request!.id, decision: yes, maxTurns: null })).status).toBe('suspended')
    expect((await thread.resume({ maxTurns: null })).status).toBe('suspended')
    expect(told.filter((one) => one.startsWith('hitl_'))).toEqual([
      'hitl_request',
      'hitl_answer {"type":"approve"}',
      'hitl_request',
    ])
    expect(told.filter((one) => one === 'tool_end').length).toBe(13)
    rest()
    expect((await thread.respond({ answer: yes, maxTurns: null })).status).toBe('completed')
    expect(pay.runs.length).toBe(2)
  })

  it('runs nothing twice when several calls wake it at once, or come while it begins to rest', async () => {
    const { thread, pay, model } = paying(store, PAY.slice(0, 2))
    await thread.prompt('Pay.')
    const request = await thread.loadPendingHitlRequest()
    rest()
    const answer = { id: request!.id, decision: yes }
    const racing = [thread.respond(answer), thread.loadPendingHitlRequest(), thread.resume(), thread.respond(answer)]
    const passing = setInterval(rest, 0)
    const ends = await Promise.allSettled(racing)
    clearInterval(passing)
    rest()
    expect((await thread.resume()).status).toBe('completed')
    expect(ends[0]).toMatchObject({ status: 'fulfilled', value: { status: 'completed' } })
    expect([pay.runs.length, model.requests.length]).toEqual([1, 2])
  })

  it('is aborted', async () => {
    const { thread, pay } = paying(store)
    await thread.prompt('Pay.')
    rest()
    expect(await thread.abortPending({ reason: 'no more' })).toMatchObject({ status: 'aborted', reason: 'no more' })
    rest()
    expect((await thread.prompt('Something else.')).status).toBe('completed')
    expect(pay.runs.length).toBe(0)
  })

  it('waits for a store that cannot be reached, and then goes on', async () => {
    const { store: seen, fail } = watched(store)
    const { thread, pay, told, hear } = paying(seen)
    thread.subscribe(hear)
    await thread.prompt('Pay.')
    rest()
    fail(1)
    await expect(thread.respond({ answer: yes })).rejects.toThrow()
    expect((await thread.respond({ answer: yes })).status).toBe('completed')
    expect(pay.runs.length).toBe(1)
    expect(told.filter((one) => one.startsWith('hitl_')).length).toBe(2)
  })
})

it('a store that lost what a thread had read before it rested is refused', async () => {
  const [first, restored] = [memoryStore(), memoryStore()]
  let current = first
  const store: Store = {
    ...first,
    read: (...given) => current.read(...given),
    append: (given) => current.append(given),
  }
  const { thread, agent, pay } = paying(store)
  await thread.prompt('Pay.')
  rest()
  await run(agent, 'Another history.', { store: restored, threadId: 't' })
  current = restored
  await expect(thread.resume()).rejects.toMatchObject({ code: 'store_behind' })
  rest()
  await expect(thread.respond({ answer: yes })).rejects.toMatchObject({ code: 'store_behind' })
  expect(pay.runs.length).toBe(0)
})

it('a thread does not rest while a body works that outlives its call', async () => {
  const [working, ends] = [latch(), latch()]
  const slow = noting('slow', async () => {
    working.open()
    await ends.passed
    return 'late'
  })
  const { agent } = scripted([calls(['c1', 'slow']), 'Done.'], [slow])
  const { store, loads } = watched(memoryStore())
  const thread = agent.thread('t', { store })
  const told: string[] = []
  thread.subscribe(({ type }) => void told.push(type))
  const stop = new AbortController()
  const stopped = thread.prompt('Go.', { signal: stop.signal })
  await working.passed
  stop.abort()
  await vi.waitFor(() => {
    rest()
    return Promise.race([stopped, Promise.reject(new Error('not yet'))])
  })
  const before = loads()
  rest()
  ends.open()
  await vi.waitFor(() => expect(told).toContain('tool_end'))
  expect((await thread.resume()).status).toBe('completed')
  expect([loads(), slow.runs.length, told.filter((one) => one === 'tool_end').length]).toEqual([before, 1, 1])
})

it('a thread whose store cannot be read at its first call reads it at the next', async () => {
  const { store, fail } = watched(memoryStore())
  const { thread } = paying(store)
  fail(1)
  await expect(thread.prompt('Pay.')).rejects.toThrow()
  expect((await thread.prompt('Pay.')).status).toBe('suspended')
})

it('what was half read by a call that failed is read again, and told once', async () => {
  const store = memoryStore()
  let spoilt = 0
  const read: Store['read'] = async (...given) => {
    const slice = await store.read(...given)
    if (spoilt-- <= 0) return slice
    return { ...slice, entries: slice.entries.with(-1, { ...slice.entries.at(-1)!, body: '{' }) }
  }
  const { thread, agent, told, hear } = paying({ ...store, read })
  thread.subscribe(hear)
  await thread.prompt('Pay.')
  rest()
  spoilt = 1
  await expect(thread.loadPendingHitlRequest()).rejects.toMatchObject({ code: 'store_corrupt' })
  expect(await thread.loadPendingHitlRequest()).toMatchObject({ toolName: 'pay' })
  expect(told.filter((one) => one === 'hitl_request').length).toBe(1)
  // At its first call, too: what was open before is told as that.
  const replayed: boolean[] = []
  const late = agent.thread('t', { store: { ...store, read } })
  late.subscribe((event) => void replayed.push(event.replayed))
  spoilt = 1
  await expect(late.loadPendingHitlRequest()).rejects.toMatchObject({ code: 'store_corrupt' })
  await late.loadPendingHitlRequest()
  expect(replayed).toEqual([true])
})

it('a request that opened after a call that failed is told once', async () => {
  const store = memoryStore()
  const { thread, agent, told, hear } = paying(store, ['Hello.', ...PAY])
  await thread.prompt('Hi.')
  let reads = 0
  const read: Store['read'] = (...given) => (++reads === 2 ? Promise.reject(new Error('away')) : store.read(...given))
  const late = agent.thread('t', { store: { ...store, read } })
  late.subscribe(hear)
  // It is loaded, and then cannot be brought up to date.
  await expect(late.resume()).rejects.toThrow('away')
  await thread.prompt('Pay.')
  expect((await late.resume()).status).toBe('suspended')
  expect(told.filter((one) => one === 'hitl_request').length).toBe(1)
})

it('entries that were dated by a clock that was ahead are warned of once, however often the thread rests', async () => {
  const store = memoryStore()
  await paying(store).thread.prompt('Pay.')
  const read: Store['read'] = async (...given) => {
    const slice = await store.read(...given)
    return { ...slice, now: slice.now - 60_000 }
  }
  const { thread } = paying({ ...store, read })
  const warnings = await warningsDuring(async () => {
    for (let calls = 0; calls < 3; calls++) {
      await thread.loadPendingHitlRequest()
      rest()
    }
  })
  expect(warnings.map(({ code }) => code)).toEqual(['holdpoint_clock_ahead'])
})

it('a long thread that others go on with is not read whole again and again', async () => {
  const { store, loads } = watched(memoryStore())
  const looks = (from: number) => Array.from({ length: 60 }, (_, n) => calls([`l${from + n}`, 'look', { n }]))
  const script = [calls(['c1', 'pay']), ...looks(0), calls(['c2', 'pay']), ...looks(60), calls(['c3', 'pay'])]
  const { agent, thread } = paying(store, script)
  await thread.prompt('Pay.', { maxTurns: null })
  const other = agent.thread('t', { store })
  const goOn = async () => {
    const { id } = (await other.loadPendingHitlRequest())!
    expect((await other.respond({ id, decision: yes, maxTurns: null })).status).toBe('suspended')
  }
  await goOn()
  rest()
  await thread.loadPendingHitlRequest()
  rest()
  await goOn()
  const before = loads()
  await thread.loadPendingHitlRequest()
  expect((await store.read('t')).version).toBeGreaterThan(256)
  expect(loads()).toBe(before)
})

it('a thread without a store keeps what only it has', async () => {
  const { agent } = paying(memoryStore())
  const thread = (agent as Agent).thread('alone')
  await thread.prompt('Pay.')
  rest()
  expect((await thread.respond({ answer: yes })).status).toBe('completed')
})

function said({ messages }: { messages: { content: unknown }[] }): unknown[] {
  return messages.map(({ content }) => content)
}
