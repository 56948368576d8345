/** Where the count of open requests stops. */
export const MOST_QUEUED = 10_000
