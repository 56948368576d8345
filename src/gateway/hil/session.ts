import type { Streams } from '../../ports/streams.ts'
import type { Caller } from '../auth/auth.ts'
import type { Core } from '../core.ts'
import { NO_STREAM, type Result } from '../refusal.ts'

/** A session that its caller may see. */
export interface Session {
  readonly id: string
  readonly streams: Streams
  readonly owner: string
  readonly caller: Caller
}

/** Finds a session for a caller. One of somebody else is refused exactly like one that does not exist, after exactly the same work. */
export async function findSession(core: Core, caller: Caller, given: string): Promise<Result<Session>> {
  const streams = core.streams(caller.tenant)
  let id = given
  let found = await streams.describe(id)
  // UUIDs are the same in either case, and some platforms write them in capitals.
  const lower = given.toLowerCase()
  if (lower !== given && !(found && maySee(core, caller, found.owner))) {
    id = lower
    found = await streams.describe(id)
  }
  if (!found || !maySee(core, caller, found.owner)) return NO_STREAM
  return { ok: true, value: { id, streams, owner: found.owner, caller } }
}

/** Whether a session is still the one that was found: it may have been closed, and opened again for somebody else. */
export async function isStillTheirs(session: Session): Promise<boolean> {
  const found = await session.streams.describe(session.id)
  return found !== undefined && found.owner === session.owner
}

/** For how many milliseconds a caller's credential is good. */
export function timeLeft({ expiresAt = Number.POSITIVE_INFINITY }: Caller): number {
  return expiresAt - Date.now()
}

/** Whether a session of that owner is there for a caller. */
export function maySee(core: Core, caller: Caller, owner: string): boolean {
  return caller.sub === owner || caller.roles.some((role) => core.settings.actForTenant.includes(role))
}
