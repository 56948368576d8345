import type { AuthRequest, Caller } from '../auth/auth.ts'

/** The headers of a request, as far as the gateway reads them. */
export type RequestHeaders = Pick<Headers, 'get'>

/** As much of a `Request` as the gateway uses. Another transport offers it without making one. */
export interface HttpRequest extends Pick<Request, 'method' | 'url' | 'signal' | 'bodyUsed' | 'body' | 'text'> {
  readonly headers: RequestHeaders
  /** The whole body, of a transport that has it already. It is as long as `content-length` says. */
  readonly arrived?: string
  /** The value of `Host`, of a transport that takes plain HTTP only: what `url` is asked for otherwise. */
  readonly plainHost?: string | undefined
}

/** One request. */
export interface HttpCall extends AuthRequest {
  readonly request: HttpRequest
  /** Without the query. */
  readonly path: string
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
