import { type Result, refuse } from '../refusal.ts'
import type { ApiCall } from './api-route.ts'
import { ok } from './refusals.ts'

/** The cursors of one list, for one call. A cursor of the store may name what the caller may not see, so it is encrypted. */
export interface Cursors {
  /** The store's cursor that a caller brings, in this parameter (`cursor`); refuses one that was not made for this list of the tenant. */
  open(cursor: string | undefined, parameter?: string): Result<{ cursor?: string }>
  /** The cursor of the next page, as the caller gets it. */
  seal(next: string | undefined): { next?: string }
}

/** The cursors of a list. All gateways of a store read them. `name` is what answers call them. */
export async function cursorsOf({ parts: { hub }, caller }: ApiCall, list: string, name = 'next'): Promise<Cursors> {
  if (!hub) throw new Error('a gateway without a store has no lists')
  const ids = await hub.ids()
  // No tenant has U+0000 in its name, so no id of an event is a cursor.
  const scope = `${list}\0${caller.tenant}`
  return {
    open(cursor, parameter = 'cursor') {
      if (cursor === undefined) return ok({})
      const opened = ids.open(scope, cursor)
      return opened === undefined
        ? refuse(400, `${parameter}: not the \`${name}\` of a page of this list.`)
        : ok({ cursor: opened })
    },
    seal: (next) => (next === undefined ? {} : { next: ids.seal(scope, next) }),
  }
}
