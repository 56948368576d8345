import { readersOf } from '../../core/access.ts'
import type { StoredRequest } from '../../ports/store-lists.ts'
import { figures, figuresQuery } from '../../protocol/api/records.ts'
import { apiRoute } from './api-route.ts'
import { readFigures } from './read-figures.ts'
import { ok } from './refusals.ts'
import { asSeen } from './requests/visible-request.ts'

/** Figures about the requests that the caller may see. */
export const figuresRoute = apiRoute({
  method: 'GET',
  path: '/v1/figures',
  summary: 'Figures of some days about the requests that the caller may see',
  query: figuresQuery,
  answer: figures,
  async handle(call) {
    const { days } = call.query
    // Callers with the same tenant and names see the same requests, so they share the figures.
    const readers = readersOf(call.caller)
    const key = JSON.stringify([call.caller.tenant, days, readers ?? null])
    const see = (stored: StoredRequest) => asSeen(call, stored)?.facts
    return ok(await call.parts.figures.get(key, () => readFigures(call.store, days, { readers, see })))
  },
})
