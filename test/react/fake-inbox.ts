import type { InboxClient } from '../../src/client/v1/inbox-client.ts'
import type { EventsOptions, LiveState } from '../../src/client/v1/live.ts'
import type { LiveEvent } from '../../src/protocol/api/records.ts'
import type { RequestDetail, RequestItem, StoryItem } from '../../src/protocol/api/requests.ts'
import type { InboxApi } from '../../src/react/inbox-api.ts'

/** A request to refund, as the server would list it. */
export function refund(id: string, more: Partial<RequestItem> = {}): RequestItem {
  return {
    id,
    questionId: `call-${id}`,
    kind: 'approve',
    agent: 'billing',
    path: ['billing'],
    toolName: 'refund',
    args: { amount: 120, to: 'ada@example.com' },
    digest: `digest-${id}`,
    allowedDecisions: ['approve', 'edit', 'reject', 'respond'],
    threadId: 'order-42',
    tenant: 'default',
    status: 'open',
    version: 1,
    title: 'Refund €120.00 to ada@example.com',
    hidden: 0,
    createdAt: '2026-03-12T10:00:00.000Z',
    comments: 0,
    mayDecide: true,
    ...more,
  }
}

/** Refused as a gateway refuses. */
export function refusal(status: number, code: string, request?: RequestItem): Error {
  return Object.assign(new Error(code), { name: 'ApiError', status, code, detail: code, request })
}

/** No answer. */
export function unreachable(): Error {
  return Object.assign(new Error('no answer'), { name: 'NetworkError' })
}

/** A gateway's requests in memory, for what the hooks do with its answers and its silence. `calls` are the calls that it got. */
export class FakeInbox implements InboxApi {
  readonly calls: string[] = []
  readonly keys: (string | undefined)[] = []
  readonly stored = new Map<string, RequestItem>()
  undoSeconds = 0
  /** What a new stream is. */
  state: LiveState = 'live'
  /** Calls fail with this while it is set. */
  down: Error | undefined
  #listeners = new Set<EventsOptions>()

  constructor(...requests: RequestItem[]) {
    for (const request of requests) this.stored.set(request.id, request)
  }

  /** For a provider: hooks use no more of a client than this has. */
  get asClient(): InboxClient {
    return this as Partial<InboxClient> as InboxClient
  }

  get streams(): number {
    return this.#listeners.size
  }

  /** Stores a request and tells everybody. */
  put(request: RequestItem, what: (LiveEvent & { type: 'request' })['what']): void {
    this.stored.set(request.id, request)
    this.emit({ type: 'request', what, id: request.id, version: request.version })
  }

