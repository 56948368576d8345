import type { ApiThreadPage, AuditLine, Figures } from '../../client.ts'

/** Which entries to export. */
interface ExportQuery {
  thread?: string
  /** From this time on, and before that one: ISO 8601. */
  from?: string
  to?: string
}

/** What a seat tells besides single requests. */
export interface SeatRecords {
  /** A page of threads that have requests, newest first. */
  threads(query: { limit: number; cursor?: string }): Promise<ApiThreadPage>
  /** Threads that have something to do and are not driven. */
  stuck(limit: number): Promise<ApiThreadPage>
  /** Lets workers try a thread again. `false`: it has nothing to do. Throws `ThreadNotFound` if there is no such thread. */
  retry(threadId: string): Promise<boolean>
  /** Moves the run of a thread to another version of its agent. `false`: it is on that version. */
  move(threadId: string, move: { to: string | null; reason: string }): Promise<boolean>
  /** Ends the run of a thread. `false`: there is nothing to end. Throws `ThreadNotFound` if there is no such thread. */
  abort(threadId: string, reason: string): Promise<boolean>
  /** The entries of a thread after one of them. Throws `ThreadNotFound` if there is no such thread. */
  journal(threadId: string, after: number): AsyncGenerator<Omit<AuditLine, 'thread'>, void, void>
  /** Its last entries, up to 1000. Throws `ThreadNotFound` if there is no such thread. */
  lastEntries(threadId: string, count: number): Promise<Omit<AuditLine, 'thread'>[]>
  /** All entries, thread by thread. */
  exported(query: ExportQuery): AsyncGenerator<AuditLine, void, void>
  /** Figures about requests and decisions. */
  figures(days: number): Promise<Figures>
}
