import type { SqlRow } from '../../sql/dialect.ts'

/** The part of `pg` that is used. Any pool with these functions will do. */
export interface PgPool {
  connect(callback: (error: Error | undefined, client: PgPoolClient | undefined) => void): void
  end(): Promise<void>
}

/** One connection. */
export interface PgClient {
  query(query: PgQuery): Promise<{ rows: SqlRow[] }>
  on(event: 'error' | 'end' | 'notification', listener: (what: unknown) => void): unknown
  off(event: 'error' | 'end' | 'notification', listener: (what: unknown) => void): unknown
}

/** One connection of a pool. */
export interface PgPoolClient extends PgClient {
  /** Returns it to the pool; `true` if it must not be used again. */
  release(destroy?: boolean): void
}

/** A dedicated connection, for listening. */
export interface PgLoneClient extends PgClient {
  /** The process of the server, as whoever was connected to says: a proxy names none that is there. */
  readonly processID?: number | null
  connect(): Promise<unknown>
  end(): Promise<void>
  /** Whether this connection keeps the process alive. */
  ref(): void
  unref(): void
}

/** A statement with its values. */
export interface PgQuery {
  text: string
  /** The name under which the connection keeps the plan. */
  name?: string
  values?: unknown[]
  /** Set explicitly, because `pg` may have been configured otherwise for the whole process. */
  types: { getTypeParser(): (text: string) => string }
}

/** The exports of `pg` that are used. */
export interface PgModule {
  Pool: new (config: PgConfig) => PgPool & { on(event: 'error', listener: (error: Error) => void): unknown }
  Client: new (config: PgConfig) => PgLoneClient
}

/** Options of the connections that a store opens itself. */
interface PgConfig {
  connectionString: string
  max?: number
  /** Lets the process end while connections are idle. */
  allowExitOnIdle?: boolean
  connectionTimeoutMillis?: number
  keepAlive?: boolean
  application_name?: string
}

/** A message of `LISTEN`. */
export interface PgNotification {
  channel: string
  payload?: string | undefined
}

/** Every value is the string that the server sent. */
export const AS_TEXT: PgQuery['types'] = { getTypeParser: () => (text) => text }
