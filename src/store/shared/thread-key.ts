/** One string for a thread of a tenant, unambiguous for any characters in either id. */
export function threadKey(tenant: string, threadId: string): string {
  return `${tenant.length}:${tenant}${threadId}`
}

/** The inverse of {@link threadKey}. */
export function parseThreadKey(key: string): { tenant: string; threadId: string } {
  const colon = key.indexOf(':')
  const end = colon + 1 + Number(key.slice(0, colon))
  return { tenant: key.slice(colon + 1, end), threadId: key.slice(end) }
}
