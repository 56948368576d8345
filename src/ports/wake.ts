/**
 * The wake mark of a thread: when a driver must look at it next. It is written in the append that gives the driver something to do, so nothing can
 * be decided without it. Queues and the outbox only make waking faster.
 */
export interface WakeMark {
  /** A time of the store. `null`: only people can move the thread, or its run is over. */
  at: number | null
  /** How many drives have failed since one succeeded. */
  tries: number
  /** The agent of the thread's latest run. `null`: it is not known. */
  agent: string | null
  /** Its version. `null`: it has none. */
  agentVersion: string | null
}

/**
 * A change of a wake mark.
 * `by`: in `inMs` at the latest, counted from the store's time; an earlier mark stays, and so do its tries. `tell` also writes a row of the outbox
 * (subject `thread`, what `ready`); only with entries.
 * `set`: exactly this time; `null` clears it. `tries` counts drives that failed; default 0. Only in an append that names the thread's version, since
 * it may overwrite the mark of another writer.
 */
export type WakeChange = { op: 'by'; inMs: number; tell?: true } | { op: 'set'; at: number | null; tries?: number }
