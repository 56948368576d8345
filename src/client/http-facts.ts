/** The message of a failed fetch. Node puts what matters, such as ECONNREFUSED, into the cause. */
export function fetchProblem(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } }
  const why = cause?.code ?? cause?.message
  return why ? `${String(error)} (${why})` : String(error)
}

/** `Retry-After` as a number of seconds or as a date. */
export function retryAfterMs(value: string | null): number {
  if (value === null) return 0
  const seconds = Number(value)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now()
  return ms > 0 ? ms : 0
}
