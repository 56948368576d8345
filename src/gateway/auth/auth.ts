/**
 * How the gateway knows who calls. A port: tokens of your own, sessions in cookies or single sign-on come in by another implementation.
 * A refusal is a value. What is thrown means that nobody could tell (a key server is away), and is answered with 503.
 */
export interface Auth {
  authenticate(request: AuthRequest): Promise<AuthOutcome>
}

/** What of a request tells who calls. On a WebSocket `authorization` comes from the first message. */
export interface AuthRequest {
  header(name: string): string | undefined
}

/** Somebody whose credential was checked. */
export interface Caller {
  /** Owns the sessions that were opened for it. */
  readonly sub: string
  readonly tenant: string
  readonly roles: readonly string[]
  /** When the credential ends (ms since 1970); live connections end with it. */
  readonly expiresAt?: number
}

/** What came of checking a credential. `detail` is told to the caller. */
export type AuthOutcome = { ok: true; caller: Caller } | { ok: false; detail: string }

/** The role of programs that ask: it never answers, whatever other roles it comes with. */
export const AGENT_ROLE = 'agent'
