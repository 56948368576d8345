import { titleText } from '../core/display/title.ts'
import type { EntryOf } from '../protocol/entries/entry.ts'
import type { RequestStatus } from '../protocol/request.ts'
import type { EndEvent, Happening } from './happening.ts'
import type { WebhookSettings } from './options.ts'
import type { WebhookEvent } from './targets/targets.ts'

/** The status of the request right after each event. A closed one has the status that its row names. */
const STATUS = {
  'request.opened': 'open',
  'request.decided': 'decided',
  'request.escalated': 'open',
  'request.expired': 'expired',
} as const satisfies Record<Exclude<WebhookEvent, 'request.closed'>, RequestStatus>

/**
 * The body of a message. It names the request and says what kind of call it is. This is an allow-list: no arguments, no preview, no text of the model,
 * and nothing with which the request could be answered.
 */
export function messageBody(happening: Happening, settings: WebhookSettings): string {
  const { row, event, opened } = happening
  const own = { id: row.id, version: row.version }
  if (!opened) return bareBody({ event, at: row.at, ...own, status: row.what, tenant: row.tenantId })
  const { kind, agent, toolName, risk, expiresAt } = opened
  const title = settings.titles ? declaredTitle(opened) : undefined
  const url = settings.inboxUrl === undefined ? undefined : `${settings.inboxUrl}/#/inbox/${row.id}`
  const data = { ...own, status: STATUS[event], kind, tenant: row.tenantId, agent, toolName, risk }
  const deadline = event === 'request.opened' && expiresAt !== undefined ? new Date(expiresAt).toISOString() : undefined
  const timestamp = new Date(row.at).toISOString()
  return JSON.stringify({ type: event, timestamp, data: { ...data, title, expiresAt: deadline, url } })
}

/** What a message with ids only says. */
interface Bare {
  readonly event: EndEvent | 'request.closed'
  readonly at: number
  readonly id: string
  readonly version: number
  readonly status: string
  readonly tenant: string
}

/** The end of a request, told with ids only: an erasure lets such messages go out. */
function bareBody({ event, at, ...data }: Bare): string {
  return JSON.stringify({ type: event, timestamp: new Date(at).toISOString(), data })
}

/** The body of a message that waits to be sent, after the thread of its request was erased. */
export function erasedBody(event: EndEvent, message: Omit<Bare, 'event' | 'status'>): string {
  return bareBody({ event, ...message, status: STATUS[event] })
}

/** The headline, if the tool declares one. A guessed one would be made of arguments that nobody chose to show. */
function declaredTitle({ display, args }: EntryOf<'request.opened'>): string | undefined {
  return display && !display.guessed ? titleText(display, args ?? {}) : undefined
}
