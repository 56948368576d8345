import { titleOf } from '../../../core/display/title.ts'
import { shownActor } from '../../../core/views/request-view.ts'
import type { StoryItem } from '../../../protocol/api/requests.ts'
import type { EntryOf } from '../../../protocol/entries/entry.ts'
import type { CallKey } from '../../../protocol/ids.ts'
import { type AssistantMessage, type InputMessage, type ToolResult, textOf } from '../../../protocol/message.ts'
import type { RequestStatus } from '../../../protocol/request.ts'
import { given, iso } from './request-item.ts'
import type { Sight } from './sight.ts'
import { type ThreadEntry, toolOf, turnOf } from './thread-entries.ts'

type ToolItem = Extract<StoryItem, { kind: 'tool' }>
type RequestStep = Extract<StoryItem, { kind: 'request' }>

/** How long a text of the story may be. */
const LONGEST_TEXT = 4000

/** What is told, and of whom. */
export interface Told {
  readonly sight: Sight
  /** The request that is being shown: what comes after it is left out, except what became of it. */
  readonly here?: string | undefined
  /** The first entry that is told. Those before it only say who speaks, and which tools are called. */
  readonly from?: number
  /** What entries say that were not read. */
  readonly beyond?: Beyond
}

/** What entries say that come before those that were read. */
export interface Beyond {
  /** The agent of a frame at an entry. */
  agentAt(frame: string, seq: number): string | undefined
  /** What the model said in a turn. */
  answerOf(turn: string): AssistantMessage | undefined
}

/** A step, and the entry where it begins. */
export interface Step {
  readonly seq: number
  readonly item: StoryItem
}

/** A story, and what it would need of entries that were not read to be complete. */
export interface ToldStory {
  readonly steps: readonly Step[]
  /** Frames whose agent is not known, each with the entry in which it speaks. */
  readonly speakers: ReadonlyMap<string, number>
  /** Calls whose tool is not known, each with an entry about it. */
  readonly calls: ReadonlyMap<CallKey, number>
}

/**
 * The story of a part of a thread, as its reader may know it. Nothing in it is markup. A call is told where it was started; if that is not in the part, its
 * end is told.
 */
export function storyOf(entries: readonly ThreadEntry[], told: Told): ToldStory {
  const teller = new Teller(told)
  for (const placed of entries) teller.tell(placed)
  return teller
}

/** Kept whole: one switch over the entries, and what it has told so far. */
class Teller implements ToldStory {
  readonly steps: Step[] = []
  readonly speakers = new Map<string, number>()
  readonly calls = new Map<CallKey, number>()
  readonly #sight: Sight
  readonly #here: string | undefined
  readonly #tools = new Map<CallKey, { item: ToolItem; at: number }>()
  readonly #requests = new Map<string, RequestStep>()
  readonly #agents = new Map<string, string>()
  /** What the model said, by turn. */
  readonly #answers = new Map<string, AssistantMessage>()
  readonly #from: number
  readonly #beyond: Beyond | undefined
  /** The number of the entry that is being told. */
  #seq = 0
  /** The request that is being shown has come. */
  #over = false

  constructor({ sight, here, from = 0, beyond }: Told) {
    this.#sight = sight
    this.#here = here
    this.#from = from
    this.#beyond = beyond
  }

  tell({ seq, at, entry }: ThreadEntry): void {
    this.#seq = seq
    switch (entry.type) {
      case 'run.opened':
        this.#agents.set(entry.run, entry.agent.id)
        return this.#people(at, entry.input)
      case 'input.added':
        return this.#people(at, entry.input)
      case 'agent.changed':
        this.#agents.set(entry.frame, entry.agent.id)
        return
      case 'model.answered':
        return this.#model(at, entry)
      case 'call.judged':
        return this.#judged(at, entry)
      case 'call.started':
        if (entry.frame) this.#agents.set(entry.call, entry.frame.agent.id)
        return this.#tool(at, entry.call, { state: 'started' })
      case 'call.finished':
        return this.#tool(at, entry.call, resultOf(entry.result, entry.result.isError ? 'failed' : 'finished'))
      case 'call.refused':
        return this.#tool(at, entry.call, resultOf(entry.result, entry.cause === 'unknown' ? 'unknown' : 'refused'))
      case 'request.opened':
        return this.#opened(at, entry)
      case 'request.decided':
      case 'request.answered':
        return this.#changed(entry, 'decided')
      case 'request.reopened':
        return this.#changed(entry, 'open')
      case 'request.closed':
        return this.#changed(entry, entry.status)
      case 'run.moved':
        return this.#moved(at, entry)
      case 'run.settled':
        return this.#ended(at, entry)
      // Everything else is no step of a story.
      default:
    }
  }

