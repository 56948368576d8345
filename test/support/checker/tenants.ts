import type { Story } from './check.ts'
import type { Evidence } from './evidence.ts'

/** Nobody decides in another tenant, and no standing decision of another tenant counts. */
export function checkTenant(stories: readonly Story[], { people }: Evidence): string[] {
  const grants = new Set(
    stories.flatMap(({ entries }) =>
      entries.flatMap(({ entry }) => (entry.type === 'grant.created' ? [entry.grant.id] : [])),
    ),
  )
  return stories.flatMap(({ threadId, entries }) =>
    entries.flatMap(({ entry }) => {
      if (entry.type === 'call.released' && entry.by.kind === 'grant' && !grants.has(entry.by.id))
        return [`tenants are apart: ${entry.call} of ${threadId} was released by grant ${entry.by.id} of another`]
      if (entry.type !== 'request.decided' && entry.type !== 'request.answered') return []
      const { by } = entry
      if (by.kind !== 'person' || !people || people.includes(by.id)) return []
      return [`tenants are apart: ${entry.id} of ${threadId} was decided by ${by.id}`]
    }),
  )
}
