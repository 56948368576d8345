import { streamNames } from '../../core/access.ts'
import type { SessionFacts, StreamMessage, Streams } from '../../ports/streams.ts'
import type { HilMessage } from '../../protocol/hil/hil.ts'
import type { Caller } from '../auth/auth.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { NO_STREAM, type Result } from '../refusal.ts'

/** A session that the caller may see, all of it or some of it. */
export interface VisibleSession {
  readonly id: string
  readonly streams: Streams
  readonly owner: string
  readonly caller: Caller
  /** `named`: only questions that name the caller as a reviewer, and what becomes of them. */
  readonly sees: 'all' | 'named'
}

/** A session with the open question that was looked for, if the caller owns the session. */
export interface SessionAndQuestion {
  readonly session: VisibleSession
  readonly question?: StreamMessage
}

/**
 * Finds a session for a caller. One that they may not see is refused exactly like one that does not exist, after exactly the same work. Nothing of a
 * session is read before this.
 */
export async function findSession(parts: GatewayParts, caller: Caller, given: string): Promise<Result<VisibleSession>> {
  const found = await findWithQuestion(parts, caller, { session: given })
  return found.ok ? { ok: true, value: found.value.session } : found
}

/** The same, with an open question in the same look. Streams hand it to the owner of the session only, or do not know how to. */
export async function findWithQuestion(
  parts: GatewayParts,
  caller: Caller,
  { session: given, question: id }: { session: string; question?: string | undefined },
): Promise<Result<SessionAndQuestion>> {
  const streams = parts.streams(caller.tenant)
  const names = streamNames(caller)
  const options = id === undefined ? { names } : { names, question: { id, owner: caller.sub } }
  // UUIDs are the same in either case, and some platforms write them in capitals.
  for (let id = given; ; id = given.toLowerCase()) {
    const found = await streams.describe(id, options)
    const sees = found && sightOf(parts, caller, found)
    if (sees) {
      const { owner, question } = found
      const session: VisibleSession = { id, streams, owner, caller, sees }
      return { ok: true, value: question && owner === caller.sub ? { session, question } : { session } }
    }
    if (id === given.toLowerCase()) return NO_STREAM
  }
}

/** Whether a session is still the one that was found: it may have been closed, reopened for another owner, or no longer have a question for the caller. */
export async function isStillTheirs(parts: GatewayParts, session: VisibleSession): Promise<boolean> {
  const found = await session.streams.describe(session.id, { names: streamNames(session.caller) })
  return found !== undefined && found.owner === session.owner && sightOf(parts, session.caller, found) !== undefined
}

/** How many milliseconds the caller's token is still valid. */
export function timeLeft({ expiresAt = Number.POSITIVE_INFINITY }: Caller): number {
  return expiresAt - Date.now()
}

/** Whether a message of a session is for its caller. */
export function maySee({ sees, caller }: VisibleSession, { meta }: HilMessage): boolean {
  if (sees === 'all') return true
  const names = streamNames(caller)
  return meta?.reviewers?.some((name) => names.includes(name)) ?? false
}

function sightOf(
  parts: GatewayParts,
  caller: Caller,
  { owner, named }: SessionFacts,
): VisibleSession['sees'] | undefined {
  const reads = (role: string) => role === 'auditor' || parts.settings.actForTenant.some((each) => each === role)
  if (caller.sub === owner || caller.roles.some(reads)) return 'all'
  return named ? 'named' : undefined
}
