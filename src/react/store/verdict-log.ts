import type { Me } from '../../protocol/api/people.ts'
import type { BulkBody, BulkResult, RequestItem } from '../../protocol/api/requests.ts'
import type { InboxApi } from '../inbox-api.ts'
import { isUnreachable, requestOf } from './errors.ts'
import { HeldBox, type HeldEntry, type HeldStorage } from './held-storage.ts'
import { newKey } from './new-key.ts'
import { seenOf, type Verdict } from './verdict.ts'
import { Watchers } from './watchers.ts'

/**
 * How far a verdict has got. It is `undoable` or `done` only after the server has stored it.
 * `held`: there was no connection. Nothing is sent until `sendHeld` is called; with `perhaps` an earlier try may have arrived.
 */
export type VerdictState =
  | { state: 'idle' }
  | { state: 'sending'; request: RequestItem; verdict: Verdict }
  | { state: 'undoable'; request: RequestItem; verdict: Verdict; until: number }
  | { state: 'done'; request: RequestItem; verdict: Verdict }
  | { state: 'withdrawing'; request: RequestItem; verdict: Verdict }
  | { state: 'withdrawn'; request: RequestItem; verdict: Verdict }
  | { state: 'held'; request: RequestItem; verdict: Verdict; perhaps: boolean }
  /** `now` is the request as the refusal showed it. */
  | { state: 'failed'; request: RequestItem; verdict: Verdict; error: unknown; now?: RequestItem }

/** A verdict that is not idle. */
export type ActiveVerdict = Exclude<VerdictState, { state: 'idle' }>

/** What verdicts are sent to. */
type VerdictTarget = Pick<InboxApi, 'request' | 'decide' | 'answer' | 'cancel' | 'withdraw' | 'bulk'>

/** What the log needs to know, and whom it tells. */
export interface VerdictLogOptions {
  target: VerdictTarget
  /** Without a connection verdicts are held. */
  online: () => boolean
  /** A newer state of a request was stored. */
  onStored: (request: RequestItem) => void
  /** Where held verdicts survive a reload. Default: nowhere. */
  storage?: HeldStorage | undefined
}

interface Sent {
  request: RequestItem
  verdict: Verdict
}

interface Entry {
  key: string
  sentAt: number
  /** It was held, and is kept until it is stored, refused or forgotten. */
  kept?: boolean
  timer?: ReturnType<typeof setTimeout>
}

/** Nothing was sent. */
export const IDLE: VerdictState = { state: 'idle' }

/** The verdicts of this person in this window, by request. Each has one idempotency key, whatever becomes of it. */
export class VerdictLog {
  readonly #options: VerdictLogOptions
  readonly #watchers = new Watchers()
  readonly #entries = new Map<string, Entry>()
  readonly #box: HeldBox
  #snapshot: ReadonlyMap<string, ActiveVerdict> = new Map()

  constructor(options: VerdictLogOptions) {
    this.#options = options
    this.#box = new HeldBox(options.storage)
  }

