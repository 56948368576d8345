import type { OutboxRow } from '../../ports/outbox.ts'
import type { LiveEvent } from '../../protocol/api/records.ts'

type RequestEvent = Extract<LiveEvent, { type: 'request' }>
type GrantEvent = Extract<LiveEvent, { type: 'grant' }>

/** A row of the outbox as a live event. `undefined`: it is not one. What was erased is not named: everything is loaded again. */
export function toLiveEvent({ subject, what, id, version }: OutboxRow): LiveEvent | undefined {
  switch (subject) {
    case 'request':
      return { type: 'request', what: what as RequestEvent['what'], id, version }
    case 'grant':
      return { type: 'grant', what: what as GrantEvent['what'], id }
    case 'thread':
      return what === 'erased' ? { type: 'reset' } : undefined
    default:
      return subject satisfies never
  }
}
