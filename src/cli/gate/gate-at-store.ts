import type { Call } from '../command-line/command.ts'
import { withNewStore } from '../store/open-store.ts'
import type { StorePlace } from '../store/store-place.ts'
import { loadGatePolicy } from './gate-policy.ts'
import type { HookGate, HostName } from './hook.ts'
import { storeGate } from './store-gate.ts'

/** A gate at a store, which judges by a policy file. */
export interface StoreGatePlace {
  readonly at: 'store'
  readonly store: StorePlace
  readonly policy: string
  readonly via: readonly string[] | undefined
}

/** Opens a store and its gate for the time of `work`. */
export async function withGateAtStore<T>(
  call: Call,
  { place, host }: { place: StoreGatePlace; host: HostName },
  work: (gate: HookGate) => Promise<T>,
): Promise<T> {
  const policy = await loadGatePolicy(call, place.policy)
  const { via } = place
  return withNewStore(place.store, (store) =>
    work(storeGate({ store, ...policy, source: host, principal: call.context.settings.user, via })),
  )
}
