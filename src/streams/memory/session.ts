import type { StreamMessage } from '../../ports/streams.ts'
import { HilContentError } from '../../protocol/errors.ts'
import type { HilMessage, HilReply } from '../../protocol/hil.ts'
import { sortable } from '../shared/position.ts'

/** One line between an application and a person, as long as it is open. */
export interface Session {
  readonly owner: string
  expiresAt: number
  /** In order of their positions. */
  readonly sent: Sent[]
  /** What became of each message id; an id is used once. */
  readonly byId: Map<string, Fate>
}

interface Sent {
  readonly position: string
  readonly sortable: string
  readonly id: string
  readonly text: string
}

type Fate =
  | { kind: 'open' | 'told'; position: string }
  | { kind: 'answered'; position: string; reply: string }
  | { kind: 'settled' }

/** A session with nothing in it. */
export function createSession(owner: string, expiresAt: number): Session {
  return { owner, expiresAt, sent: [], byId: new Map() }
}

/** Puts a message at the end. The same id again is the same message. */
export function put(session: Session, message: HilMessage, nextPosition: () => string): string {
  const known = session.byId.get(message.msg_id)
  if (known?.kind === 'settled') {
    throw new HilContentError(`the message id ${message.msg_id} was used before; make a new one.`)
  }
  if (known) return known.position
  const position = nextPosition()
  session.sent.push({ position, sortable: sortable(position), id: message.msg_id, text: JSON.stringify(message) })
  session.byId.set(message.msg_id, { kind: message.msg_type === 'Notification' ? 'told' : 'open', position })
  return position
}

/** At most `limit` messages after a position. */
export function after(session: Session, position: string, limit: number): StreamMessage[] {
  const from = firstAfter(session.sent, sortable(position))
  return session.sent.slice(from, from + limit).map(toMessage)
}

/** The questions that are open. */
export function openQuestions(session: Session): StreamMessage[] {
  return session.sent.filter(({ id }) => session.byId.get(id)?.kind === 'open').map(toMessage)
}

/** The open question of that id. */
export function openQuestion(session: Session, id: string): StreamMessage | undefined {
  const fate = session.byId.get(id)
  if (fate?.kind !== 'open') return undefined
  const at = placeOf(session, fate.position)
  return at === undefined ? undefined : toMessage(session.sent[at]!)
}

/** Takes an open question away and keeps the reply. */
export function settle(session: Session, id: string, reply: HilReply): boolean {
  const fate = session.byId.get(id)
  if (fate?.kind !== 'open') return false
  remove(session, fate.position)
  session.byId.set(id, { kind: 'answered', position: fate.position, reply: JSON.stringify(reply) })
  return true
}

/** Takes the reply to a question. */
export function take(session: Session, id: string): { reply: HilReply } | undefined {
  const fate = session.byId.get(id)
  if (fate?.kind !== 'answered') return undefined
  session.byId.set(id, { kind: 'settled' })
  return { reply: JSON.parse(fate.reply) as HilReply }
}

/** Takes away an open question. */
export function drop(session: Session, id: string): boolean {
  const fate = session.byId.get(id)
  if (fate?.kind !== 'open') return false
  remove(session, fate.position)
  session.byId.set(id, { kind: 'settled' })
  return true
}

function toMessage({ position, text }: Sent): StreamMessage {
  return { position, message: JSON.parse(text) as HilMessage }
}

function remove(session: Session, position: string): void {
  const at = placeOf(session, position)
  if (at !== undefined) session.sent.splice(at, 1)
}

/** The index of the message at a position. */
function placeOf(session: Session, position: string): number | undefined {
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
