/** Names a thread of any tenant in one string, unambiguous whatever characters either id has. */
export function threadKey(tenant: string, threadId: string): string {
  return `${tenant.length}:${tenant}${threadId}`
}

/** What {@link threadKey} was made from. */
export function parseThreadKey(key: string): { tenant: string; threadId: string } {
  const colon = key.indexOf(':')
  const end = colon + 1 + Number(key.slice(0, colon))
  return { tenant: key.slice(colon + 1, end), threadId: key.slice(end) }
}
