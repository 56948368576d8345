import { settledMessages, soundHistory } from '../../core/views/history.ts'
import type { Session, SessionItem } from '../../ports/session.ts'
import { HoldpointError, InputInvalid, messageOf, SessionFailed, StoreFailed } from '../../protocol/errors/errors.ts'
import type { Message } from '../../protocol/message.ts'
import type { Journal } from '../journal/journal.ts'
import type { Ending } from '../loop/loop.ts'
import { checkItems, unknownItems } from './session-items.ts'

/** The session that a run writes to, and the history that its model reads. */
export interface SessionStart {
  session: { id: string }
  history: Message[]
}

/** Reads a session for a run that begins. Throws on failure, since nothing was stored yet. */
export async function readSession(session: Session, limit: number | undefined): Promise<SessionStart> {
  const id = await idOf(session)
  let items: SessionItem[]
  try {
    items = checkItems(await session.getItems(limit))
  } catch (error) {
    throw new SessionFailed(id, messageOf(error), error)
  }
  return { session: { id }, history: soundHistory(items.map(({ id: _id, ...message }) => message as Message)) }
}

/** Throws if a run is resumed without its session or with another one: its messages would be lost there, or end up in another conversation. */
export async function checkResumed({ state }: Journal, session: Session | undefined): Promise<void> {
  const { run } = state
  const own = run?.session
  if (session) {
    const id = await idOf(session)
    if (!own) throw new InputInvalid('This run was started without a session; leave session out.')
    if (own.id !== id) throw new InputInvalid(`This run belongs to session "${own.id}", not "${id}".`)
  } else if (own && (run.status === 'open' || settledMessages(state, run).length > own.written)) {
    throw new InputInvalid(`This run belongs to session "${own.id}": pass that session to resume it.`)
  }
}

/**
 * Adds a run's new messages to its session after the run paused or ended: in one call, and tool calls only with their results. The run records how
 * many were written. After a crash before that record, item ids prevent duplicates. A failure becomes a failed ending, and the next resume retries.
 */
export async function writeSession(
  journal: Journal,
  { session, ending, isNew }: { session: Session; ending: Ending; isNew: boolean },
): Promise<Ending> {
  // The process that took the run over writes the session.
  if (ending.kind === 'overtaken') return ending
  try {
    await write(journal, session, isNew)
    return ending
  } catch (error) {
    if (ending.kind === 'failed') return ending
    return {
      kind: 'failed',
      error: HoldpointError.isInstance(error) ? error : new StoreFailed('The run could not go on', error),
    }
  }
}

async function write(journal: Journal, session: Session, isNew: boolean): Promise<void> {
  const { run } = journal.state
  const own = run?.session
  if (!own) return
  const messages = settledMessages(journal.state, run)
  if (messages.length <= own.written) return
  const items = messages
    .slice(own.written)
    .map((said, i): SessionItem => ({ ...said, id: `${run.id}.${own.written + i}` }))
  try {
    // A new run cannot have items in the session yet.
    const missing = isNew ? items : unknownItems(items, checkItems(await session.getItems()))
    if (missing.length > 0) await session.addItems(missing)
  } catch (error) {
    throw new SessionFailed(own.id, messageOf(error), error)
  }
  await journal.write((state) => {
    const { id, session: now } = state.run ?? {}
    if (id !== run.id || !now || now.written >= messages.length) return undefined
    return { entries: [{ v: 1, type: 'session.written', run: run.id, count: messages.length }] }
  })
}

async function idOf(session: Session): Promise<string> {
  try {
    const id = await session.getSessionId()
    if (typeof id === 'string' && id !== '') return id
  } catch (error) {
    throw new SessionFailed('', messageOf(error), error)
  }
  throw new SessionFailed('', 'it has no id')
}