  /** Shows what this person held before the page was loaded anew. Nothing is sent. */
  restore(person: Pick<Me, 'tenant' | 'id'>): void {
    const next = new Map(this.#snapshot)
    for (const { key, sentAt, perhaps, request, verdict } of this.#box.open(person)) {
      if (next.has(request.id)) continue
      this.#entries.set(request.id, { key, sentAt, kept: true })
      next.set(request.id, { state: 'held', request, verdict, perhaps })
    }
    this.#tell(next)
  }

  /** The person signed out: nothing of theirs stays here. */
  forget(): void {
    this.close()
    this.#entries.clear()
    this.#tell(new Map())
  }

  get snapshot(): ReadonlyMap<string, ActiveVerdict> {
    return this.#snapshot
  }

  readonly watch = (listener: () => void): (() => void) => this.#watchers.add(listener)

  /** The verdict about a request. */
  of(id: string): VerdictState {
    return this.#snapshot.get(id) ?? IDLE
  }

  /** Sends a verdict about a request as it was seen. While one is under way, another about the same request is not accepted. */
  readonly send = async (request: RequestItem, verdict: Verdict): Promise<VerdictState> => {
    this.heard(request)
    const before = this.of(request.id)
    if (before.state === 'sending' || before.state === 'withdrawing' || before.state === 'undoable') return before
    this.#entries.set(request.id, { key: newKey(), sentAt: 0 })
    if (!this.#options.online()) return this.#show(request.id, { state: 'held', request, verdict, perhaps: false })
    return await this.#try(request, verdict)
  }

  /**
   * Sends a verdict that was held, if its request is still open and as it was seen. Otherwise it fails, and nothing is sent. A try that may have
   * arrived is repeated with its own key, which changes nothing if it did.
   */
  readonly sendHeld = async (id: string): Promise<VerdictState> => {
    const held = this.of(id)
    if (held.state !== 'held') return held
    const { request, verdict } = held
    this.#show(id, { state: 'sending', request, verdict })
    if (!held.perhaps) {
      try {
        const { request: now } = await this.#options.target.request(id)
        // Its deadline passes by the server's clock: the server refuses what comes too late.
        if (now.status !== 'open' || now.version !== request.version || now.digest !== request.digest)
          return this.#show(id, { state: 'failed', request, verdict, error: new SeenChanged(), now })
      } catch (error) {
        return this.#refused(held, error)
      }
    }
    return await this.#try(request, verdict)
  }

  /** Tries again what failed or is held, with the same key. */
  readonly retry = async (id: string): Promise<VerdictState> => {
    const before = this.of(id)
    if (before.state !== 'failed') return await this.sendHeld(id)
    return await this.#try(before.request, before.verdict)
  }

  /** Takes a decision back inside of its undo window. */
  readonly withdraw = async (id: string): Promise<VerdictState> => {
    const before = this.of(id)
    if (before.state !== 'undoable') return before
    const { request, verdict } = before
    this.#show(id, { state: 'withdrawing', request, verdict })
    try {
      const reopened = await this.#options.target.withdraw(
        id,
        { version: request.version },
        { idempotencyKey: newKey() },
      )
      this.#options.onStored(reopened)
      return this.#show(id, { state: 'withdrawn', request: reopened, verdict })
    } catch (error) {
      return this.#failed({ request, verdict }, error)
    }
  }

  /** A request has this version. What was decided before it can no longer be undone: it was taken back, perhaps in another window. */
  heard({ id, version }: Pick<RequestItem, 'id' | 'version'>): void {
    const before = this.of(id)
    if (before.state === 'undoable' && before.request.version < version) this.discard(id)
  }

  /** Decides several requests as they were seen. Each has its own outcome. */
  readonly sendAll = async (
    requests: readonly RequestItem[],
    body: Omit<BulkBody, 'items'>,
  ): Promise<BulkResult['outcomes']> => {
    const verdict: Verdict = { kind: 'decide', ...body }
    const sentAt = Date.now()
    for (const request of requests) {
      this.#entries.set(request.id, { key: newKey(), sentAt })
      this.#show(request.id, { state: 'sending', request, verdict })
    }
    const byId = new Map(requests.map((request) => [request.id, request]))
    try {
      const items = requests.map((request) => ({ id: request.id, ...seenOf(request), digest: request.digest ?? '' }))
      const { outcomes } = await this.#options.target.bulk({ ...body, items }, { idempotencyKey: newKey() })
      for (const outcome of outcomes) {
        const request = byId.get(outcome.id)
        if (request === undefined) continue
        if (outcome.ok) this.#stored(outcome.request, verdict)
        else this.#show(outcome.id, { state: 'failed', request, verdict, error: outcome })
      }
      return outcomes
    } catch (error) {
      for (const request of requests) this.#show(request.id, { state: 'failed', request, verdict, error })
      throw error
    }
  }

  /** Forgets a verdict that is not under way. What was stored stays stored. */
  readonly discard = (id: string): void => {
    const { state } = this.of(id)
    if (state === 'sending' || state === 'withdrawing') return
    clearTimeout(this.#entries.get(id)?.timer)
    this.#entries.delete(id)
    const next = new Map(this.#snapshot)
    next.delete(id)
    this.#tell(next)
  }

  /** Ends the timers. */
  close(): void {
    for (const { timer } of this.#entries.values()) clearTimeout(timer)
  }

  async #try(request: RequestItem, verdict: Verdict): Promise<VerdictState> {
    const entry = this.#entries.get(request.id) ?? { key: newKey(), sentAt: 0 }
    this.#entries.set(request.id, entry)
    if (entry.sentAt === 0) entry.sentAt = Date.now()
    this.#show(request.id, { state: 'sending', request, verdict })
    try {
      return this.#stored(await this.#write(request, verdict, entry.key), verdict)
    } catch (error) {
      return this.#refused({ request, verdict }, error)
    }
  }

  #write(request: RequestItem, verdict: Verdict, idempotencyKey: string): Promise<RequestItem> {
    const seen = seenOf(request)
    const { target } = this.#options
    switch (verdict.kind) {
      case 'decide': {
        const { kind: _, ...body } = verdict
        return target.decide(request.id, { ...seen, ...body }, { idempotencyKey })
      }
      case 'answer': {
        const { kind: _, ...body } = verdict
        return target.answer(request.id, { ...seen, ...body }, { idempotencyKey })
      }
      case 'cancel':
        return target.cancel(request.id, { version: seen.version, reason: verdict.reason }, { idempotencyKey })
      default:
        return verdict satisfies never
    }
  }

  #stored(request: RequestItem, verdict: Verdict): VerdictState {
    this.#options.onStored(request)
    const entry = this.#entries.get(request.id)
    const { decided } = request
    // Counted from when it was sent, which is before the server's own time: the window never looks longer than it is.
    const left = decided === undefined ? 0 : Date.parse(decided.effectiveAt) - Date.parse(decided.at)
    const until = (entry?.sentAt ?? Date.now()) + left
    if (entry === undefined || until <= Date.now()) return this.#show(request.id, { state: 'done', request, verdict })
    entry.timer = setTimeout(() => {
      if (this.of(request.id).state === 'undoable') this.#show(request.id, { state: 'done', request, verdict })
    }, until - Date.now())
    return this.#show(request.id, { state: 'undoable', request, verdict, until })
  }

  /** What could not be delivered is held; what was refused has failed. */
  #refused({ request, verdict }: Sent, error: unknown): VerdictState {
    if (!isUnreachable(error)) return this.#failed({ request, verdict }, error)
    const perhaps = (this.#entries.get(request.id)?.sentAt ?? 0) > 0
    return this.#show(request.id, { state: 'held', request, verdict, perhaps })
  }

  #failed({ request, verdict }: Sent, error: unknown): VerdictState {
    const now = requestOf<RequestItem>(error)
    if (now !== undefined) this.#options.onStored(now)
    return this.#show(request.id, { state: 'failed', request, verdict, error, ...(now === undefined ? {} : { now }) })
  }

