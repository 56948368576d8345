import { shownActor } from '../../../core/views/request-view.ts'
import { toFacts } from '../../../desk/find.ts'
import type { Store } from '../../../ports/store.ts'
import type { StoryItem } from '../../../protocol/api/requests.ts'
import type { ApiCall } from '../api-route.ts'
import { BRIEF, cutOf } from '../views/page-cut.ts'
import { type KnownOpening, openingsIn, type Sight, sightOf } from '../views/sight.ts'
import { storyOf, type ToldStory } from '../views/story.ts'
import { BeyondWindow } from './beyond.ts'
import type { ThreadWindow } from './thread-window.ts'

/** How many entries are read for one page. Fewer steps may be in them than asked for, if they are for others. */
const MOST_ENTRIES = 4000

/** Which steps of a thread. */
export interface StoryQuery {
  /** How many steps at least, if there are so many. Left out: as many as a brief page has. */
  readonly limit?: number | undefined
  /** The entry that they begin with, instead of a limit. */
  readonly from?: number | undefined
  /** The request that is being shown. */
  readonly here?: string
  /** What limits the sight of the caller. */
  readonly limiting: readonly KnownOpening[]
}

/** Steps of a thread. */
export interface StoryPage {
  readonly story: StoryItem[]
  /** The entry that they begin with, if something comes before it. */
  readonly cut?: number
  /** How many steps come before them, if they were counted. */
  readonly earlier?: number
}

/** The last steps of a window, which is read back as far as they need it. */
export async function readStory(call: ApiCall, window: ThreadWindow, query: StoryQuery): Promise<StoryPage> {
  const { here, limit, limiting } = query
  const sight = () => sightOf(call.caller, [...limiting, ...openingsIn(window.entries)])
  const all = await readSteps(window, query, sight)
  const isCounted = window.isWhole
  const cut = query.from ?? cutOf(all.steps, window.entries, limit) ?? (isCounted ? undefined : window.before + 1)
  if (cut === undefined) return { story: await withStatuses(call, window, all) }
  const beyond = new BeyondWindow(window)
  const tell = () => storyOf(window.entries, { sight: sight(), here, beyond, from: cut })
  let told = tell()
  while (told.speakers.size + told.calls.size > 0 && !window.isWhole) {
    if (!(await beyond.lookUp(told))) await window.extend()
    told = tell()
  }
  const story = await withStatuses(call, window, told)
  if (!isCounted) return { story, cut }
  const earlier = all.steps.filter(({ seq }) => seq < cut).length
  return earlier === 0 ? { story } : { story, cut, earlier }
}

/** Reads back until there are more steps than asked for, or as far as the page begins. */
async function readSteps(
  window: ThreadWindow,
  { from, limit, here }: StoryQuery,
  sight: () => Sight,
): Promise<ToldStory> {
  for (;;) {
    const told = storyOf(window.entries, { sight: sight(), here })
    const isEnough =
      from === undefined
        ? told.steps.length > (limit ?? BRIEF.least) || window.entries.length >= MOST_ENTRIES
        : window.before < from
    if (window.isWhole || isEnough) return told
    await window.extend()
  }
}

/** What became of requests after the last entry that was read is in the index. */
async function withStatuses({ store }: ApiCall, window: ThreadWindow, { steps }: ToldStory): Promise<StoryItem[]> {
  const items = steps.map(({ item }) => item)
  return window.isAtEnd ? items : Promise.all(items.map((item) => withStatus(store, item)))
}

/** A decision may have been taken back. What was closed stays so. */
async function withStatus(store: Store, item: StoryItem): Promise<StoryItem> {
  if (item.kind !== 'request' || (item.status !== 'open' && item.status !== 'decided')) return item
  const stored = await store.getRequest(item.id)
  if (!stored) return item
  const { by: _by, ...request } = item
  if (stored.status === 'open') return { ...request, status: 'open' }
  const { changed } = toFacts(stored, store.tenantId)
  const by = changed && 'by' in changed && changed.by ? { by: shownActor(changed.by) } : {}
  return { ...request, status: stored.status, ...by }
}
