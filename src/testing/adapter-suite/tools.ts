import assert from 'node:assert/strict'
import { Desk } from '../../desk/desk.ts'
import type { Store } from '../../ports/store.ts'
import type { Decision } from '../../protocol/decision.ts'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import { uuidSource } from '../../protocol/uuid.ts'
import { memoryStore } from '../../store/memory/store.ts'
import { endsWithin } from '../ends-within.ts'
import { type FakeClock, fakeClock } from '../fake-clock.ts'
import type {
  AdapterCase,
  AdapterHarness,
  AdapterHost,
  HostCall,
  HostCallState,
  HostTool,
  HostTurn,
} from './adapter-case.ts'

/** The person who decides, at the host or elsewhere. */
export const REVIEWER = { kind: 'person', id: 'ann' } as const

/** A payment, which a person must approve. */
export function pay(id: string, amount = 20): HostCall {
  return { id, toolName: 'pay', args: { to: 'bob', amount } }
}

/** A call that needs no person. */
export function lookUp(id: string): HostCall {
  return { id, toolName: 'look_up', args: { order: 'A-1' } }
}

/** Hosts over one store, the effects of their tools, and people who decide elsewhere. */
export class World {
  /** The arguments of each payment that took effect. */
  readonly paid: JsonObject[] = []
  readonly looked: JsonObject[] = []
  readonly clock: FakeClock | undefined
  readonly store: Store
  readonly desk: Desk
  readonly #harness: AdapterHarness
  readonly #hosts: AdapterHost[] = []

  constructor(harness: AdapterHarness, clock?: FakeClock) {
    this.#harness = harness
    this.clock = clock
    this.store = harness.openStore?.(clock) ?? memoryStore(clock ? { clock } : {})
    this.desk = new Desk({ store: this.store, newId: uuidSource() })
  }

  /** Starts one more process of the host. `store`: what it has in place of the store. `paying`: what happens after a payment took effect. */
  async host({
    store = this.store,
    paying,
  }: {
    store?: Store
    paying?: () => Promise<void>
  } = {}): Promise<AdapterHost> {
    const tool = (name: string, run: HostTool['run']): HostTool => ({
      name,
      description: `Calls ${name}.`,
      parameters: { type: 'object' },
      run,
    })
    const host = await this.#harness.start({
      store,
      conversation: 'chat-1',
      held: ['pay'],
      reviewer: REVIEWER,
      tools: [
        tool('pay', async (args) => {
          this.paid.push(structuredClone(args))
          await paying?.()
          return { receipt: this.paid.length }
        }),
        tool('look_up', async (args) => {
          this.looked.push(structuredClone(args))
          return { found: true }
        }),
      ],
    })
    this.#hosts.push(host)
    return host
  }

  /** The requests that wait for a person, oldest first. */
  async open(): Promise<HitlRequest[]> {
    return (await this.desk.list({ status: 'open' })).requests.reverse()
  }

  /** Decides all open requests, at another door than the host. */
  async decideAll(decision: Decision): Promise<void> {
    const requests = await this.open()
    assert.ok(requests.length > 0, 'nobody was asked')
    for (const request of requests) await this.desk.decide({ request, decision, by: REVIEWER })
  }

  /** The amounts that were paid. */
  get amounts(): unknown[] {
    return this.paid.map(({ amount }) => amount)
  }

  async close(): Promise<void> {
    for (const host of this.#hosts) await host.close?.()
    await this.store.close()
  }
}

/** A case in a world of its own. With `time`, the clock moves only when the case moves it. */
interface WorldCase extends Omit<AdapterCase, 'run'> {
  readonly time?: true
  run(world: World): Promise<void>
}

/** Cases that each run in a world of their own. */
export function inWorlds(cases: readonly WorldCase[]): readonly AdapterCase[] {
  return cases.map(({ time, run, ...about }) => ({
    ...about,
    run: (harness) => inWorld(harness, run, time ? { time } : {}),
  }))
}

/** Runs a check on a world without calls. */
export async function inWorld(
  harness: AdapterHarness,
  work: (world: World) => Promise<void>,
  { time = false }: { time?: boolean } = {},
): Promise<void> {
  const world = new World(harness, time ? fakeClock() : undefined)
  try {
    await work(world)
  } finally {
    await world.close()
  }
}

/** What a host would read back from its own storage. */
export function stored(saved: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(saved)) as JsonValue
}

/** Asks for a payment, which must wait and have no effect. Resolves to what the host saved. */
export async function asked(world: World, host: AdapterHost, calls: readonly HostCall[]): Promise<JsonValue> {
  const turn = await inTime(host.call(calls))
  for (const { id } of calls) assert.equal(stateOf(turn, id).status, 'waiting', `the call ${id} must wait`)
  assert.deepEqual(world.paid, [], 'nothing is paid before somebody has decided')
  return stored(turn.saved)
}

/** Resumes and returns the turn. A host that fails has no turn. */
export async function resumed(
  host: AdapterHost,
  ...given: Parameters<AdapterHost['resume']>
): Promise<HostTurn | undefined> {
  return inTime(host.resume(...given).catch(() => undefined))
}

/** The state of a call in a turn. */
export function stateOf(turn: HostTurn | undefined, id: string): HostCallState {
  const state = turn?.calls.find((call) => call.id === id)
  assert.ok(state, `the host says nothing of the call ${id}`)
  return state
}

/** The longest that something may take that must happen. */
const PATIENCE_MS = 30_000

/** Fails unless work ends in time: a host that waits for nobody must not stop the suite. */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return endsWithin(PATIENCE_MS, work)
}
