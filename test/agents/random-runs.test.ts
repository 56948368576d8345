import { expect, it } from 'vitest'
import { idempotencyKey } from '../../src/core/digest.ts'
import { cutChunks, joinChunks, NO_CHUNKS } from '../../src/core/fold/chunks.ts'
import { apply } from '../../src/core/fold/fold.ts'
import { restoreSnapshot, takeSnapshot } from '../../src/core/fold/snapshot.ts'
import { emptyState, type ThreadState } from '../../src/core/state.ts'
import {
  Agent,
  type HitlRequest,
  handoff,
  type Message,
  type Model,
  memoryStore,
  RunState,
  run,
  type Store,
  type ToolCall,
} from '../../src/index.ts'
import type { Entry } from '../../src/protocol/entries/entry.ts'
import { noting } from '../support/agents/noting-tools.ts'
import { assertValidHistory } from '../support/agents/results.ts'
import { type Random, seeded } from '../support/random.ts'
import { soak } from '../support/soak.ts'
import { entriesOf } from '../support/stores/entries.ts'

/**
 * Random trees of agents, driven by random processes: models that fail, signals that fire, decisions of all kinds in any order, texts instead
 * of stores. Whatever happens, each call gets one result, each release is spent once, and the run comes to its end.
 * `HOLDPOINT_RUNS_SEED=<seed>` repeats one.
 */
const ONLY = process.env.HOLDPOINT_RUNS_SEED
const SEEDS = ONLY === undefined ? soak.seeds(60, 300) : [Number(ONLY)]

interface World {
  random: Random
  ran: { key: string; attempt: number }[]
  /** While it is true, models fail now and then. */
  rough: boolean
  agents: number
}

function makeAgent(world: World, depth: number): Agent {
  const { random } = world
  const name = `agent${world.agents++}`
  const note = (_: unknown, ctx: { idempotencyKey: string; attempt: number }) =>
    void world.ran.push({ key: ctx.idempotencyKey, attempt: ctx.attempt })
  const tools = [
    noting('free', note),
    noting('gated', note, { needsApproval: true }),
    noting('asks', async (_, ctx) => String(await ctx.confirm('Really?')), { resumable: true }),
  ]
  const inner = Array.from({ length: depth > 0 ? 2 : 0 }, (_, index) =>
    makeAgent(world, depth - 1).asTool({ name: `inner${index}`, needsApproval: random.upTo(3) === 0 }),
  )
  const next = depth > 0 && random.upTo(1) === 0 ? makeAgent(world, depth - 1) : undefined
  const names = [...tools.map((tool) => tool.name), ...inner.map((tool) => tool.name), ...(next ? ['pass_on'] : [])]
  const turns = Array.from({ length: 1 + random.upTo(1) }, () =>
    Array.from({ length: 1 + random.upTo(2) }, (_, index): ToolCall => {
      const tool = random.pick(names)
      return { id: `c${index}`, name: tool, args: tool.startsWith('inner') ? { input: 'go' } : {} }
    }),
  )
  return new Agent({
    name,
    model: playing(world, name, turns),
    tools: [...tools, ...inner],
    handoffs: next ? [handoff(next, { toolName: 'pass_on', needsApproval: random.upTo(1) === 0 })] : [],
  })
}

/** Answers by what was said since the agent got the conversation, never by how often it was asked. */
function playing(world: World, name: string, turns: ToolCall[][]): Model {
  return {
    async respond({ messages }) {
      for (let ticks = world.random.upTo(3); ticks > 0; ticks--) await new Promise((resolve) => setImmediate(resolve))
      if (world.rough && world.random.upTo(9) === 0) throw new Error('overloaded')
      const from = messages.findLastIndex((message) => message.role === 'user' || isPassedOn(message))
      const said = messages.slice(from + 1).filter(({ role }) => role === 'assistant').length
      const made = turns[said]
      return made ? { toolCalls: made } : { content: `${name} is done` }
    },
  }
}

function isPassedOn(message: Message): boolean {
  return message.role === 'tool' && message.toolName === 'pass_on' && !message.isError
}

async function answer(state: RunState, request: HitlRequest, random: Random): Promise<void> {
  if (request.kind !== 'approve') return void (await state.answer(request, random.upTo(1) === 0))
  switch (random.upTo(4)) {
    case 0:
      return void (await state.reject(request))
    case 1:
      if (request.allowedDecisions.includes('respond'))
        return void (await state.respond(request, { message: 'by hand' }))
      return void (await state.approve(request))
    case 2:
      return void (await state.approve(request, request.reason === undefined ? { always: random.upTo(1) === 0 } : {}))
    default:
      return void (await state.approve(request))
  }
}

