import { projectGrants } from '../core/grants.ts'
import { type StandingGrant, toStandingGrant } from '../core/views/grant-view.ts'
import type { RecordChange } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import type { GrantQuery, StoredGrant } from '../ports/store-lists.ts'
import { requireKnown } from '../protocol/checks/known-options.ts'
import type { Actor } from '../protocol/decision.ts'
import type { Entry } from '../protocol/entries/entry.ts'
import { parseBody } from '../protocol/entries/versions.ts'
import { GrantNotFound, JournalInvalid } from '../protocol/errors/errors.ts'
import { commit } from './record/commit.ts'
import { parseActor, parseWords } from './record/on-record.ts'
import { requireRecords } from './record/records.ts'

/** The part of the store that lists and revokes grants. */
export type GrantStore = Pick<Store, 'append' | 'findGrants' | 'tenantId'>

/** Filters of a list of grants. Default: grants in force. */
export type GrantFilter = Pick<GrantQuery, 'status' | 'tool' | 'agent' | 'threadId' | 'limit' | 'cursor'>

const FILTER = ['status', 'tool', 'agent', 'threadId', 'limit', 'cursor']

/** A page of grants as people see them, newest first. */
export async function listGrants(
  store: GrantStore,
  filter: GrantFilter = {},
): Promise<{ grants: StandingGrant[]; next?: string }> {
  requireKnown('grants()', filter, FILTER)
  const page = await store.findGrants(filter)
  const grants = page.grants.map((stored) => toView(stored, store.tenantId))
  return page.next === undefined ? { grants } : { grants, next: page.next }
}

/** One grant by its id. */
export async function findGrant(store: GrantStore, id: string): Promise<StandingGrant> {
  const { grants } = await store.findGrants({ id, status: 'all', limit: 1 })
  if (!grants[0]) throw new GrantNotFound(id)
  return toView(grants[0], store.tenantId)
}

/** Revokes a grant: from then on it covers nothing. Revoking it again changes nothing and succeeds. */
export async function revokeGrant(
  store: GrantStore,
  id: string,
  options: { by: string | Actor; reason?: string; records?: readonly RecordChange[] },
): Promise<StandingGrant> {
  requireKnown('revoke()', options, ['by', 'reason', 'records'])
  const by = parseActor(options?.by)
  const reason = parseWords('reason', options.reason)
  return commit(`Grant ${id}`, async () => {
    const grant = await findGrant(store, id)
    if (grant.status === 'revoked') return { done: grant }
    const entry: Entry = { v: 1, type: 'grant.revoked', id, by, ...(reason === undefined ? {} : { reason }) }
    const { threadId } = grant
    const outcome = await store.append({
      threadId,
      entries: [JSON.stringify(entry)],
      grants: projectGrants([entry]),
      ...(options.records ? { records: options.records } : {}),
    })
    requireRecords(outcome)
    return undefined
  })
}

function toView(stored: StoredGrant, tenant: string): StandingGrant {
  const { threadId, status, created, expiresAt, used, spent, revoked } = stored
  const entry = parseBody(created.body, { threadId, seq: created.seq })
  if (entry.type !== 'grant.created') {
    throw new JournalInvalid({ threadId, seq: created.seq, problem: 'the grant index points at another entry' })
  }
  return toStandingGrant({
    tenant,
    threadId,
    status,
    grant: entry.grant,
    createdAt: created.at,
    expiresAt,
    used,
    spent,
    revoked: revoked ? { entry: parseBody(revoked.body, { threadId, seq: revoked.seq }), at: revoked.at } : undefined,
  })
}
