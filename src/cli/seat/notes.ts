import type { RequestComment } from '../../client.ts'
import type { HitlRequest } from '../../index.ts'

/** Who is to take care of a request, and for how long. */
export interface Assigning {
  assignee: string | null
  seconds?: number
  /** For oneself, and only if nobody else has it. */
  claim?: boolean
}

/** Notes on requests, for other people. They decide nothing. */
export interface SeatNotes {
  /** The comments on a request, oldest first. */
  comments(request: HitlRequest): Promise<RequestComment[]>
  comment(request: HitlRequest, text: string): Promise<RequestComment>
  /** Resolves to who has the request now. */
  assign(request: HitlRequest, to: Assigning): Promise<{ id: string; until?: string } | null>
}
