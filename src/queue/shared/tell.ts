/** Tells a listener of an error. What it throws is ignored: it must not end a consumer. */
export function tell(onError: (error: unknown) => void, error: unknown): void {
  try {
    onError(error)
  } catch {
    // It had its chance.
  }
}