  get #isTold(): boolean {
    return !this.#over && this.#seq >= this.#from
  }

  #add(item: StoryItem): void {
    if (this.#isTold) this.steps.push({ seq: this.#seq, item })
  }

  #moved(at: number, { agent: { id: agent, version }, by, reason }: EntryOf<'run.moved'>): void {
    const to = version === undefined ? { agent } : { agent, version }
    this.#add({ kind: 'moved', at: iso(at), ...to, by: shownActor(by), reason: brief(reason) })
  }

  #ended(at: number, { status, by, reason }: EntryOf<'run.settled'>): void {
    const who = by === undefined ? {} : { by: shownActor(by) }
    const why = reason === undefined ? {} : { reason: brief(reason) }
    this.#add({ kind: 'end', at: iso(at), status, ...who, ...why })
  }

  #people(at: number, input: readonly InputMessage[]): void {
    for (const { role, content } of input)
      if (role === 'user') this.#add({ kind: 'person', at: iso(at), text: brief(textOf(content)) })
  }

  #model(at: number, entry: EntryOf<'model.answered'>): void {
    this.#answers.set(`${entry.frame}/${entry.turn}`, entry.message)
    const text = textOf(entry.message.content)
    if (!this.#isTold || text === '' || !this.#sight.words(entry)) return
    const agent = this.#agentOf(entry.frame)
    this.#add({ kind: 'model', at: iso(at), agent, text: brief(text) })
  }

  #judged(at: number, { call, policies = [] }: EntryOf<'call.judged'>): void {
    if (!this.#isTold || policies.length === 0 || !this.#sight.call(call)) return
    this.#add({ kind: 'policy', at: iso(at), tool: this.#nameOf(call), policies })
  }

  /** A call is told once, where it was started or refused. Its end is filled in. */
  #tool(at: number, call: CallKey, news: Pick<ToolItem, 'state' | 'text'>): void {
    if (!this.#isTold || !this.#sight.call(call)) return
    const known = this.#tools.get(call)
    if (!known) {
      const item: ToolItem = { kind: 'tool', at: iso(at), tool: this.#nameOf(call), ...news }
      this.#tools.set(call, { item, at })
      this.#add(item)
    } else Object.assign(known.item, news, news.state === 'started' ? {} : { ms: Math.max(0, at - known.at) })
  }

  #opened(at: number, entry: EntryOf<'request.opened'>): void {
    if (!this.#isTold || !this.#sight.request(entry)) return
    const isHere = entry.id === this.#here
    const { id } = entry
    const item: RequestStep = { kind: 'request', at: iso(at), id, title: titleOf(entry), status: 'open' }
    if (isHere) item.here = true
    this.#requests.set(id, item)
    this.#add(item)
    this.#over = isHere
  }

  #changed({ id, by }: { id: string; by: EntryOf<'request.decided'>['by'] }, status: RequestStatus): void {
    const item = this.#requests.get(id)
    if (!item) return
    item.status = status
    if (status === 'open') delete item.by
    else item.by = shownActor(by)
  }

  #agentOf(frame: string): string {
    const agent = this.#agents.get(frame) ?? this.#beyond?.agentAt(frame, this.#seq)
    if (agent === undefined) this.speakers.set(frame, this.#seq)
    return agent ?? 'unknown'
  }

  #nameOf(call: CallKey): string {
    const turn = turnOf(call)
    const answer = this.#answers.get(turn) ?? this.#beyond?.answerOf(turn)
    if (!answer) this.calls.set(call, this.#seq)
    return toolOf(answer, call)
  }
}

function resultOf({ content }: ToolResult, state: ToolItem['state']): Pick<ToolItem, 'state' | 'text'> {
  const text = textOf(content)
  return { state, ...given({ text: text === '' ? undefined : brief(text) }) }
}

/** A text of a story, cut off if it is long. */
export function brief(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`
}
