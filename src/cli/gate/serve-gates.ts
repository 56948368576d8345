import { createGate, type Gate } from '../../gate.ts'
import type { Store } from '../../index.ts'
import { messageOf } from '../../protocol/errors/errors.ts'
import type { GatePolicy } from './gate-policy.ts'
import { hostNames } from './hook.ts'

/** How often people are asked about calls that were handed over too long ago, from the end of one time to the next. */
const EVERY_MS = 10_000
/** How many gates are looked after. The names of hosts come from agents. */
const MOST = 1_000

/** The gates of a gateway. */
export interface ServedGates {
  gate(host: { tenant: string; source: string }): Gate
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>
}

/**
 * Makes the gates of a gateway, and asks people about calls without an end for as long as it is served, if the policy says so: an agent that has gone makes no
 * more calls that would. It begins with the hosts that are known, as a gateway that was started again has seen no agent yet.
 */
export function serveGates(
  { policies: policy, onHandedOver }: GatePolicy,
  {
    store,
    logger,
    everyMs = EVERY_MS,
  }: { store: Store; logger: { warn(fields: object, message: string): void }; everyMs?: number },
): ServedGates {
  const gates = new Map<string, Gate>()
  const gate: ServedGates['gate'] = ({ tenant, source }) => {
    const made = createGate({ store, policy, onHandedOver, tenant, source })
    const [oldest] = gates.keys()
    if (gates.size >= MOST && oldest !== undefined) gates.delete(oldest)
    gates.set(JSON.stringify([tenant, source]), made)
    return made
  }
  if (onHandedOver === 'record') return { gate, stop: () => Promise.resolve() }
  for (const source of hostNames) gate({ tenant: store.tenantId, source })
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const sweep = async (): Promise<void> => {
    for (const each of gates.values())
      await each.sweep().catch((error: unknown) => {
        logger.warn({ problem: messageOf(error) }, 'calls that were handed over could not be asked about')
      })
    if (!isStopped) timer = setTimeout(begin, everyMs).unref()
  }
  let working: Promise<void>
  const begin = (): void => {
    working = sweep()
  }
  begin()
  return {
    gate,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await working
    },
  }
}
