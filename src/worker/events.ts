/** A thread that a worker has to do with. */
export interface DrivenThread {
  tenantId: string
  threadId: string
}

/** Something that a worker did. None contains arguments, messages or answers. */
export type WorkerEvent =
  /** A thread was driven until it was over, waited for people or a time, or was handed over. `lateMs`: how long it had been due. */
  | (DrivenThread & {
      type: 'driven'
      outcome: 'over' | 'waiting' | 'handed_over'
      agent: string
      version: string | null
      ms: number
      lateMs: number
    })
  /** There was nothing to do: another worker drives or drove it, it is not due, or its version is served elsewhere. */
  | (DrivenThread & { type: 'passed'; why: 'busy' | 'not_due' | 'elsewhere' })
  /** Driving failed, and is tried again. */
  | (DrivenThread & { type: 'failed'; error: unknown; tries: number; retryInMs: number })
  /** Driving failed for good. An operator must look at it. */
  | (DrivenThread & { type: 'dead'; error: unknown; tries: number })
  /** This worker rang for rows of the outbox. `lagMs`: how old the oldest was. */
  | { type: 'relayed'; rows: number; rings: number; lagMs: number }
  /** This worker looked for what nobody was woken for. */
  | { type: 'swept'; deadlines: number; found: number }
  /** This worker erased threads that were over and too old. */
  | { type: 'erased'; threads: number }
  /** Work in the background failed, and is tried again. */
  | { type: 'error'; what: string; error: unknown }

/** Is told what a worker does. What it throws is a process warning, and stops nothing. */
export type WorkerListener = (event: WorkerEvent) => void
