import type { InboxClient, RequestListFilter } from '../../client/v1/inbox-client.ts'
import type { Me } from '../../protocol/api/people.ts'
import type { Figures, GrantItem, LiveEvent } from '../../protocol/api/records.ts'
import type { Counts, RequestDetail, RequestItem } from '../../protocol/api/requests.ts'
import type { InboxApi } from '../inbox-api.ts'
import { statusOf } from './errors.ts'
import type { HeldStorage } from './held-storage.ts'
import { LiveLine } from './live-line.ts'
import { RequestList } from './request-list.ts'
import { Resource } from './resource.ts'
import { type ThreadStory, threadStory } from './thread-story.ts'
import { VerdictLog } from './verdict-log.ts'

/** So many things are kept after nobody watches them any more, so that going back is instant and works offline. */
const KEPT = 200

/** All that one window knows: what was loaded, what is shown, what was decided here. One for each provider. */
export class InboxStore {
  readonly api: InboxClient
  readonly line: LiveLine
  readonly verdicts: VerdictLog
  readonly me: Resource<Me>
  readonly counts: Resource<Counts>
  readonly grants: Resource<GrantItem[]>
  readonly #lists = new Map<string, RequestList>()
  readonly #requests = new Map<string, Resource<RequestDetail>>()
  readonly #threads = new Map<string, ThreadStory>()
  readonly #figures = new Map<string, Resource<Figures>>()

  constructor(api: InboxClient, storage?: HeldStorage) {
    this.api = api
    this.line = new LiveLine(api, (event) => this.#tell(event))
    this.me = new Resource(() => api.me())
    this.counts = new Resource(() => api.counts(), isRequest)
    this.grants = new Resource(
      () => allGrants(api),
      (event) => event.type === 'grant',
    )
    this.verdicts = new VerdictLog({
      target: api,
      online: () => this.line.snapshot !== 'offline',
      onStored: (request) => this.#put(request),
      storage,
    })
  }

  /** The list with this filter. The same filter is the same list. */
  list(filter: RequestListFilter, limit: number): RequestList {
    const key = JSON.stringify([limit, Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1))])
    return kept(this.#lists, key, () => new RequestList(this.api, filter, limit))
  }

  request(id: string): Resource<RequestDetail> {
    const concerns = (event: LiveEvent): boolean => event.type === 'request' && event.id === id
    const load = async (): Promise<RequestDetail> => newer(await this.api.request(id), this.#requests.get(id))
    return kept(this.#requests, id, () => new Resource(load, concerns))
  }

  thread(id: string): ThreadStory {
    return kept(this.#threads, id, () => threadStory(this.api, id))
  }

  figures(days: number): Resource<Figures> {
    return kept(this.#figures, String(days), () => new Resource(() => this.api.figures({ days })))
  }

  /**
   * Loads who is signed in, and opens the live connection unless nobody is. An answer that does not come is no reason to stay closed: the connection
   * tries again by itself. Returns how to close it.
   */
  open(): () => void {
    let close: (() => void) | undefined
    const look = (): void => {
      const { state, error, data } = this.me.snapshot
      if (data !== undefined) this.verdicts.restore(data)
      if (state === 'ready' || (state === 'failed' && statusOf(error) !== 401)) close ??= this.line.open()
    }
    const unwatchMe = this.me.watch(look)
    look()
    let followed = false
    const unwatch = this.line.watch(() => {
      if (this.line.snapshot !== 'live') return
      for (const each of this.#all()) each.recover()
      // What was loaded before the first connection may have changed since, and no event tells.
      if (!followed) this.#tell({ type: 'reset' })
      followed = true
    })
    return () => {
      unwatchMe()
      unwatch()
      close?.()
      for (const each of this.#all()) each.close()
      this.verdicts.close()
    }
  }

  *#all(): Generator<Pick<Resource<unknown>, 'tell' | 'recover' | 'close'>> {
    yield* [this.me, this.counts, this.grants]
    for (const map of [this.#lists, this.#requests, this.#threads, this.#figures]) yield* map.values()
  }

  #tell(event: LiveEvent): void {
    if (event.type === 'request') this.verdicts.heard(event)
    for (const each of this.#all()) each.tell(event)
  }

  #put(request: RequestItem): void {
    for (const list of this.#lists.values()) list.put(request)
    const resource = this.#requests.get(request.id)
    const detail = resource?.snapshot.data
    if (detail !== undefined && detail.request.version <= request.version) resource?.set({ ...detail, request })
  }
}

/** A load may have begun before a write whose answer is already there. */
function newer(loaded: RequestDetail, resource: Resource<RequestDetail> | undefined): RequestDetail {
  const known = resource?.snapshot.data
  return known !== undefined && known.request.version > loaded.request.version ? known : loaded
}

function isRequest(event: LiveEvent): boolean {
  return event.type === 'request'
}

async function allGrants(api: InboxApi): Promise<GrantItem[]> {
  const grants: GrantItem[] = []
  let cursor: string | undefined
  do {
    const page = await api.grants({ status: 'all', ...(cursor === undefined ? {} : { cursor }) })
    grants.push(...page.grants)
    cursor = page.next
  } while (cursor !== undefined && grants.length < 1000)
  return grants
}

/** The value of a key, made if it is missing. The one that was used longest ago makes room, unless it is watched. */
function kept<T extends { watched: boolean }>(map: Map<string, T>, key: string, make: () => T): T {
  const value = map.get(key) ?? make()
  map.delete(key)
  map.set(key, value)
  if (map.size > KEPT) {
    const [oldest] = [...map].find(([, each]) => !each.watched) ?? []
    if (oldest !== undefined) map.delete(oldest)
  }
  return value
}
