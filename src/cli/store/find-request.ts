import type { Desk, HitlRequest } from '../../index.ts'
import { HitlNoPendingRequest } from '../../index.ts'
import { CliError } from '../command-line/errors.ts'

const SHORTEST = 4
const PAGE = 500
const SETTLED_PAGES = 20

/**
 * Finds the request that an id names: the whole of it, or its beginning or end if that is clear among the open ones. Only when no open
 * request fits are settled ones looked at, so that an answer that comes too late is told who was faster.
 */
export async function findByShortId(desk: Desk, id: string): Promise<HitlRequest> {
  const exact = await desk.get(id).catch((error: unknown) => {
    if (error instanceof HitlNoPendingRequest) return undefined
    throw error
  })
  if (exact) return exact
  if (id.length < SHORTEST) {
    throw new CliError('id_too_short', `'${id}' is too short for an id: give at least ${SHORTEST} characters of it.`)
  }
  const open = await matching(desk, id, { status: 'open', pages: Number.POSITIVE_INFINITY })
  const found = open.length > 0 ? open : await matching(desk, id, { pages: SETTLED_PAGES })
  const [request, ...others] = found
  if (!request) throw new HitlNoPendingRequest(id)
  if (others.length === 0) return request
  const candidates = found.slice(0, 10).map((each) => `${each.id} (${each.toolName ?? each.kind})`)
  const more = found.length > candidates.length ? ` and ${found.length - candidates.length} more` : ''
  throw new CliError('id_ambiguous', `'${id}' fits ${found.length} requests: ${candidates.join(', ')}${more}.`)
}

async function matching(
  desk: Desk,
  part: string,
  { status, pages }: { status?: 'open'; pages: number },
): Promise<HitlRequest[]> {
  const wanted = part.toLowerCase()
  const found: HitlRequest[] = []
  let cursor: string | undefined
  for (let page = 0; page < pages; page++) {
    const { requests, next } = await desk.list({
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
