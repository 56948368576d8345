import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { RecordChange, RecordStore, StoredRecord } from '../../ports/records.ts'
import type { Caller } from '../auth/auth.ts'
import type { SessionCookie } from './cookie.ts'

/** How long a sign-in lasts. It is not prolonged by use. */
export const SESSION_MS = 8 * 3600_000
/** The kind of the records of sessions. */
export const SESSION_KIND = 'session'
const ID = /^[0-9a-f]{32}-[0-9a-f]{64}$/

const names = z.array(z.string())

/** A stored session. Changing or deleting the record acts at the next request, on every gateway. */
const sessionValue = z.object({
  v: z.literal(1),
  sub: z.string(),
  roles: names,
  groups: names,
  createdAt: z.number(),
  endsAt: z.number(),
  /** It was opened with a one-time link. */
  link: z.literal(true).exactOptional(),
})
type SessionValue = z.infer<typeof sessionValue>

/** A session as it is now. */
export interface Session extends Omit<SessionValue, 'v'> {
  /** The key of its person and the hash of its secret, so it may be shown. */
  readonly id: string
}

/** A session that was just made: its secret, and the change that stores it. */
export interface NewSession {
  readonly cookie: SessionCookie
  readonly session: Session
  readonly change: RecordChange
}

/** The person of a session. */
export interface Person {
  readonly sub: string
  readonly tenant: string
  readonly roles: readonly string[]
  readonly groups?: readonly string[] | undefined
  /** When the credential expires that proved it. The session ends no later. */
  readonly expiresAt?: number | undefined
  /** A one-time link proved it. The gateway fills it in. */
  readonly link?: true | undefined
}

/** A random secret of 256 bits. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Stores keep only the hash of a secret. */
export function idOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** The start of a person's tokens and ids: the store keeps records in the order of their ids, so it finds a person's sessions together. */
function keyOf(sub: string): string {
  return `${idOf(sub).slice(0, 32)}-`
}

/** The id of the session of a token. */
export function sessionIdOf(token: string): string {
  const end = token.indexOf('-') + 1
  return `${token.slice(0, end)}${idOf(token.slice(end))}`
}

/** Whether a session could have this id. */
export function isSessionId(id: string): boolean {
  return ID.test(id)
}

/** Makes a session; nothing is stored yet. */
export function newSession(person: Person, now = Date.now()): NewSession {
  const { sub, tenant, roles, groups = [], expiresAt = Number.POSITIVE_INFINITY, link } = person
  const token = `${keyOf(sub)}${newSecret()}`
  const endsAt = Math.min(now + SESSION_MS, expiresAt)
  const facts = { sub, roles: [...roles], groups: [...groups], createdAt: now, endsAt, ...(link ? { link } : {}) }
  const value = JSON.stringify({ v: 1, ...facts } satisfies SessionValue)
  const id = sessionIdOf(token)
  return {
    cookie: { tenant, token },
    session: { id, ...facts },
    change: { op: 'put', kind: SESSION_KIND, id, value, expect: 0, ttlMs: Math.max(1, endsAt - now) },
  }
}

/** The change that ends a session. */
export function sessionEnd(id: string): RecordChange {
  return { op: 'delete', kind: SESSION_KIND, id }
}

/** The session of this id, unless it has ended. */
export async function readSession(records: RecordStore, id: string): Promise<Session | undefined> {
  const record = await records.readRecord(SESSION_KIND, id)
  return record && toSession(record)
}

/** Whose sessions are listed, and which page of them. */
export interface SessionQuery {
  /** Left out: everybody of the tenant. */
  readonly person?: string
  readonly limit: number
  readonly cursor?: string
}

/** A page of the sessions of a tenant that have not ended, each page newest first. The sessions of one person are beside each other. */
export async function listSessions(
  records: RecordStore,
  { person, ...page }: SessionQuery,
): Promise<{ sessions: Session[]; next?: string }> {
  const of = person === undefined ? {} : { prefix: keyOf(person) }
  const { records: found, next } = await records.findRecords({ kind: SESSION_KIND, ...of, ...page })
  const sessions = found.flatMap((record) => toSession(record) ?? [])
  sessions.sort((one, other) => other.createdAt - one.createdAt)
  return { sessions, ...(next === undefined ? {} : { next }) }
}

/** The caller of a session. */
export function callerOf(tenant: string, { id, sub, roles, groups, endsAt, link }: Session): Caller {
  return { sub, tenant, roles, groups, expiresAt: endsAt, via: link ? 'link' : 'inbox', session: id }
}

/** The session of a record, unless it has ended. The store drops the record by its own clock. A record that was written anew without an end still ends by this one. */
export function toSession({ id, value }: Pick<StoredRecord, 'id' | 'value'>): Session | undefined {
  const { v: _, ...session } = sessionValue.parse(JSON.parse(value))
  return session.endsAt > Date.now() ? { id, ...session } : undefined
}
