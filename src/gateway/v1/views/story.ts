import { titleOf } from '../../../core/display/title.ts'
import { shownActor } from '../../../core/views/request-view.ts'
import type { StoryItem } from '../../../protocol/api/requests.ts'
import type { EntryOf } from '../../../protocol/entries/entry.ts'
import type { CallKey } from '../../../protocol/ids.ts'
import {
  type AssistantMessage,
  type InputMessage,
  type Message,
  type ToolResult,
  textOf,
} from '../../../protocol/message.ts'
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
  readonly here?: string
}

/** The story of a thread, as its reader may know it. Nothing in it is markup. */
export function storyOf(entries: readonly ThreadEntry[], told: Told): StoryItem[] {
  const teller = new Teller(told)
  for (const placed of entries) teller.tell(placed)
  return teller.items
}

/** The end of a story, and how many steps came before it. */
export function lastSteps(story: StoryItem[], most: number): { story: StoryItem[]; earlier?: number } {
  const earlier = story.length - most
  return earlier > 0 ? { story: story.slice(earlier), earlier } : { story }
}

/** Kept whole: one switch over the entries, and what it has told so far. */
class Teller {
  readonly items: StoryItem[] = []
  readonly #sight: Sight
  readonly #here: string | undefined
  readonly #tools = new Map<CallKey, { item: ToolItem; at: number }>()
  readonly #requests = new Map<string, RequestStep>()
  readonly #agents = new Map<string, string>()
  /** What the model said, by turn. */
  readonly #answers = new Map<string, AssistantMessage>()
  /** The request that is being shown has come. */
  #over = false

  constructor({ sight, here }: Told) {
    this.#sight = sight
    this.#here = here
  }

  tell({ at, entry }: ThreadEntry): void {
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
        return this.#add({ kind: 'end', at: iso(at), status: entry.status })
      // Everything else is no step of a story.
      default:
    }
  }

  #add(item: StoryItem): void {
    if (!this.#over) this.items.push(item)
  }

  #moved(at: number, { agent: { id: agent, version }, by, reason }: EntryOf<'run.moved'>): void {
    const to = version === undefined ? { agent } : { agent, version }
    this.#add({ kind: 'moved', at: iso(at), ...to, by: shownActor(by), reason: brief(reason) })
  }

  #people(at: number, input: readonly InputMessage[]): void {
    for (const { role, content } of input)
      if (role === 'user') this.#add({ kind: 'person', at: iso(at), text: brief(textOf(content)) })
  }

  #model(at: number, entry: EntryOf<'model.answered'>): void {
    this.#answers.set(`${entry.frame}/${entry.turn}`, entry.message)
    const text = textOf(entry.message.content)
    if (text === '' || !this.#sight.words(entry)) return
    const agent = this.#agents.get(entry.frame) ?? 'unknown'
    this.#add({ kind: 'model', at: iso(at), agent, text: brief(text) })
  }

  #judged(at: number, { call, policies = [] }: EntryOf<'call.judged'>): void {
    if (policies.length === 0 || !this.#sight.call(call)) return
    this.#add({ kind: 'policy', at: iso(at), tool: this.#nameOf(call), policies })
  }

  /** A call is told once, where it was started or refused. Its end is filled in. */
  #tool(at: number, call: CallKey, news: Pick<ToolItem, 'state' | 'text'>): void {
    if (this.#over || !this.#sight.call(call)) return
    const known = this.#tools.get(call)
    if (!known) {
      const item: ToolItem = { kind: 'tool', at: iso(at), tool: this.#nameOf(call), ...news }
      this.#tools.set(call, { item, at })
      this.items.push(item)
    } else Object.assign(known.item, news, news.state === 'started' ? {} : { ms: Math.max(0, at - known.at) })
  }

  #opened(at: number, entry: EntryOf<'request.opened'>): void {
    if (this.#over || !this.#sight.request(entry)) return
    const isHere = entry.id === this.#here
    const { id } = entry
    const item: RequestStep = { kind: 'request', at: iso(at), id, title: titleOf(entry), status: 'open' }
    if (isHere) item.here = true
    this.#requests.set(id, item)
    this.items.push(item)
    this.#over = isHere
  }

  #changed({ id, by }: { id: string; by: EntryOf<'request.decided'>['by'] }, status: RequestStatus): void {
    const item = this.#requests.get(id)
    if (!item) return
    item.status = status
    if (status === 'open') delete item.by
    else item.by = shownActor(by)
  }

  #nameOf(call: CallKey): string {
    return toolOf(this.#answers.get(turnOf(call)), call)
  }
}

function resultOf({ content }: ToolResult, state: ToolItem['state']): Pick<ToolItem, 'state' | 'text'> {
  const text = textOf(content)
  return { state, ...given({ text: text === '' ? undefined : brief(text) }) }
}

function brief(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`
}

/** What the user said last before a place in a thread: the input of the root, or the end of its history. */
export function causeOf(entries: readonly ThreadEntry[], before: number): { at: number; text: string } | undefined {
  for (const { seq, at, entry } of entries.toReversed()) {
    if (seq >= before) continue
    if (entry.type === 'input.added' && entry.frame === undefined) {
      const text = lastWords(entry.input)
      if (text !== undefined) return { at, text: brief(text) }
    }
    if (entry.type === 'run.opened') {
      const text = lastWords(entry.input) ?? lastWords(entry.history ?? [])
      return text === undefined ? undefined : { at, text: brief(text) }
    }
  }
  return undefined
}

function lastWords(messages: readonly Message[]): string | undefined {
  const last = messages.findLast(({ role, content }) => role === 'user' && textOf(content) !== '')
  return last && textOf(last.content)
}
