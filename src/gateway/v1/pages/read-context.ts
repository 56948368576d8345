import { MOST_MARKS } from '../../../core/fold/fold-marks.ts'
import type { RequestDetail } from '../../../protocol/api/requests.ts'
import type { EntryOf } from '../../../protocol/entries/entry.ts'
import { textOf } from '../../../protocol/message.ts'
import type { ApiCall } from '../api-route.ts'
import { visibleRequest } from '../requests/visible-request.ts'
import { type Cause, causeOf } from '../views/cause.ts'
import { changesSince } from '../views/changes.ts'
import { given, iso, type KnownRequest } from '../views/request-item.ts'
import { openingsIn, sightOf } from '../views/sight.ts'
import { answerWith, isOf, type ThreadEntry } from '../views/thread-entries.ts'
import { findCall } from './find-turn.ts'
import { limitingRequests } from './read-sight.ts'
import { readStory } from './read-story.ts'
import { sealPage, storyCursors } from './story-cursors.ts'
import { type Landmarks, openWindow, type ThreadWindow } from './thread-window.ts'

/** How many steps of a short thread a request shows. */
const STEPS = 60

/** What of a request's detail is in its thread. */
export type ThreadContext = Pick<
  RequestDetail,
  'argsSchema' | 'cause' | 'modelText' | 'policies' | 'changes' | 'story' | 'earlier' | 'before'
>

/** What led to a request, as one caller may know it. */
export async function readContext(call: ApiCall, { facts, stored }: KnownRequest): Promise<ThreadContext> {
  const { opened, threadId } = facts
  const limiting = await limitingRequests(call, threadId)
  const window = await openWindow(call.store, threadId, stored.opened.seq)
  const limit = window.isShort ? STEPS : undefined
  const page = await readStory(call, window, { limit, here: opened.id, limiting })
  const sight = sightOf(call.caller, [...limiting, ...openingsIn(window.entries)])
  const [cause, argsSchema, own, changes] = await Promise.all([
    readCause(window, stored.opened.seq),
    readSchema(window, opened),
    readOwn(window, opened, stored.opened.seq),
    changesIn(call, opened),
  ])
  const answered = opened.call && answerWith(own, opened.call)
  const modelText = answered && sight.words(answered) ? textOf(answered.message.content) : ''
  return {
    ...given({
      argsSchema,
      cause: cause && { at: iso(cause.at), text: cause.text },
      modelText: modelText === '' ? undefined : modelText,
    }),
    policies: policiesOf(own, opened),
    changes,
    ...sealPage(await storyCursors(call, threadId), page),
  }
}

/** What the user said last before an entry. Runs mark where that is; only in a run that is not marked it is looked for. */
async function readCause(window: ThreadWindow, before: number): Promise<Cause | undefined> {
  const said = (entries: readonly ThreadEntry[]) => causeOf(entries, before)
  let cause = said(window.entries)
  if (cause === undefined) {
    const place = placeOfCause(await window.landmarks(), before)
    if (place !== undefined) cause = said(await window.readBefore(place + 1, 1))
  }
  while (cause === undefined && !window.isWhole) {
    await window.extend()
    cause = said(window.entries)
  }
  return cause === 'none' ? undefined : cause
}

function placeOfCause({ marks }: Landmarks, before: number): number | undefined {
  const run = marks.findLast(({ opened }) => opened < before)
  const said = run?.said.findLast((seq) => seq < before)
  // Earlier places may have been dropped.
  return said ?? (run && run.said.length < MOST_MARKS.places ? run.opened : undefined)
}

/** The JSON Schema of the arguments of a request's call. */
async function readSchema(
  window: ThreadWindow,
  { definition }: EntryOf<'request.opened'>,
): Promise<RequestDetail['argsSchema']> {
  return definition === undefined ? undefined : (await window.landmarks()).definitions.get(definition)?.parameters
}

/** The entries about the call of a request. */
async function readOwn(
  window: ThreadWindow,
  { call }: EntryOf<'request.opened'>,
  before: number,
): Promise<readonly ThreadEntry[]> {
  if (call === undefined || window.isWhole || answerWith(window.entries, call)) return window.entries
  return findCall(window, call, before)
}

/** What each policy said of the call, when it was last judged before the request. */
function policiesOf(own: readonly ThreadEntry[], { policies, call }: EntryOf<'request.opened'>) {
  return policies ?? own.filter(isOf('call.judged')).find(({ entry }) => entry.call === call)?.entry.policies ?? []
}

/** What changed since the request that this one replaces, if its reader may see both. */
async function changesIn(call: ApiCall, opened: EntryOf<'request.opened'>): Promise<RequestDetail['changes']> {
  if (opened.supersedes === undefined) return []
  const before = await visibleRequest(call, opened.supersedes)
  return before.ok ? changesSince(before.value.facts.opened, opened) : []
}
