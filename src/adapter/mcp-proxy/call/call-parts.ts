import type { Gate, GateState } from '../../../gate.ts'
import type { JsonObject } from '../../../protocol/json/json.ts'
import type { RoomParts } from '../room/room.ts'
import type { ProgressReport } from './progress.ts'
import type { Wait } from './wait-ladder.ts'

/** A client that waits for the result of a call. */
export interface Caller {
  /** Fires when the client no longer waits. */
  readonly signal: AbortSignal
  readonly capabilities: JsonObject
  readonly progress: ProgressReport
  /** Asks the client's user, if the client is one that can be asked while its call waits. */
  readonly ask?: ((params: JsonObject, signal: AbortSignal) => Promise<JsonObject>) | undefined
  /** What a modern client sent with its repeated call. */
  readonly answered?: { readonly requestId: string; readonly answer: JsonObject } | undefined
  /** Whether a modern client can be asked by the result. */
  readonly canRepeat: boolean
  readonly meta: JsonObject
}

/** What calls share. */
export interface CallParts extends RoomParts {
  readonly gate: Gate
  readonly wait: Wait
  /** Counts a call that a server runs: the end of the proxy waits for it. */
  forwarding<T>(call: Promise<T>): Promise<T>
}

/** What a step of a call led to: its result, or a new state. */
export type Step = { readonly result: JsonObject } | { readonly state: GateState }
