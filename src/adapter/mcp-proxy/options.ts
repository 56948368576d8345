import { isDuration } from '../../protocol/checks/durations.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { checkWait, type Wait } from './call/wait-ladder.ts'
import type { RoomLimits } from './room/rooms.ts'
import type { McpProxyOptions } from './types.ts'
import { checkServer } from './upstream/server-options.ts'

const WHAT = 'createMcpProxy()'
const KNOWN: readonly (keyof McpProxyOptions)[] = [
  ...(['gate', 'servers', 'pins', 'wait', 'auth', 'origins', 'onWarning'] as const),
  ...(['idleSeconds', 'maxPrincipals'] as const),
]
const GATE = ['judge', 'state', 'wait', 'execute', 'decide'] as const

/** Checks the options of a proxy. Throws `InputInvalid` or `McpServerInvalid`. */
export function checkProxyOptions(options: McpProxyOptions): { wait: Wait; limits: RoomLimits } {
  requireKnown(WHAT, options ?? {}, KNOWN)
  const { gate, servers, pins, wait = {} } = options ?? {}
  if (GATE.some((method) => typeof gate?.[method] !== 'function'))
    throw new InputInvalid(`${WHAT} needs a gate: see createGate().`)
  if (typeof servers !== 'object' || servers === null || Object.keys(servers).length === 0)
    throw new InputInvalid(`${WHAT} needs servers.`)
  for (const [name, server] of Object.entries(servers)) checkServer(name, server)
  if (pins !== undefined && (typeof pins !== 'string' || pins === ''))
    throw new InputInvalid(`pins of ${WHAT} must be the path of a file.`)
  return { wait: checkWait(wait), limits: checkLimits(options) }
}

function checkLimits({ idleSeconds = 900, maxPrincipals = 100 }: McpProxyOptions): RoomLimits {
  if (!isDuration(idleSeconds) || idleSeconds === 0)
    throw new InputInvalid(`idleSeconds of ${WHAT} must be a positive number of seconds.`)
  if (!Number.isSafeInteger(maxPrincipals) || maxPrincipals < 1)
    throw new InputInvalid(`maxPrincipals of ${WHAT} must be a positive integer.`)
  return { idleSeconds, maxPrincipals }
}
