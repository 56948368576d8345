import type { GrantChange } from '../../ports/store.ts'
import type { GrantPage, GrantQuery, StoredGrant } from '../../ports/store-lists.ts'
import { type GrantHead, placesOf, statusOf } from '../shared/grants.ts'
import { pageLimit } from '../shared/page.ts'
import { addGrant, type MemoryGrant, type MemoryTenant, type MemoryThread } from './data.ts'
import { entryAt } from './read.ts'

/** Applies changes that passed their guards. `before` is the thread's version before the append, `heads` the grants after it. */
export function applyGrants(
  tenant: MemoryTenant,
  { thread, before, now }: { thread: MemoryThread; before: number; now: number },
  changes: readonly GrantChange[],
  heads: ReadonlyMap<string, GrantHead<MemoryThread | undefined>>,
): void {
  for (const change of changes) {
    const id = change.op === 'create' ? change.row.id : change.id
    // A thread that this append creates did not exist yet when its grants were judged.
    const head = { ...heads.get(id)!, thread: tenant.grants.get(id)?.thread ?? thread }
    if (change.op === 'create') {
      addGrant(tenant, { row: { ...change.row }, thread, created: before + 1 + change.entry, revokedBy: null, head })
    } else {
      const grant = tenant.grants.get(id)!
      grant.head = head
      if (change.op === 'revoke') grant.revokedBy = before + 1 + change.entry
    }
    if (change.op === 'spend') continue
    const what = change.op === 'create' ? 'created' : 'revoked'
    const place = { tenantId: tenant.id, threadId: thread.id }
    tenant.outbox.rows.push({ ...place, subject: 'grant', id, what, version: 0, at: now })
  }
}

/** A page of grants from the highest id down. The cursor is the last id of the page before. */
export function findGrants(tenant: MemoryTenant, query: GrantQuery, now: number): GrantPage {
  const limit = pageLimit(query.limit)
  if (tenant.grants.size === 0) return { grants: [] }
  const found = candidates(tenant, query)
    .filter((grant) => matches(grant, query, now))
    .sort((a, b) => (a.row.id < b.row.id ? 1 : -1))
    .slice(0, limit + 1)
  const grants = found.slice(0, limit).map((grant) => toStored(grant, now))
  return found.length > limit ? { grants, next: grants.at(-1)!.id } : { grants }
}

function candidates(tenant: MemoryTenant, { id, reach }: GrantQuery): MemoryGrant[] {
  if (reach) return placesOf(reach).flatMap((place) => tenant.places.get(place) ?? [])
  if (id === undefined) return [...tenant.grants.values()]
  const grant = tenant.grants.get(id)
  return grant ? [grant] : []
}

function matches({ row, thread, head }: MemoryGrant, query: GrantQuery, now: number): boolean {
  return (
    (query.id === undefined || query.id === row.id) &&
    (query.cursor === undefined || row.id < query.cursor) &&
    (query.status === 'all' || statusOf(head, now) === 'active') &&
    (query.threadId === undefined || query.threadId === thread.id) &&
    (query.agent === undefined || query.agent === row.agent) &&
    (query.tool === undefined || query.tool === row.tool) &&
    (query.reach === undefined || query.reach.tools.includes(row.tool))
  )
}

function toStored({ row, thread, head, created, revokedBy }: MemoryGrant, now: number): StoredGrant {
  const { uses, used, cap, spent, expiresAt } = head
  return {
    id: row.id,
    threadId: thread.id,
    status: statusOf(head, now),
    uses,
    used,
    cap,
    spent,
    expiresAt,
    created: entryAt(thread, created),
    revoked: revokedBy === null ? null : entryAt(thread, revokedBy),
  }
}
