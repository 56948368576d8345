import { HitlNoPendingRequest } from '../../index.ts'
import { CliError } from '../command-line/errors.ts'
import type { Seat, SeatRequest } from './seat.ts'

const SHORTEST = 4
const PAGE = 200
/** Open requests are few. Settled ones add up for ever, so only the newest are searched. */
const PAGES = { open: Number.POSITIVE_INFINITY, decided: 50 }

/**
 * Finds the request with this id. A part of the id is enough (its beginning or its end) if only one request matches. Requests in the status that
 * the command is about are searched first, all others only if none of those matches: an answer that comes too late must be able to say who
 * was faster.
 */
export async function findByShortId(seat: Seat, id: string, status: 'open' | 'decided' = 'open'): Promise<SeatRequest> {
  const exact = await seat.get(id).catch((error: unknown) => {
    if (error instanceof HitlNoPendingRequest) return undefined
    throw error
  })
  if (exact) return exact
  if (id.length < SHORTEST) {
    throw new CliError('id_too_short', `'${id}' is too short for an id: give at least ${SHORTEST} characters of it.`)
  }
  const first = await matching(seat, id, { status, pages: PAGES[status] })
  const found = first.length > 0 ? first : await matching(seat, id, { pages: PAGES.decided })
  const [request, ...others] = found
  if (!request) throw new HitlNoPendingRequest(id)
  if (others.length === 0) return request
  const candidates = found.slice(0, 10).map((each) => `${each.id} (${each.toolName ?? each.kind})`)
  const more = found.length > candidates.length ? ` and ${found.length - candidates.length} more` : ''
  throw new CliError('id_ambiguous', `'${id}' fits ${found.length} requests: ${candidates.join(', ')}${more}.`)
}

async function matching(
  seat: Seat,
  part: string,
  { status, pages }: { status?: 'open' | 'decided'; pages: number },
): Promise<SeatRequest[]> {
  const wanted = part.toLowerCase()
  const found: SeatRequest[] = []
  let cursor: string | undefined
  for (let page = 0; page < pages; page++) {
    const { requests, next } = await seat.list({
      limit: PAGE,
      ...(status === undefined ? {} : { status }),
      ...(cursor === undefined ? {} : { cursor }),
    })
    found.push(...requests.filter(({ id }) => id.startsWith(wanted) || id.endsWith(wanted)))
    if (next === undefined) break
    cursor = next
  }
  return found
}
