import { GrantNotFound } from '../../protocol/errors/errors.ts'
import { CliError } from '../command-line/errors.ts'
import type { Seat, SeatGrant } from './seat.ts'

const SHORTEST = 4

/** Finds the grant with this id. A part of the id is enough (its beginning or its end) if only one grant in force matches. */
export async function findGrantByShortId(seat: Seat, id: string): Promise<SeatGrant> {
  const exact = await seat.grant(id).catch((error: unknown) => {
    if (error instanceof GrantNotFound) return undefined
    throw error
  })
  if (exact) return exact
  if (id.length < SHORTEST) {
    throw new CliError('id_too_short', `'${id}' is too short for an id: give at least ${SHORTEST} characters of it.`)
  }
  const wanted = id.toLowerCase()
  const found: SeatGrant[] = []
  let cursor: string | undefined
  do {
    const page = await seat.grants({ status: 'active', ...(cursor === undefined ? {} : { cursor }) })
    found.push(...page.grants.filter((grant) => grant.id.startsWith(wanted) || grant.id.endsWith(wanted)))
    cursor = page.next
  } while (cursor !== undefined)
  const [grant, ...others] = found
  if (!grant) throw new GrantNotFound(id)
  if (others.length === 0) return grant
  const candidates = found.slice(0, 10).map((each) => `${each.id} (${each.toolName})`)
  throw new CliError('id_ambiguous', `'${id}' fits ${found.length} grants: ${candidates.join(', ')}.`)
}
