import type { RecordChange } from '../ports/records.ts'
import type { AppendOutcome, Store } from '../ports/store.ts'
import { isDuration } from '../protocol/checks/durations.ts'
import { requireKnown } from '../protocol/checks/known-options.ts'
import type { Actor } from '../protocol/decision.ts'
import type { EntryOf } from '../protocol/entries/entry.ts'
import { parseBody } from '../protocol/entries/versions.ts'
import { DecisionInvalid, JournalInvalid, RequestTaken } from '../protocol/errors/errors.ts'
import { notesThread } from '../protocol/ids.ts'
import { stale } from './answer/check.ts'
import { findRequest, type RequestRef } from './find.ts'
import { commit } from './record/commit.ts'
import { parseActor, parseWords } from './record/on-record.ts'
import { requireRecords } from './record/records.ts'

/**
 * Notes on a request: comments, and who takes care of it. They decide nothing. Each request has a journal of its own for them, so that a note never
 * moves the thread of the run or the version of the request.
 */

/** One note, as people see it. */
export type Note =
  | { type: 'comment'; at: string; by: Actor; text: string; version: number }
  | { type: 'assignment'; at: string; by: Actor; assignee: string | null; until?: string }

/** Who takes care of a request. Without `until` the assignment has no end. */
export interface Assignment {
  id: string
  until?: string
}

/** A comment on a request. The model never reads it. */
export interface CommentOptions {
  text: string
  by: string | Actor
  /** Written in the same transaction. */
  records?: readonly RecordChange[]
}

/** An assignment of a request. */
export interface AssignOptions {
  /** The id of a person. `null`: nobody. */
  assignee: string | null
  by: string | Actor
  /** How long it lasts. Left out, it has no end. */
  seconds?: number
  /** Refused with `RequestTaken` while somebody else has the request. */
  claim?: boolean
  /** Written in the same transaction. */
  records?: readonly RecordChange[]
}

/** The part of the store that notes need. */
export type NoteStore = Pick<Store, 'append' | 'read' | 'getRequest' | 'findRequests' | 'tenantId'>

const LONGEST_COMMENT = 10_000

/** Adds a comment, also to a request that is settled. */
export async function comment(store: NoteStore, ref: RequestRef, given: CommentOptions): Promise<Note> {
  requireKnown('comment()', given, ['text', 'by', 'records'])
  const by = parseActor(given.by)
  const text = parseWords('text', given.text)
  if (typeof text !== 'string' || text.trim() === '' || text.length > LONGEST_COMMENT) {
    throw new DecisionInvalid(`A comment has 1 to ${LONGEST_COMMENT} characters.`)
  }
  return commit('Commenting', async () => {
    const { opened, version } = await findRequest(store, ref)
    const entry: EntryOf<'request.commented'> = { v: 1, type: 'request.commented', id: opened.id, version, text, by }
    const outcome = await store.append({
      threadId: notesThread(opened.id),
      entries: [JSON.stringify(entry)],
      requests: [{ op: 'comment', id: opened.id }],
      ...(given.records ? { records: given.records } : {}),
    })
    requireRecords(outcome)
    return outcome.ok ? { done: toNote(entry, outcome.at) } : undefined
  })
}

/** Assigns an open request, or takes the assignment back. Resolves to who has it now. */
export async function assign(store: NoteStore, ref: RequestRef, given: AssignOptions): Promise<Assignment | null> {
  requireKnown('assign()', given, ['assignee', 'by', 'seconds', 'claim', 'records'])
  const plan = parseAssignment(given)
  return commit('Assigning a request', async () => {
    const facts = await findRequest(store, ref)
    if (facts.status !== 'open') throw stale(facts)
    const { id } = facts.opened
    const { assignee, ttlMs } = plan
    const ttl = ttlMs === undefined ? {} : { ttlMs }
    const entry: EntryOf<'request.assigned'> = { v: 1, type: 'request.assigned', id, assignee, ...ttl, by: plan.by }
    const outcome = await store.append({
      threadId: notesThread(id),
      entries: [JSON.stringify(entry)],
      requests: [{ op: 'assign', id, assignee, ...ttl, ...(given.claim ? { claim: true } : {}) }],
      ...(given.records ? { records: given.records } : {}),
    })
    requireRecords(outcome)
    if (outcome.ok) return { done: toAssignment(entry, outcome.at) }
    if (given.claim) await throwIfTaken(store, id, { assignee, outcome })
    return undefined
  })
}

function parseAssignment(given: AssignOptions): { assignee: string | null; by: Actor; ttlMs?: number } {
  const by = parseActor(given.by)
  const assignee = parseWords('assignee', given.assignee ?? undefined) ?? null
  if (assignee === '' || (given.claim && assignee === null)) {
    throw new DecisionInvalid('assignee must be the id of a person; null, which assigns it to nobody, is no claim.')
  }
  if (given.seconds === undefined) return { assignee, by }
  if (!isDuration(given.seconds) || given.seconds <= 0) {
    throw new DecisionInvalid('seconds must be a positive number of seconds.')
  }
  return { assignee, by, ttlMs: Math.ceil(given.seconds * 1000) }
}

async function throwIfTaken(
  store: NoteStore,
  id: string,
  { assignee, outcome }: { assignee: string | null; outcome: AppendOutcome },
): Promise<void> {
  const { assigned } = (await store.getRequest(id)) ?? {}
  if (!outcome.ok && outcome.conflict.kind === 'request' && assigned && assigned.id !== assignee)
    throw new RequestTaken(id, { id: assigned.id, ...untilOf(assigned.until) })
}

/** All notes on a request, oldest first. */
export async function readNotes(store: NoteStore, ref: RequestRef): Promise<Note[]> {
  const { opened } = await findRequest(store, ref)
  const threadId = notesThread(opened.id)
  const { entries } = await store.read(threadId)
  return entries.flatMap(({ body, seq, at }) => {
    const entry = parseBody(body, { threadId, seq })
    if (entry.type === 'request.commented' || entry.type === 'request.assigned') return [toNote(entry, at)]
    if (entry.type === 'erased') return []
    throw new JournalInvalid({ threadId, seq, problem: `${entry.type} is not a note` })
  })
}

function toNote(entry: EntryOf<'request.commented'> | EntryOf<'request.assigned'>, time: number): Note {
  const at = new Date(time).toISOString()
  const { by } = entry
  if (entry.type === 'request.commented') return { type: 'comment', at, by, text: entry.text, version: entry.version }
  const { until } = toAssignment(entry, time) ?? {}
  return { type: 'assignment', at, by, assignee: entry.assignee, ...(until === undefined ? {} : { until }) }
}

function toAssignment({ assignee, ttlMs }: EntryOf<'request.assigned'>, at: number): Assignment | null {
  return assignee === null ? null : { id: assignee, ...untilOf(ttlMs === undefined ? null : at + ttlMs) }
}

function untilOf(time: number | null): { until?: string } {
  return time === null ? {} : { until: new Date(time).toISOString() }
}
