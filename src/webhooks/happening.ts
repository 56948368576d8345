import type { OutboxRow } from '../ports/outbox.ts'
import type { Store } from '../ports/store.ts'
import type { Entry, EntryOf } from '../protocol/entries/entry.ts'
import { parseBody } from '../protocol/entries/versions.ts'
import type { SpanLink } from '../protocol/trace-context.ts'
import type { WebhookEvent } from './targets/targets.ts'

/** Something that happened to a request. */
export type Happening = EndedRequest | ReadRequest

/** A request that nobody can answer any more, of which only ids are told: it was closed, or it is gone, since its thread was erased. */
interface EndedRequest {
  readonly row: OutboxRow
  readonly event: EndEvent | 'request.closed'
  readonly opened?: undefined
}

/** The events that end a request. What they tell is told also if the request is gone, then with ids only. */
export type EndEvent = 'request.decided' | 'request.expired'

/** Whether it is one of them. */
export function isEnd(event: string): event is EndEvent {
  return event === 'request.decided' || event === 'request.expired'
}

/** Something that happened to a request, and the request. */
interface ReadRequest {
  readonly row: OutboxRow
  readonly event: Exclude<WebhookEvent, 'request.closed'>
  readonly opened: EntryOf<'request.opened'>
  readonly openedAt: number
  /** How it was decided, if it is at the version that the row tells of. */
  readonly outcome: Outcome | undefined
  /** The span in which it was decided, else that of its wait. */
  readonly trace: SpanLink | undefined
}

/** How a request was decided. */
type Outcome = 'approve' | 'edit' | 'reject' | 'respond' | 'answer'

const EVENTS: Readonly<Record<string, WebhookEvent>> = {
  opened: 'request.opened',
  decided: 'request.decided',
  escalated: 'request.escalated',
  expired: 'request.expired',
  cancelled: 'request.closed',
  aborted: 'request.closed',
  superseded: 'request.closed',
}

/** Reads what a row tells of. `undefined`: nobody is told about it, or it is about an open request that is gone. */
export async function readHappening(store: Store, row: OutboxRow): Promise<Happening | undefined> {
  const event = row.subject === 'request' ? EVENTS[row.what] : undefined
  if (event === 'request.closed') return { row, event }
  const stored = event && (await store.tenant(row.tenantId).getRequest(row.id))
  if (!stored) return event && isEnd(event) ? { row, event } : undefined
  const { threadId } = stored
  const opened = parseBody(stored.opened.body, { threadId, seq: stored.opened.seq })
  if (opened.type !== 'request.opened') return undefined
  const changed =
    stored.changed && stored.version === row.version
      ? parseBody(stored.changed.body, { threadId, seq: stored.changed.seq })
      : undefined
  const outcome = changed && outcomeOf(changed)
  const trace = (changed && 'trace' in changed ? changed.trace : undefined) ?? opened.trace
  return { row, event, opened, openedAt: stored.opened.at, outcome, trace }
}

function outcomeOf(changed: Entry): Outcome | undefined {
  if (changed.type === 'request.decided') return changed.decision.type
  return changed.type === 'request.answered' ? 'answer' : undefined
}