  #show(id: string, verdict: ActiveVerdict): ActiveVerdict {
    const entry = this.#entries.get(id)
    if (entry) entry.kept = verdict.state === 'held' || (verdict.state === 'sending' && entry.kept === true)
    this.#tell(new Map(this.#snapshot).set(id, verdict))
    return verdict
  }

  /** What is held, and what was and is being sent: it may have arrived if the page is gone before the answer. */
  #kept(): HeldEntry[] {
    return [...this.#snapshot].flatMap(([id, { request, verdict, ...rest }]) => {
      const { key, sentAt, kept } = this.#entries.get(id) ?? {}
      if (key === undefined || sentAt === undefined || !kept) return []
      const perhaps = 'perhaps' in rest ? rest.perhaps : sentAt > 0
      return [{ key, sentAt, perhaps, request, verdict }]
    })
  }

  #tell(next: ReadonlyMap<string, ActiveVerdict>): void {
    this.#snapshot = next
    this.#box.keep(this.#kept())
    this.#watchers.tell()
  }
}

/** The request is no longer as it was when the verdict was held, or is closed. Nothing was sent. */
export class SeenChanged extends Error {
  readonly code = 'request_changed'

  constructor() {
    super('The request changed or was closed while the decision was held. Nothing was sent.')
    this.name = 'SeenChanged'
  }
}
