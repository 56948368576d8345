import { vi } from 'vitest'
import {
  Agent,
  type AgentEvent,
  type HitlRequest,
  HoldpointError,
  openDesk,
  type Store,
  type Thread,
  type ThreadResult,
} from '../../src/index.ts'
import { EventSource } from '../../src/runtime/events/event-source.ts'
import { Journal } from '../../src/runtime/journal/journal.ts'
import { REST_MS } from '../../src/runtime/thread/thread-journal.ts'
import { type RecordedRequest, type ScriptStep, scriptedModel } from '../../src/testing/scripted-model.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { calls } from '../support/agents/scripted-agent.ts'

/** What can happen to a thread. */
export type Command =
  /** So much time passes that each thread rests that no call uses. */
  | { do: 'rest' }
  /** The event loop goes on. */
  | { do: 'wait'; turns: number }
  /** The next reads of the store fail. */
  | { do: 'fail'; reads: number }
  | { do: 'prompt'; how: 'plain' | 'queue' | 'supersede' }
  | { do: 'respond'; approve: boolean; unbound: boolean }
  | { do: 'resume' | 'abort' | 'load' | 'state' | 'subscribe' }
  /** Somebody decides one of the open requests at the desk. */
  | { do: 'decide'; nth: number; approve: boolean }
  /** Another process that has the same conversation does this. */
  | { do: 'elsewhere'; call: 'prompt' | 'respond' | 'abort' | 'load' }

type CommandOf<D extends Command['do']> = Extract<Command, { do: D }>

/** Somebody who listens from a certain time on. */
interface Listener {
  /** How much of the journal's news the first listener had heard by then. */
  readonly since: number
  readonly heard: AgentEvent[]
}

const UNREACHABLE = new Error('the store cannot be read')
const UNLIMITED = { maxTurns: null }
/** Also that of a thread that rests later, since its load was long. */
const LONG_REST_MS = 8 * REST_MS

/**
 * A thread, everything that is done to it, and everything that can be seen of it. It rests by the timers of `vi.useFakeTimers`: when it is told to, and
 * at no other time.
 */
export class Life {
  readonly listeners: Listener[] = []
  /** Their bodies take a while, so that time passes and other calls end while one is under way. */
  readonly #tools = [notingGated('pay', () => turns(5)), noting('look', () => turns(5))]
  readonly #store: Store
  readonly #thread: Thread
  readonly #other: Thread
  #failing = 0
  #loads = 0

