import { titleOf } from '../../../core/display/title.ts'
import { shownActor } from '../../../core/views/request-view.ts'
import type { RequestDetail } from '../../../protocol/api/requests.ts'
import { iso, type KnownRequest } from './request-item.ts'

/** A settled request as an earlier decision. `undefined`: nobody decided it and it did not expire. */
export function toSimilar({ facts }: KnownRequest): RequestDetail['similar'][number] | undefined {
  const { opened, changed, changedAt = 0 } = facts
  const outcome =
    changed?.type === 'request.decided'
      ? changed.decision.type
      : changed?.type === 'request.closed' && changed.status === 'expired'
        ? 'expired'
        : undefined
  if (!outcome || !changed || !('by' in changed) || changed.by === undefined) return undefined
  return { id: opened.id, title: titleOf(opened), outcome, by: shownActor(changed.by), at: iso(changedAt) }
}