async function play(seed: number): Promise<void> {
  const random = seeded(seed)
  const world: World = { random, ran: [], rough: true, agents: 0 }
  const agent = makeAgent(world, 2)
  const store = memoryStore()
  const at = { store, threadId: 't' }
  const start = random.pick(['cleared', 'settled'] as const)
  let result = await run(agent, 'go', { ...at, toolExecution: { start }, maxTurns: 40 })
  for (let step = 0; result.status !== 'completed'; step++) {
    expect(step).toBeLessThan(400)
    if (step > 100) world.rough = false
    const state = random.upTo(2) === 0 ? await RunState.load(agent, at) : result.state
    const open = state.interruptions
    for (const request of open) if (random.upTo(1) === 0) await answer(state, request, random).catch(onlyGone)
    const stop = new AbortController()
    if (random.upTo(3) === 0) setTimeout(() => stop.abort(), random.upTo(3))
    result = await run(agent, random.upTo(4) === 0 ? await copied(agent, state) : state, { store, signal: stop.signal })
    if (result.status === 'failed') expect(result.error).toMatchObject({ code: 'model_failed' })
  }
  await verify(store, world)
}

/** A standing decision may have settled it meanwhile. */
function onlyGone(error: unknown): void {
  expect(error).toMatchObject({ name: 'HitlStaleAnswer' })
}

async function copied(agent: Agent, state: RunState): Promise<RunState> {
  await state.loadMessages()
  return RunState.fromString(agent, state.toString())
}

/** A snapshot between any two entries, its chunks and the entries after it give the same state. */
function verifySnapshots(entries: readonly Entry[], truth: ThreadState): void {
  const fold = emptyState(truth.tenant, truth.threadId)
  const stored = (state: ThreadState): unknown => JSON.parse(takeSnapshot(state, NO_CHUNKS))
  const end = stored(truth)
  for (const [index, entry] of entries.entries()) {
    apply(fold, entry, 0)
    if (index % 5 !== 0) continue
    const { bodies, mark } = cutChunks(fold.messages, NO_CHUNKS)
    const { state: late, chunks } = restoreSnapshot(takeSnapshot(fold, mark), fold)!
    for (const more of entries.slice(index + 1)) apply(late, more, 0)
    expect(stored(late)).toEqual(end)
    late.messages.fill(joinChunks(bodies, chunks)!)
    expect(late.messages.all).toEqual(truth.messages.all)
  }
}

async function verify(store: Store, { ran }: World): Promise<void> {
  const entries = await entriesOf(store, 't')
  const state = emptyState(store.tenantId, 't')
  const frames = new Map<string, readonly Message[]>()
  for (const entry of entries) {
    apply(state, entry, 0)
    for (const frame of state.run?.frames.values() ?? []) frames.set(frame.key, frame.messages.all)
  }
  for (const messages of frames.values()) assertValidHistory(messages)
  verifySnapshots(entries, state)
  const starts: { key: string; attempt: number }[] = []
  for (const entry of entries) {
    if (entry.type !== 'call.judged') continue
    const own = entries.filter((other) => 'call' in other && other.call === entry.call)
    const count = (...types: string[]): number => own.filter(({ type }) => types.includes(type)).length
    expect(count('call.finished', 'call.refused'), `results of ${entry.call}`).toBe(1)
    expect(count('call.started')).toBeLessThanOrEqual(count('call.released'))
    const released = own.find((other) => other.type === 'call.released')
    const key = released?.type === 'call.released' ? idempotencyKey('default', entry.call, released.digest) : ''
    for (const other of own) if (other.type === 'call.started') starts.push({ key, attempt: other.attempt })
  }
  const once = ran.map(({ key, attempt }) => `${key} ${attempt}`)
  expect(new Set(once).size).toBe(once.length)
  const known = new Set(starts.map(({ key, attempt }) => `${key} ${attempt}`))
  for (const each of once) expect(known.has(each), 'a body that ran was started in the journal').toBe(true)
  expect((await store.findRequests({ status: 'open' })).requests).toEqual([])
  expect((await store.read('t')).lease).toBeNull()
}

it('G1, G2, G6: whatever happens to random trees of agents, everything is decided, run and answered once', async () => {
  for (const seed of SEEDS) {
    await play(seed).catch((error: unknown) => {
      throw new Error(`Seed ${seed} failed; HOLDPOINT_RUNS_SEED=${seed} repeats it.`, { cause: error })
    })
  }
}, 600_000)
