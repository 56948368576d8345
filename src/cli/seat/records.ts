import type { ApiThreadPage, AuditLine, Figures } from '../../client.ts'

/** Which entries to export. */
export interface ExportQuery {
  thread?: string
  /** From this time on, and before that one: ISO 8601. */
  from?: string
  to?: string
}

/** What a seat tells besides single requests. */
export interface SeatRecords {
  /** A page of threads that have requests, newest first. */
  threads(query: { limit: number; cursor?: string }): Promise<ApiThreadPage>
  /** The entries of a thread after one of them. Throws `ThreadNotFound` if there is no such thread. */
  journal(threadId: string, after: number): AsyncGenerator<Omit<AuditLine, 'thread'>, void, void>
  /** All entries, thread by thread. */
  exported(query: ExportQuery): AsyncGenerator<AuditLine, void, void>
  /** Figures about requests and decisions. */
  figures(days: number): Promise<Figures>
}
