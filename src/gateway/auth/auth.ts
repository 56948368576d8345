import type { Actor } from '../../protocol/decision.ts'

/**
 * How the gateway authenticates callers. A port: implement it for your own tokens, cookie sessions or single sign-on.
 * A refusal is a return value. A throw means that the check itself failed (for example an unreachable key server) and is answered with 503.
 */
export interface Auth {
  authenticate(request: AuthRequest): Promise<AuthOutcome>
}

/** The credentials of a request. On a WebSocket `authorization` comes from the first message. */
export interface AuthRequest {
  header(name: string): string | undefined
}

/** An authenticated caller. */
export interface Caller {
  /** The owner of the sessions that were opened for this name. */
  readonly sub: string
  readonly tenant: string
  /** `reviewer`, `operator`, `admin`, `auditor` or `agent`. Other roles mean nothing here. */
  readonly roles: readonly string[]
  /** The groups that policies can name as reviewers (`group:NAME`). Recorded with each decision. */
  readonly groups: readonly string[]
  /** When the credential expires (ms since 1970). Live connections end with it. */
  readonly expiresAt?: number
  /**
   * The gateway fills it in: `inbox` for the session of a person who signed in with a credential that `auth` or the application checked, `link` for that of a
   * one-time link, which whoever can write the store can make, `api` for a credential that `auth` accepted.
   */
  readonly via?: 'inbox' | 'link' | 'api'
  /** The id of the session, if it is one. The gateway fills it in. */
  readonly session?: string
}

/** The outcome of authentication. `detail` is sent to the caller. */
export type AuthOutcome = { ok: true; caller: Caller } | { ok: false; detail: string }

/** A caller as the author of what it does. `via`: the door that it came through. */
export function actorOf({ sub, groups }: Caller, via: string): Actor {
  return { kind: 'person', id: sub, via, ...(groups.length > 0 ? { groups: [...groups] } : {}) }
}

/** The role of programs that ask. A caller with this role never answers, whatever other roles it has. */
export const AGENT_ROLE = 'agent'

/** Why an agent's credential is refused where people decide. */
export const NOT_FOR_AGENTS = 'This is for people. The credential of an agent cannot be used here.'

/** Why the credential of a person is refused where agents ask: whoever holds it could decide what it asks. */
export const FOR_AGENTS = 'This is for agents. Use a credential with the role agent, which cannot decide.'
