import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { memoryStore, type Store } from '../../src/index.ts'
import type { StoredSnapshot } from '../../src/ports/snapshot.ts'
import { soak } from '../support/soak.ts'
import { type Command, eventOf, Life, newsOf, requestsIn, turns } from './rest-life.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Against hangs. */
const LIMIT_MS = soak.times(180_000, 600_000)

type Kind = fc.WeightedArbitrary<Command>

const approve = fc.boolean()
const KINDS: Kind[] = [
  { weight: 8, arbitrary: fc.constant({ do: 'rest' }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('prompt'), how: fc.constantFrom('plain', 'queue', 'supersede') }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('respond'), approve, unbound: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('resume', 'load') }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('abort', 'state', 'subscribe') }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('decide'), nth: fc.nat(3), approve }) },
  { weight: 3, arbitrary: fc.constant({ do: 'elsewhere', call: 'respond' }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('elsewhere'), call: fc.constantFrom('prompt', 'abort', 'load') }),
  },
]
const RACES: Kind[] = [
  ...KINDS,
  { weight: 8, arbitrary: fc.record({ do: fc.constant('wait'), turns: fc.constantFrom(1, 3, 30, 30) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('fail'), reads: fc.integer({ min: 1, max: 3 }) }) },
]

/** Lives that begin with a prompt. */
function lives(kinds: readonly Kind[]): fc.Arbitrary<Command[]> {
  const more = fc.array(fc.oneof(...kinds), { minLength: 4, maxLength: 30, size: 'max' })
  return more.map((commands) => [{ do: 'prompt', how: 'plain' }, { do: 'wait', turns: 3 }, ...commands])
}

const DAMAGES = ['none', 'no snapshot', 'broken snapshot', 'no chunks', 'first chunk cut', 'chunks altered'] as const
type Damage = (typeof DAMAGES)[number]

/** A store whose snapshots are damaged, each in the next of these ways. */
function damaged(store: Store, ways: readonly Damage[]): Store {
  let reads = 0
  const read: Store['read'] = async (threadId, options) => {
    const slice = await store.read(threadId, options)
    if (!slice.snapshot) return slice
    const snapshot = damage(slice.snapshot, ways[reads++ % ways.length]!)
    return snapshot ? { ...slice, snapshot } : store.read(threadId)
  }
  return { ...store, read }
}

function damage(snapshot: StoredSnapshot, way: Damage): StoredSnapshot | undefined {
  const { chunks, ...bare } = snapshot
  switch (way) {
    case 'none':
      return snapshot
    case 'no snapshot':
      return undefined
    case 'broken snapshot':
      return { ...snapshot, body: snapshot.body.slice(0, -1) }
    case 'no chunks':
      return bare
    case 'first chunk cut':
      return { ...bare, ...(chunks && { chunks: chunks.slice(1) }) }
    case 'chunks altered':
      return { ...bare, ...(chunks && { chunks: chunks.map((chunk) => chunk.replace('Go', 'No')) }) }
    default:
      return way satisfies never
  }
}

/** One command after the other. Unless it `rests`, no time passes. */
async function inTurn(commands: readonly Command[], rests: boolean, ways: readonly Damage[] = ['none']) {
  const store = memoryStore()
  const life = new Life(store, damaged(store, ways))
  const outcomes: unknown[] = []
  for (const command of commands) outcomes.push(command.do === 'rest' && !rests ? undefined : await life.do(command))
  await life.catchUp()
  const heard = life.listeners.map((listener) => listener.heard.map(eventOf))
  const visible = { outcomes, heard, runs: life.runs, version: await life.version() }
  return { visible: withoutIds(visible), loads: life.loads }
}

/** Names each id by when it first comes: two lives that are the same have different ones. */
function withoutIds(value: unknown): unknown {
  const names = new Map<string, string>()
  const named = JSON.stringify(value).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
    if (!names.has(id)) names.set(id, `id ${names.size}`)
    return names.get(id)!
  })
  return JSON.parse(named)
}

/** All commands at once, but for waiting and resting. */
async function atOnce(commands: readonly Command[]): Promise<Life> {
  const life = new Life(memoryStore())
  const calls: Promise<unknown>[] = []
  for (const command of commands) {
    const call = life.do(command)
    calls.push(call)
    call.catch(() => undefined) // Thrown below.
    if (command.do === 'wait' || command.do === 'rest') await call
  }
  await ends(Promise.all(calls))
  await life.do({ do: 'rest' })
  await ends(life.catchUp())
  return life
}

/** Fails unless it ends while some minutes pass. */
async function ends(work: Promise<unknown>): Promise<void> {
  let over = false
  const end = () => {
    over = true
  }
  work.then(end, end)
  for (let turn = 0; turn < 2_000 && !over; turn++) {
    await turns(1)
    vi.advanceTimersByTime(100)
  }
  if (!over) throw new Error('it hangs')
  await work
}

it(
  'R1, R2: a thread that rests at any time answers, tells and runs what one that never rests does',
  async () => {
    const loads = { resting: 0, awake: 0 }
    const property = fc.asyncProperty(lives(KINDS), async (commands) => {
      const [resting, awake] = [await inTurn(commands, true), await inTurn(commands, false)]
      expect(resting.visible).toEqual(awake.visible)
      loads.resting += resting.loads
      loads.awake += awake.loads
    })
    await fc.assert(property, { ...soak.runs(25, 600), unbiased: true })
    expect(loads.resting).toBeGreaterThan(loads.awake)
  },
  LIMIT_MS,
)

it(
  'R2, R3: a thread that rests between racing calls and failing reads tells all news once, in order, and runs nothing twice',
  async () => {
    const property = fc.asyncProperty(lives(RACES), async (commands) => {
      const life = await atOnce(commands)
      const told = await life.told()
      for (const { since, heard } of life.listeners) {
        expect(newsOf(heard)).toEqual(told.slice(since))
        expect(requestsIn(heard)).toEqual([...new Set(requestsIn(heard))])
      }
      expect(life.runs).toEqual([...new Set(life.runs)])
    })
    await fc.assert(property, { ...soak.runs(60, 1_600), unbiased: true })
  },
  LIMIT_MS,
)

it(
  'R2: a thread that rests is the same if snapshots and chunks are missing, cut, altered or broken',
  async () => {
    const ways = fc.array(fc.constantFrom(...DAMAGES), { minLength: 1, maxLength: 7 })
    const property = fc.asyncProperty(lives(KINDS), ways, async (commands, damages) => {
      const [resting, awake] = [await inTurn(commands, true, damages), await inTurn(commands, false)]
      expect(resting.visible).toEqual(awake.visible)
    })
    await fc.assert(property, { ...soak.runs(20, 600), unbiased: true })
  },
  LIMIT_MS,
)
