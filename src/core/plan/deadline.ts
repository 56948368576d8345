import type { Actor } from '../../protocol/decision.ts'
import type { Entry, EntryOf } from '../../protocol/entries/entry.ts'
import { planDecision } from './decide.ts'
import { planClosed } from './waits.ts'

const DEADLINE: Actor = { kind: 'time', id: 'deadline' }

/** When a request is settled without an answer. `undefined`: never. */
export function deadlineOf(opened: EntryOf<'request.opened'>, escalated: boolean): number | undefined {
  return opened.onTimeout === 'keep' || escalated ? undefined : opened.expiresAt
}

/** The entries that a passed deadline adds. Any reader that finds a deadline passed records them. */
export function planDeadline(asked: { opened: EntryOf<'request.opened'>; version: number }): Entry[] {
  const { opened, version } = asked
  const { onTimeout = 'reject' } = opened
  switch (onTimeout) {
    case 'reject':
      return [planClosed(asked, { status: 'expired', by: DEADLINE })]
    case 'escalate': {
      const { id, call } = opened
      return [
        {
          v: 1,
          type: 'request.escalated',
          id,
          ...(call === undefined ? {} : { call }),
          version: version + 1,
          by: DEADLINE,
        },
      ]
    }
    case 'allow':
      return planDecision({ opened, version, decision: { type: 'approve' }, by: DEADLINE })
    case 'keep':
      return []
    default:
      return onTimeout satisfies never
  }
}
