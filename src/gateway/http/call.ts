import type { AuthRequest, Caller } from '../auth/auth.ts'

/** One request. */
export interface HttpCall extends AuthRequest {
  readonly request: Request
  query(name: string): string | undefined
  /** Every parameter of the query. A name that is given twice has its first value. */
  queries(): Record<string, string>
  /** A part of the path, decoded. Throws for a name that the path does not have. */
  param(name: string): string
  /** The address of the connection's other end; `undefined` if the server does not say. */
  readonly address: string | undefined
  /** Something before the gateway has read the body already. */
  readonly consumed: boolean
  /** Known once the request passed authentication. */
  caller?: Caller
}
