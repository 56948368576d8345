import type { StoryItem } from '../../../protocol/api/requests.ts'
import type { ApiCall } from '../api-route.ts'
import { type Cursors, cursorsOf } from '../cursors.ts'
import type { StoryPage } from './read-story.ts'

/** The cursors of a thread's story. They name entries, whose numbers count what the caller may not see. */
export function storyCursors(call: ApiCall, threadId: string): Promise<Cursors> {
  return cursorsOf(call, `story of ${threadId}`, 'before')
}

/** A page as callers get it. */
export function sealPage(
  cursors: Cursors,
  { story, cut, earlier }: StoryPage,
): { story: StoryItem[]; earlier?: number; before?: string } {
  if (cut === undefined) return { story }
  const { next: before } = cursors.seal(String(cut))
  return { story, ...(earlier === undefined ? {} : { earlier }), ...(before === undefined ? {} : { before }) }
}