  /** `seen`: the store as the thread sees it, if that is not all true. */
  constructor(store: Store, seen: Store = store) {
    const read: Store['read'] = async (threadId, options) => {
      if (options?.snapshot !== undefined) this.#loads++
      if (this.#failing-- > 0) throw UNREACHABLE
      return seen.read(threadId, options)
    }
    const agent = new Agent({ name: 'clerk', model: scriptedModel(Array(500).fill(answer)), tools: this.#tools })
    this.#store = store
    this.#thread = agent.thread('t', { store: { ...seen, read } })
    this.#other = agent.thread('t', { store })
    this.#subscribe()
  }

  /** How often a journal was loaded that had nothing in memory. */
  get loads(): number {
    return this.#loads
  }

  /** The arguments of all bodies that ran. No two calls have the same. */
  get runs(): string[] {
    return this.#tools.flatMap(({ runs }) => runs.map((args) => JSON.stringify(args)))
  }

  async version(): Promise<number> {
    return (await this.#store.read('t')).version
  }

  /** Does it, and says what came of it. Throws what no call may throw. */
  async do(command: Command): Promise<unknown> {
    try {
      return await this.#do(command)
    } catch (error) {
      if (HoldpointError.isInstance(error)) return error.code
      if (error === UNREACHABLE) return 'unreachable'
      throw error
    }
  }

  /** The store answers again, and a last call reads everything. */
  async catchUp(): Promise<void> {
    this.#failing = 0
    await this.#thread.loadPendingHitlRequest()
  }

  /** The news that the whole journal is, read at once. */
  async told(): Promise<unknown[]> {
    const heard: AgentEvent[] = []
    const events = new EventSource()
    events.listen((event) => void heard.push(event))
    const journal = new Journal(this.#store, 't')
    journal.observe((entry) => events.folded(journal.state, entry))
    await journal.catchUp()
    return newsOf(heard)
  }

  async #do(command: Command): Promise<unknown> {
    switch (command.do) {
      case 'rest':
        return void vi.advanceTimersByTime(LONG_REST_MS)
      case 'wait':
        return turns(command.turns)
      case 'fail':
        this.#failing = command.reads
        return
      case 'prompt': {
        const whilePaused = command.how === 'plain' ? {} : { whilePaused: command.how }
        return this.#ended(await this.#thread.prompt('Go.', { ...UNLIMITED, ...whilePaused }))
      }
      case 'respond': {
        const { unbound } = command
        return this.#ended(await this.#thread.respond({ answer: decision(command), unbound, ...UNLIMITED }))
      }
      case 'resume':
        return this.#ended(await this.#thread.resume(UNLIMITED))
      case 'abort':
        return this.#ended(await this.#thread.abortPending())
      case 'load':
        return asked(await this.#thread.loadPendingHitlRequest())
      case 'state':
        return (await this.#thread.state()).interruptions.length
      case 'subscribe':
        return this.#subscribe()
      case 'decide':
        return this.#decide(command)
      case 'elsewhere':
        return this.#elsewhere(command)
      default:
        return command satisfies never
    }
  }

  /** Listeners have heard of what a call returns. */
  #ended(result: ThreadResult) {
    const told = new Set(requestsIn(this.listeners[0]?.heard ?? []))
    for (const { id } of result.requests) if (!told.has(id)) throw new Error(`no listener has heard of request ${id}`)
    return ending(result)
  }

  #subscribe(): void {
    const heard: AgentEvent[] = []
    this.listeners.push({ since: newsOf(this.listeners[0]?.heard ?? []).length, heard })
    this.#thread.subscribe((event) => void heard.push(event))
  }

  async #decide({ nth, approve }: CommandOf<'decide'>): Promise<unknown> {
    const desk = openDesk({ store: this.#store })
    const { requests } = await desk.list({ status: 'open' })
    const chosen = requests[nth % requests.length]
    if (!chosen) return undefined
    const { id: request, version } = chosen
    await desk.decide({ request, version, decision: decision({ approve }), by: 'ann' })
    return request
  }

  async #elsewhere({ call }: CommandOf<'elsewhere'>): Promise<unknown> {
    switch (call) {
      case 'prompt':
        return ending(await this.#other.prompt('Go, too.', { ...UNLIMITED, whilePaused: 'queue' }))
      case 'respond':
        return ending(await this.#other.respond({ answer: decision({ approve: true }), unbound: true, ...UNLIMITED }))
      case 'abort':
        return ending(await this.#other.abortPending())
      case 'load':
        return asked(await this.#other.loadPendingHitlRequest())
      default:
        return call satisfies never
    }
  }
}

/** Lets the event loop go round so often. */
export async function turns(times: number): Promise<void> {
  for (let turn = 0; turn < times; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const LIVE_ONLY: ReadonlySet<AgentEvent['type']> = new Set(['turn_start', 'agent_aborted'])

/** What is news of the journal among events, without their numbers: not what is live only, nor what was told again to a new listener. */
export function newsOf(heard: readonly AgentEvent[]): unknown[] {
  const news = heard.filter(({ type, replayed }) => !replayed && !LIVE_ONLY.has(type))
  return news.map(eventOf).map(({ seq: _, ...event }) => event)
}

/** The requests that were told, by their ids. */
export function requestsIn(heard: readonly AgentEvent[]): string[] {
  return heard.flatMap((event) => (event.type === 'hitl_request' ? [event.request.id] : []))
}

/** An event without the times of its request. */
export function eventOf(event: AgentEvent) {
  return event.type === 'hitl_request' ? { ...event, request: asked(event.request) } : event
}

function asked(request: HitlRequest | undefined) {
  return request && { id: request.id, questionId: request.questionId, tool: request.toolName, args: request.args }
}

function ending(result: ThreadResult) {
  const { status, messages, requests } = result
  return { status, messages, requests: requests.map(asked), error: status === 'failed' && result.error.code }
}

function decision({ approve }: { approve: boolean }) {
  return { type: approve ? 'approve' : 'reject' } as const
}

/** By how often the model has answered: it asks to pay, once or twice at a time, and looks at so much between that snapshots are written. */
function answer({ messages }: RecordedRequest): ScriptStep {
  const turn = messages.filter(({ role }) => role === 'assistant').length
  const call = (id: string, tool: string): Parameters<typeof calls>[0] => [`${id}${turn}`, tool, { turn, id }]
  switch (turn % 6) {
    case 0:
      return calls(call('a', 'pay'))
    case 4:
      return calls(call('a', 'pay'), call('b', 'pay'), call('c', 'look'))
    case 5:
      return `Done ${turn}.`
    default:
      return calls(call('a', 'look'), call('b', 'look'))
  }
}
