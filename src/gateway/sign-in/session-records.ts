import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { RecordChange, RecordStore, StoredRecord } from '../../ports/records.ts'
import type { Caller } from '../auth/auth.ts'
import type { SessionCookie } from './cookie.ts'

/** How long a sign-in lasts. It is not prolonged by use. */
export const SESSION_MS = 8 * 3600_000
const KIND = 'session'
/** How many sessions of a tenant a list shows at most. */
const MOST_LISTED = 5000

const names = z.array(z.string())

/** A stored session. Changing or deleting the record acts at the next request, on every gateway. */
const sessionValue = z.object({
  v: z.literal(1),
  sub: z.string(),
  roles: names,
  groups: names,
  createdAt: z.number(),
  endsAt: z.number(),
})
type SessionValue = z.infer<typeof sessionValue>

/** A session as it is now. */
export interface Session extends Omit<SessionValue, 'v'> {
  /** The hash of its secret, so it may be shown. */
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
}

/** A random secret of 256 bits. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Stores keep only the hash of a secret. */
export function idOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Makes a session; nothing is stored yet. */
export function newSession(person: Person, now = Date.now()): NewSession {
  const { sub, tenant, roles, groups = [], expiresAt = Number.POSITIVE_INFINITY } = person
  const token = newSecret()
  const endsAt = Math.min(now + SESSION_MS, expiresAt)
  const facts = { sub, roles: [...roles], groups: [...groups], createdAt: now, endsAt }
  const value = JSON.stringify({ v: 1, ...facts } satisfies SessionValue)
  const id = idOf(token)
  return {
    cookie: { tenant, token },
    session: { id, ...facts },
    change: { op: 'put', kind: KIND, id, value, expect: 0, ttlMs: Math.max(1, endsAt - now) },
  }
}

/** The change that ends a session. */
export function sessionEnd(id: string): RecordChange {
  return { op: 'delete', kind: KIND, id }
}

/** The session of this id, unless it has ended. */
export async function readSession(records: RecordStore, id: string): Promise<Session | undefined> {
  const record = await records.readRecord(KIND, id)
  return record && toSession(record)
}

/** The sessions of a tenant that have not ended; of one person, or of all. */
export async function listSessions(records: RecordStore, sub?: string): Promise<Session[]> {
  const found: Session[] = []
  let cursor: string | undefined
  do {
    const page = await records.findRecords({ kind: KIND, limit: 500, ...(cursor === undefined ? {} : { cursor }) })
    for (const record of page.records) {
      const session = toSession(record)
      if (session && (sub === undefined || session.sub === sub)) found.push(session)
    }
    cursor = page.next
  } while (cursor !== undefined && found.length < MOST_LISTED)
  return found.sort((one, other) => other.createdAt - one.createdAt)
}

/** The caller of a session. */
export function callerOf(tenant: string, { id, sub, roles, groups, endsAt }: Session): Caller {
  return { sub, tenant, roles, groups, expiresAt: endsAt, via: 'inbox', session: id }
}

/** The store drops the record by its own clock. A record that was written anew without an end still ends by this one. */
function toSession({ id, value }: StoredRecord): Session | undefined {
  const { v: _, ...session } = sessionValue.parse(JSON.parse(value))
  return session.endsAt > Date.now() ? { id, ...session } : undefined
}
