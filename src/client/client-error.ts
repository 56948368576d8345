/** What went wrong between a client and its gateway. */
export type ClientErrorCode =
  /** 400: the request does not fit, for example a reply that is no answer to its question, which stays open. */
  | 'bad_request'
  /** 401: the token is missing, wrong or too old. */
  | 'unauthorized'
  /** 403: this person may not do that. */
  | 'forbidden'
  /** Any other status that trying again does not change. */
  | 'refused'
  /** No answer after all tries, or none yet; also if the token could not be had. A reply may or may not have arrived. */
  | 'unreachable'
  /** The server's answer is not what a gateway says. */
  | 'invalid_response'
  /** The client was used in a way that cannot work. */
  | 'invalid_options'

/** The one error that a client throws. `status` is the HTTP status, if there was one; `detail` is the gateway's own text. */
export class ClientError extends Error {
  readonly code: ClientErrorCode
  readonly status: number | undefined
  readonly detail: string

  constructor(code: ClientErrorCode, detail: string, more: { status?: number; cause?: unknown } = {}) {
    super(
      more.status === undefined ? detail : `${detail} (HTTP ${more.status})`,
      more.cause === undefined ? undefined : { cause: more.cause },
    )
    this.name = 'ClientError'
    this.code = code
    this.status = more.status
    this.detail = detail
  }
}

/** A failure after which the same request is worth another try. Never leaves the client. */
export class TryAgain extends Error {
  readonly status: number | undefined
  /** How long the server wants to be left alone. */
  readonly afterMs: number
  /** Nothing came in time. */
  readonly late: boolean

  constructor(problem: string, more: { status?: number; afterMs?: number; late?: boolean; cause?: unknown } = {}) {
    super(problem, more.cause === undefined ? undefined : { cause: more.cause })
    this.status = more.status
    this.afterMs = more.afterMs ?? 0
    this.late = more.late ?? false
  }
}

/** Refuses options that do not exist: a misspelt one would be silently without effect. */
export function checkOptions(what: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((key) => !known.includes(key))
  if (unknown !== undefined) throw new ClientError('invalid_options', `${what} has no option "${unknown}".`)
}
