import type { SessionFacts, Streams } from '../../ports/streams.ts'
import type { HilMessage } from '../../protocol/hil.ts'
import type { Caller } from '../auth/auth.ts'
import type { Core } from '../core.ts'
import { NO_STREAM, type Result } from '../refusal.ts'

/** A session that its caller may see something of. */
export interface Session {
  readonly id: string
  readonly streams: Streams
  readonly owner: string
  readonly caller: Caller
  /** `named`: only questions that name the caller as a reviewer, and what becomes of them. */
  readonly sees: 'all' | 'named'
}

/**
 * Finds a session for a caller. One that they may see nothing of is refused exactly like one that does not exist, after exactly the same
 * work: nothing of a session is read before this.
 */
export async function findSession(core: Core, caller: Caller, given: string): Promise<Result<Session>> {
  const streams = core.streams(caller.tenant)
  // UUIDs are the same in either case, and some platforms write them in capitals.
  for (const id of new Set([given, given.toLowerCase()])) {
    const found = await streams.describe(id, { reader: caller.sub })
    const sees = found && sightOf(core, caller, found)
    if (sees) return { ok: true, value: { id, streams, owner: found.owner, caller, sees } }
  }
  return NO_STREAM
}

/** Whether a session is still the one that was found: it may have been closed, opened again for somebody else, or have nothing for the caller any more. */
export async function isStillTheirs(core: Core, session: Session): Promise<boolean> {
  const found = await session.streams.describe(session.id, { reader: session.caller.sub })
  return found !== undefined && found.owner === session.owner && sightOf(core, session.caller, found) !== undefined
}

/** For how many milliseconds a caller's credential is good. */
export function timeLeft({ expiresAt = Number.POSITIVE_INFINITY }: Caller): number {
  return expiresAt - Date.now()
}

/** Whether a message of a session is for its caller. */
export function maySee({ sees, caller }: Session, { meta }: HilMessage): boolean {
  return sees === 'all' || (meta?.reviewers?.includes(caller.sub) ?? false)
}

function sightOf(core: Core, caller: Caller, { owner, named }: SessionFacts): Session['sees'] | undefined {
  if (caller.sub === owner || caller.roles.some((role) => core.settings.actForTenant.includes(role))) return 'all'
  return named ? 'named' : undefined
}
