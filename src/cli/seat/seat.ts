import type { LiveEvent, LiveState } from '../../client.ts'
import type { Answer, Decision, GrantOptions, HitlRequest, StandingGrant } from '../../index.ts'
import type { RequestStatus } from '../../ports.ts'
import type { WhoGoesOn } from '../../worker/shared/who-goes-on.ts'
import type { SeatNotes } from './notes.ts'
import type { SeatRecords } from './records.ts'

/** A request as a seat shows it. A gateway tells more than a store. */
export interface SeatRequest extends HitlRequest {
  /** Who has taken it. */
  assigned?: { id: string; until?: string }
  /** How many comments it has. */
  comments?: number
  /** Whether the caller may decide it. */
  mayDecide?: boolean
  /** Who goes on after a decision. Of a request that was read by its id, where workers drive threads. */
  resumable?: WhoGoesOn
}

/** A standing decision as a seat shows it. A gateway does not tell everything. */
export interface SeatGrant
  extends Omit<StandingGrant, 'tenant' | 'runId' | 'requestId' | 'definition' | 'cap'>,
    Partial<Pick<StandingGrant, 'tenant' | 'runId' | 'requestId' | 'definition'>> {
  cap?: { field?: string; max: number }
}

/** Which requests to list. Without a status: of any. */
interface SeatQuery {
  status?: RequestStatus
  threadId?: string
  tool?: string
  /** At most 200. */
  limit?: number
  cursor?: string
}

/** Which standing decisions to list. */
interface SeatGrantQuery {
  status: 'active' | 'all'
  threadId?: string
  tool?: string
  cursor?: string
}

/** What goes with a decision. */
export type Terms = Pick<Answer, 'comment' | 'version' | 'digest' | 'undoSeconds' | 'idempotencyKey'> & {
  always?: GrantOptions
}

/** What goes with a question that is closed without an answer. */
type CancelTerms = Pick<Terms, 'version'> & { reason: string }

/** The place of a person who reads and decides: a store, or a gateway. Every command that takes `--url` is written against this. */
export interface Seat {
  /** Options that make another command find the same place; empty if it does anyway. */
  readonly option: string
  /** Where it is, for people. */
  readonly place: string
  /** Whose name goes with what is done here. */
  who(): Promise<string>
  /** A page of requests, newest first. */
  list(query: SeatQuery): Promise<{ requests: SeatRequest[]; next?: string }>
  /** One request. Throws `HitlNoPendingRequest` if there is none. */
  get(id: string): Promise<SeatRequest>
  /** Decides a call as it was read: refused if it is another one by now. */
  decide(request: HitlRequest, decision: Decision, terms: Terms): Promise<SeatRequest>
  /** Answers a question or a form. */
  answer(request: HitlRequest, answer: unknown, terms: Terms): Promise<SeatRequest>
  /** Closes a question or a form without an answer. */
  cancel(request: HitlRequest, terms: CancelTerms): Promise<SeatRequest>
  /** Takes a decision back. */
  withdraw(request: HitlRequest): Promise<SeatRequest>
  /** A page of standing decisions, newest first. */
  grants(query: SeatGrantQuery): Promise<{ grants: SeatGrant[]; next?: string }>
  /** One standing decision. Throws `GrantNotFound` if there is none. */
  grant(id: string): Promise<SeatGrant>
  /** Ends a standing decision. */
  revoke(id: string, reason: string | undefined): Promise<SeatGrant>
  readonly notes: SeatNotes
  readonly records: SeatRecords
  /** Tells what happens, until the signal fires. Throws if it is refused. */
  watch(options: WatchOptions): Promise<void>
}

/** How a seat is watched. */
export interface WatchOptions {
  onChange(event: LiveEvent): void
  onState?(state: LiveState): void
  signal: AbortSignal
}
