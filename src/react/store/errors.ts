/** What an error of the client says, read by its shape: it may come from another copy of the package. */
interface ErrorShape {
  name?: unknown
  status?: unknown
  code?: unknown
  request?: unknown
}

/** The HTTP status of an error, if a server refused. */
export function statusOf(error: unknown): number | undefined {
  const { status } = (error ?? {}) as ErrorShape
  return typeof status === 'number' ? status : undefined
}

/** The code of a refusal, such as `already_decided`. */
export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as ErrorShape
  return typeof code === 'string' ? code : undefined
}

/** The thing does not exist, or the caller may not see it. */
export function isAbsent(error: unknown): boolean {
  return statusOf(error) === 404
}

/** The thing was there, and must not be shown any more: it is absent, or was erased. */
export function isGone(error: unknown): boolean {
  return isAbsent(error) || codeOf(error) === 'thread_erased'
}

/** No answer came, or one that says to try again: whether the server did what was asked is unknown. */
export function isUnreachable(error: unknown): boolean {
  const status = statusOf(error)
  if (status === undefined) return (error as ErrorShape | undefined)?.name === 'NetworkError'
  return status === 408 || status === 429 || status >= 500
}

/** The request that a refusal shows, as it is now. */
export function requestOf<T>(error: unknown): T | undefined {
  const { request } = (error ?? {}) as ErrorShape
  return typeof request === 'object' && request !== null ? (request as T) : undefined
}
