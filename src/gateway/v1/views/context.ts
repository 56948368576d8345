import type { RequestFacts } from '../../../core/views/request-view.ts'
import type { RequestDetail } from '../../../protocol/api/requests.ts'
import type { EntryOf, PolicyMark } from '../../../protocol/entries/entry.ts'
import { textOf } from '../../../protocol/message.ts'
import type { Caller } from '../../auth/auth.ts'
import { changesOf } from './changes.ts'
import { given, iso } from './request-item.ts'
import { sightOf } from './sight.ts'
import { causeOf, lastSteps, storyOf } from './story.ts'
import { answerWith, isOf, type ThreadEntry } from './thread-entries.ts'

/** How many steps a request shows: a thread of thousands would slow every card. The thread's own view has more. */
const STEPS = 60

/** What of a request's detail is in its thread. */
export type ThreadContext = Pick<
  RequestDetail,
  'argsSchema' | 'cause' | 'modelText' | 'policies' | 'changes' | 'story' | 'earlier'
>

/** What led to a request, as one caller may know it. */
export function contextOf({ opened }: RequestFacts, entries: readonly ThreadEntry[], caller: Caller): ThreadContext {
  const sight = sightOf(caller, entries)
  const place = entries.find(({ entry }) => entry.type === 'request.opened' && entry.id === opened.id)
  const cause = causeOf(entries, place?.seq ?? Number.POSITIVE_INFINITY)
  const answered = opened.call && answerWith(entries, opened.call)
  const modelText = answered && sight.words(answered) ? textOf(answered.message.content) : ''
  return {
    ...given({
      argsSchema: schemaOf(entries, opened),
      cause: cause && { at: iso(cause.at), text: cause.text },
      modelText: modelText === '' ? undefined : modelText,
    }),
    policies: policiesOf(entries, opened),
    changes: changesOf(entries, opened, sight),
    ...lastSteps(storyOf(entries, { sight, here: opened.id }), STEPS),
  }
}

function schemaOf(entries: readonly ThreadEntry[], { definition }: EntryOf<'request.opened'>) {
  return entries.filter(isOf('tool.defined')).find(({ entry }) => entry.definition === definition)?.entry.parameters
}

/** What each policy said of the call, when it was last judged before the request. */
function policiesOf(entries: readonly ThreadEntry[], { policies, call }: EntryOf<'request.opened'>): PolicyMark[] {
  return policies ?? entries.filter(isOf('call.judged')).find(({ entry }) => entry.call === call)?.entry.policies ?? []
}
