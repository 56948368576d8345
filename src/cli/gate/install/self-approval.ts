import { accessSync, constants } from 'node:fs'
import type { GatePlace } from '../open-gate.ts'

/** What is known of this user, who is the agent's. */
export interface AgentUser {
  /** Stores of gateways that this user may write. */
  readonly stores: readonly string[]
  /** HOLDPOINT_JWT_SECRET is set: whoever knows it can make any token. */
  readonly hasSecret: boolean
  /** The answer of the gateway to the question who the token is. `undefined`: it was not asked, or did not answer. */
  readonly tokenDecides: boolean | undefined
  /** The policy file can be written. */
  readonly writesPolicy: boolean
}

/** How an agent that runs as this user could approve its own calls. Nothing: no way is known. */
export function selfApprovals(place: GatePlace, user: AgentUser): string[] {
  if (place.at === 'store') {
    const policy = `This user can write the policy (${place.policy}): an agent that changes it decides what is asked about. Let another user own it, and its folder.`
    return [...atStore(place), ...(user.writesPolicy ? [policy] : [])]
  }
  const found: string[] = []
  if (user.tokenDecides === true)
    found.push('The token may read and decide requests. Use one with the role agent: holdpoint token --role agent.')
  if (user.tokenDecides === undefined)
    found.push(
      'The gateway did not answer, so it is not known whether the token may decide. It must have the role agent.',
    )
  if (user.hasSecret)
    found.push(
      'HOLDPOINT_JWT_SECRET is set here: an agent that reads it can make a token that may decide. Keep it with the gateway.',
    )
  for (const store of user.stores)
    found.push(
      `This user can write ${store}, the store of a gateway. If it is the one of this gateway, run that as another user or on another machine.`,
    )
  return found
}

function atStore({ via, store }: Extract<GatePlace, { at: 'store' }>): string[] {
  const direct = `The agent's user can write the store (${store.shown}): a program that writes to it directly can record any decision. Only a gateway that another user runs prevents that: --gateway URL.`
  if (via === undefined || via.some((door) => door === 'cli' || door === 'api'))
    return [
      'An agent with a shell can approve its own calls with holdpoint approve. Leave --via any out, or use --gateway URL.',
      direct,
    ]
  if (via.includes('link'))
    return [
      'An agent with a shell can sign in with holdpoint link and approve its own calls. Leave --via link out, or use --gateway URL.',
      direct,
    ]
  return [direct]
}

/** Whether this user can write a file. */
export function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    // It does not exist, or is somebody else's.
    return false
  }
}
