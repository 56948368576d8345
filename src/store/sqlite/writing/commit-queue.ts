import type { CrashPoint } from '../../../ports/crash-points.ts'
import { StoreBusy } from '../../../protocol/errors/errors.ts'
import { backOffMs } from '../connection/back-off.ts'
import type { Connection, ConnectionHolder } from '../connection/connection.ts'
import { isBusy, toStoreError } from '../connection/failure.ts'
import { applyWrite, type Outcomes, type TimedWrite, type Write, type Writing } from './write.ts'

/**
 * The group commit: writes that are queued together are made durable together, by one transaction.
 *
 * Q1  A write's promise is fulfilled only after the COMMIT that carries it.
 * Q2  A write that throws is rejected alone: the transaction is rolled back and made again without it.
 * Q3  A COMMIT that fails rejects all that it carried, and nothing of it is stored.
 * Q4  While others hold the lock the loop is free, and writes keep their order.
 */
export interface CommitQueue {
  push<W extends Write>(write: W, timed?: Omit<TimedWrite, 'write'>): Promise<Outcomes[W['op']]>
  /** Settles when nothing is queued or being written. Nothing may be pushed any more. */
  close(): Promise<void>
}

/** Options of a commit queue. */
export interface CommitQueueOptions {
  holder: ConnectionHolder
  busyTimeoutMs: number
  crashPoint: CrashPoint | undefined
  writing: Writing
  /** Runs each piece of work that calls SQLite. Work that it does not run is never made up for. Default: always runs it. */
  pass?: (work: () => void) => void
}

interface Job extends TimedWrite {
  resolve(result: unknown): void
  reject(error: unknown): void
  /** When to give up. Set when the file is first found busy. */
  deadline: number
}

/** The outcome of one try at a transaction. */
type Attempt =
  | { kind: 'committed'; results: unknown[] }
  | { kind: 'busy'; error: unknown }
  | { kind: 'thrown'; by: Job; error: unknown }
  | { kind: 'failed'; error: unknown }

const MAX_BATCH = 1024

/** `then` on it runs a function as soon as the running code ends. It costs half as much as `queueMicrotask`, which creates an async resource. */
const AT_ONCE = Promise.resolve()

/** An empty queue. */
export function createCommitQueue({
  holder,
  busyTimeoutMs,
  crashPoint,
  writing,
  pass,
}: CommitQueueOptions): CommitQueue {
  let queue: Job[] = []
  let scheduled = false
  let inCompany = false
  let busyTries = 0
  const drained: (() => void)[] = []
  const go = pass ? () => pass(flush) : flush

  /**
   * A single write is committed as soon as the running code ends. If several writes came together, the commit waits for the end of this turn of the
   * event loop, so that writers that need a few more ticks join the same transaction.
   */
  function schedule(): void {
    scheduled = true
    if (inCompany) setImmediate(go)
    else void AT_ONCE.then(go)
  }

  function flush(): void {
    const batch = queue.length > MAX_BATCH ? queue.splice(0, MAX_BATCH) : queue
    if (batch === queue) queue = []
    inCompany = batch.length > 1
    const left = commit(batch)
    if (left.length > 0) {
      queue = left.concat(queue)
      setTimeout(go, backOffMs(busyTries++))
      return
    }
    busyTries = 0
    scheduled = false
    if (queue.length > 0) return schedule()
    for (const settle of drained.splice(0)) settle()
  }

  /** Settles the jobs; returns those that must wait for the lock. */
  function commit(batch: Job[]): Job[] {
    let jobs = batch
    while (jobs.length > 0) {
      const attempt = attemptCommit(jobs)
      switch (attempt.kind) {
        case 'committed':
          jobs.forEach((job, i) => {
            job.resolve(attempt.results[i])
          })
          return []
        case 'busy':
          return giveUpLate(jobs, attempt.error)
        case 'thrown':
          attempt.by.reject(toStoreError(attempt.error, holder.path))
          jobs = jobs.filter((job) => job !== attempt.by)
          break
        case 'failed': {
          const error = toStoreError(attempt.error, holder.path)
          for (const job of jobs) job.reject(error)
          return []
        }
      }
    }
    return []
  }

  function attemptCommit(jobs: readonly Job[]): Attempt {
    let connection: Connection
    try {
      connection = holder.get()
      connection.statement('BEGIN IMMEDIATE').run([])
    } catch (error) {
      return isBusy(error) ? { kind: 'busy', error } : { kind: 'failed', error }
    }
    let current: Job | undefined
    try {
      crashPoint?.('store.append.begun')
      const results: unknown[] = []
      for (current of jobs) results.push(applyWrite(connection, writing, current))
      current = undefined
      crashPoint?.('store.append.written')
      connection.statement('COMMIT').run([])
      crashPoint?.('store.append.committed')
      return { kind: 'committed', results }
    } catch (error) {
      rollBack(connection)
      if (isBusy(error)) return { kind: 'busy', error }
      return current ? { kind: 'thrown', by: current, error } : { kind: 'failed', error }
    }
  }

  function giveUpLate(jobs: readonly Job[], error: unknown): Job[] {
    const now = performance.now()
    return jobs.filter((job) => {
      if (job.deadline === 0) job.deadline = now + busyTimeoutMs - (job.waitedMs ?? 0)
      if (now < job.deadline) return true
      job.reject(new StoreBusy(holder.path, error))
      return false
    })
  }

  return {
    push(write, timed) {
      return new Promise((resolve, reject) => {
        queue.push({ write, ...timed, resolve: resolve as (result: unknown) => void, reject, deadline: 0 })
        if (!scheduled) schedule()
      })
    },
    close: () =>
      new Promise((resolve) => {
        if (scheduled) drained.push(resolve)
        else resolve()
      }),
  }
}

function rollBack(connection: Connection): void {
  connection.heads.clear()
  try {
    connection.exec('ROLLBACK')
  } catch {
    // SQLite has rolled back by itself, as it does when the disk is full.
  }
}
