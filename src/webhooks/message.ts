import { titleText } from '../core/display/title.ts'
import type { EntryOf } from '../protocol/entries/entry.ts'
import type { RequestStatus } from '../protocol/request.ts'
import type { Happening } from './happening.ts'
import type { WebhookSettings } from './options.ts'
import type { WebhookEvent } from './targets/targets.ts'

/** The status of the request right after each event. A closed one has the status that its row names. */
const STATUS: Readonly<Record<Exclude<WebhookEvent, 'request.closed'>, RequestStatus>> = {
  'request.opened': 'open',
  'request.decided': 'decided',
  'request.escalated': 'open',
  'request.expired': 'expired',
}

/**
 * The body of a message. It names the request and says what kind of call it is. This is an allow-list: no arguments, no preview, no text of the model,
 * and nothing with which the request could be answered. That a request was closed is told with ids only: an erasure lets such messages go out.
 */
export function messageBody(happening: Happening, settings: WebhookSettings): string {
  const { row, event } = happening
  const timestamp = new Date(row.at).toISOString()
  const own = { id: row.id, version: row.version }
  if (happening.event === 'request.closed')
    return JSON.stringify({ type: event, timestamp, data: { ...own, status: row.what, tenant: row.tenantId } })
  const { opened } = happening
  const { kind, agent, toolName, risk, expiresAt } = opened
  const title = settings.titles ? declaredTitle(opened) : undefined
  const url = settings.inboxUrl === undefined ? undefined : `${settings.inboxUrl}/#/inbox/${row.id}`
  const status = STATUS[happening.event]
  const data = { ...own, status, kind, tenant: row.tenantId, agent, toolName, risk }
  const deadline = event === 'request.opened' && expiresAt !== undefined ? new Date(expiresAt).toISOString() : undefined
  return JSON.stringify({ type: event, timestamp, data: { ...data, title, expiresAt: deadline, url } })
}

/** The headline, if the tool declares one. A guessed one would be made of arguments that nobody chose to show. */
function declaredTitle({ display, args }: EntryOf<'request.opened'>): string | undefined {
  return display && !display.guessed ? titleText(display, args ?? {}) : undefined
}
