import { listsOf, maySee } from '../../../core/access.ts'
import { toFacts } from '../../../desk/find.ts'
import type { StoredRequest } from '../../../ports/store-lists.ts'
import { isWellFormed } from '../../../protocol/json/json.ts'
import type { Result } from '../../refusal.ts'
import type { ApiCall } from '../api-route.ts'
import { NOT_FOUND, ok } from '../refusals.ts'
import type { KnownRequest } from '../views/request-item.ts'

const LONGEST_ID = 200

/** Whether a string can be an id at all. Databases refuse others. */
export function isId(id: string): boolean {
  return id !== '' && id.length <= LONGEST_ID && isWellFormed(id) && !id.includes('\0')
}

/** A request by its id, if the caller may see it. */
export async function visibleRequest(call: ApiCall, id: string): Promise<Result<KnownRequest>> {
  const stored = isId(id) ? await call.store.getRequest(id) : undefined
  const known = stored && asSeen(call, stored)
  return known ? ok(known) : NOT_FOUND
}

/** A stored request, if the caller may see it. */
export function asSeen({ store, caller }: ApiCall, stored: StoredRequest): KnownRequest | undefined {
  const facts = toFacts(stored, store.tenantId)
  return maySee(caller, listsOf(facts.opened)) ? { stored, facts } : undefined
}