  emit(event: LiveEvent): void {
    for (const { onEvent } of this.#listeners) onEvent(event)
  }

  line(state: LiveState): void {
    for (const { onState } of this.#listeners) onState?.(state)
  }

  async me() {
    this.#call('me')
    const now = new Date().toISOString()
    return { id: 'lena', tenant: 'default', roles: ['reviewer'], groups: [], undoSeconds: 10, previews: false, now }
  }

  async counts() {
    this.#call('counts')
    const open = { count: this.#list('open').length, more: false }
    return { open, mine: open, high: { count: 0, more: false } }
  }

  async requests({ status = 'open', limit = 50, cursor }: Parameters<InboxApi['requests']>[0] = {}) {
    this.#call(`requests ${status} ${cursor ?? 'top'}`)
    const all = this.#list(status)
    const from = cursor === undefined ? 0 : all.findIndex(({ id }) => id < cursor)
    const page = from === -1 ? [] : all.slice(from, from + limit)
    const more = from !== -1 && all.length > from + limit
    return { requests: page, ...(more ? { next: page.at(-1)!.id } : {}) }
  }

  async request(id: string): Promise<RequestDetail> {
    this.#call(`request ${id}`)
    const request = this.stored.get(id)
    if (!request) throw refusal(404, 'not_found')
    return { request, policies: [], changes: [], offers: [], similar: [], grants: 0, story: [], comments: [] }
  }

  async decide(id: string, body: Parameters<InboxApi['decide']>[1], how?: { idempotencyKey?: string }) {
    this.#call(`decide ${id} v${body.version}`)
    this.keys.push(how?.idempotencyKey)
    const request = this.stored.get(id)!
    if (request.status !== 'open') throw refusal(409, 'already_decided', request)
    if (request.version !== body.version) throw refusal(409, 'request_changed', request)
    const at = new Date()
    const effectiveAt = new Date(at.getTime() + this.undoSeconds * 1000).toISOString()
    const decided = {
      decision: body.decision,
      by: { kind: 'person' as const, id: 'lena' },
      at: at.toISOString(),
      effectiveAt,
    }
    const after: RequestItem = { ...request, status: 'decided', version: request.version + 1, decided }
    this.put(after, 'decided')
    return after
  }

  async answer(id: string): Promise<RequestItem> {
    this.#call(`answer ${id}`)
    const after: RequestItem = { ...this.stored.get(id)!, status: 'decided' }
    this.put(after, 'decided')
    return after
  }

  async cancel(id: string): Promise<RequestItem> {
    this.#call(`cancel ${id}`)
    const after: RequestItem = { ...this.stored.get(id)!, status: 'cancelled' }
    this.put(after, 'cancelled')
    return after
  }

  async withdraw(id: string, { version }: { version: number }) {
    this.#call(`withdraw ${id} v${version}`)
    const { decided: _, ...request } = this.stored.get(id)!
    const after: RequestItem = { ...request, status: 'open', version: version + 1 }
    this.put(after, 'reopened')
    return after
  }

  async bulk({ items, decision }: Parameters<InboxApi['bulk']>[0]) {
    this.#call(`bulk ${items.length}`)
    const outcomes = []
    for (const { id, version } of items) {
      try {
        outcomes.push({ id, ok: true as const, request: await this.decide(id, { version, decision }) })
      } catch (error) {
        outcomes.push({ id, ok: false as const, code: (error as { code: string }).code, detail: 'refused' })
      }
    }
    return { outcomes }
  }

  async grants() {
    return { grants: [] }
  }

  async revoke(): Promise<never> {
    throw refusal(404, 'not_found')
  }

  /** The steps of every thread, by number. Five are the end; a cursor is the number of the step that it stands before. */
  readonly steps: StoryItem[] = []
  /** So many steps are told again from one place on. */
  toldAgain = 50

  async thread(id: string, { before, from, limit = 5 }: Parameters<InboxApi['thread']>[1] = {}) {
    this.#call(
      `thread ${id} ${before === undefined ? (from === undefined ? 'end' : `from ${from}`) : `before ${before}`}`,
    )
    const end = before === undefined ? this.steps.length : Number(before)
    const start = from === undefined ? Math.max(0, end - limit) : Number(from)
    if (from !== undefined && end - start > this.toldAgain) throw refusal(400, 'too_far_back')
    return { id, version: 1, story: this.steps.slice(start, end), ...(start > 0 ? { before: String(start) } : {}) }
  }

  async figures(): Promise<never> {
    throw refusal(404, 'not_found')
  }

  events(listener: EventsOptions) {
    const own = { ...listener }
    this.#listeners.add(own)
    own.onState?.(this.state)
    const close = () => void this.#listeners.delete(own)
    return {
      state: this.state,
      lastEventId: undefined,
      retryNow: () => undefined,
      close,
      ended: Promise.resolve(),
    }
  }

  #call(what: string): void {
    this.calls.push(what)
    if (this.down) throw this.down
  }

  #list(status: string): RequestItem[] {
    const all = [...this.stored.values()].sort((a, b) => (a.id < b.id ? 1 : -1))
    if (status === 'all') return all
    return all.filter((each) => (status === 'closed' ? each.status !== 'open' : each.status === status))
  }
}
