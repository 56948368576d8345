import type { StreamMessage } from '../../ports/streams.ts'
import { HilContentError } from '../../protocol/errors/errors.ts'
import type { HilMessage, HilReply } from '../../protocol/hil/hil.ts'
import { sortable } from '../shared/position.ts'

/** One line between an application and a person, as long as it is open. */
export interface MemorySession {
  readonly tenant: string
  readonly name: string
  readonly owner: string
  /** Who keeps it open. */
  holder: string
  expiresAt: number
  /** How many notifications it may keep, how many it keeps, and the position of the last that was dropped. */
  readonly maxNotifications: number
  notifications: number
  dropped: string | undefined
  /** Of the last message, `'0'` before the first. */
  lastPosition: string
  /** In order of their positions. */
  readonly sent: Sent[]
  /** How many open questions each reviewer is named in. */
  readonly reviewers: Map<string, number>
  /** What became of each message id; an id is used once. */
  readonly byId: Map<string, Fate>
}

interface Sent {
  readonly position: string
  readonly sortable: string
  readonly id: string
  readonly text: string
  readonly reviewers: readonly string[]
}

/** The answerer and their groups, if given. */
interface Author {
  by?: string
  groups?: string[]
}

type Fate =
  | { kind: 'open' | 'told'; position: string }
  | { kind: 'answered'; position: string; reply: string; by: Author }
  | { kind: 'settled' }

/** A session with nothing in it. */
export function createSession(
  facts: Pick<MemorySession, 'tenant' | 'name' | 'owner' | 'holder' | 'expiresAt' | 'maxNotifications'>,
): MemorySession {
  return {
    ...facts,
    notifications: 0,
    dropped: undefined,
    lastPosition: '0',
    sent: [],
    reviewers: new Map(),
    byId: new Map(),
  }
}

/** Puts a message at the end. The same id again is the same message. */
export function put(session: MemorySession, message: HilMessage, nextPosition: () => string): string {
  const known = session.byId.get(message.msg_id)
  if (known?.kind === 'settled') {
    throw new HilContentError(`the message id ${message.msg_id} was used before; make a new one.`)
  }
  if (known) return known.position
  const position = nextPosition()
  const { msg_id: id, msg_type: type, meta } = message
  const text = JSON.stringify(message)
  session.sent.push({ position, sortable: sortable(position), id, text, reviewers: meta?.reviewers ?? [] })
  session.lastPosition = position
  session.byId.set(id, { kind: type === 'Notification' ? 'told' : 'open', position })
  if (type !== 'Notification') countReviewers(session, meta?.reviewers ?? [], 1)
  if (type === 'Notification' && ++session.notifications > session.maxNotifications) dropOldest(session)
  return position
}

function dropOldest(session: MemorySession): void {
  const at = session.sent.findIndex(({ id }) => session.byId.get(id)?.kind === 'told')
  const [oldest] = session.sent.splice(at, 1)
  session.byId.delete(oldest!.id)
  session.notifications -= 1
  session.dropped = oldest!.position
}

/** Whether notifications after a position have been dropped. */
export function hasGap({ dropped }: MemorySession, position: string): boolean {
  return dropped !== undefined && sortable(dropped) > sortable(position)
}

/** Whether an open question names one of these as a reviewer. Takes the same time for every session: it is asked before access is granted. */
export function isNamed({ reviewers }: MemorySession, names: readonly string[]): boolean {
  return names.some((name) => reviewers.has(name))
}

function countReviewers({ reviewers }: MemorySession, names: readonly string[], by: 1 | -1): void {
  for (const name of names) {
    const count = (reviewers.get(name) ?? 0) + by
    if (count > 0) reviewers.set(name, count)
    else reviewers.delete(name)
  }
}

/** At most `limit` messages after a position. */
export function after(session: MemorySession, position: string, limit: number): StreamMessage[] {
  const from = firstAfter(session.sent, sortable(position))
  return session.sent.slice(from, from + limit).map(toMessage)
}

/** The questions that are open. */
export function openQuestions(session: MemorySession): StreamMessage[] {
  return session.sent.filter(({ id }) => session.byId.get(id)?.kind === 'open').map(toMessage)
}

/** The open question of that id. */
export function openQuestion(session: MemorySession, id: string): StreamMessage | undefined {
  const fate = session.byId.get(id)
  if (fate?.kind !== 'open') return undefined
  const at = placeOf(session, fate.position)
  return at === undefined ? undefined : toMessage(session.sent[at]!)
}

/** Takes an open question away and keeps the reply. */
export function settle(session: MemorySession, id: string, { reply, ...by }: { reply: HilReply } & Author): boolean {
  const fate = session.byId.get(id)
  if (fate?.kind !== 'open') return false
  remove(session, fate.position)
  session.byId.set(id, { kind: 'answered', position: fate.position, reply: JSON.stringify(reply), by })
  return true
}

/** Whether a question is neither open nor answered. */
export function isOver({ byId }: MemorySession, id: string): boolean {
  const kind = byId.get(id)?.kind
  return kind !== 'open' && kind !== 'answered'
}

/** Takes the reply to a question. */
export function take(session: MemorySession, id: string): ({ reply: HilReply } & Author) | undefined {
  const fate = session.byId.get(id)
  if (fate?.kind !== 'answered') return undefined
  session.byId.set(id, { kind: 'settled' })
  return { reply: JSON.parse(fate.reply) as HilReply, ...fate.by }
}

/** Takes away an open question. */
export function drop(session: MemorySession, id: string): boolean {
  const fate = session.byId.get(id)
  if (fate?.kind !== 'open') return false
  remove(session, fate.position)
  session.byId.set(id, { kind: 'settled' })
  return true
}

function toMessage({ position, text }: Sent): StreamMessage {
  return { position, message: JSON.parse(text) as HilMessage }
}

function remove(session: MemorySession, position: string): void {
  const at = placeOf(session, position)
  const [removed] = at === undefined ? [] : session.sent.splice(at, 1)
  countReviewers(session, removed?.reviewers ?? [], -1)
}

/** The index of the message at a position. */
function placeOf(session: MemorySession, position: string): number | undefined {
  const at = firstAfter(session.sent, sortable(position)) - 1
  return session.sent[at]?.position === position ? at : undefined
}

/** The index of the first message after a position. */
function firstAfter(sent: readonly Sent[], place: string): number {
  let low = 0
  let high = sent.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sent[middle]!.sortable > place) high = middle
    else low = middle + 1
  }
  return low
}
