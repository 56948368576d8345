import type { Call } from '../command-line/command.ts'
import { withStore } from '../store/open-store.ts'
import { storePlace } from '../store/store-place.ts'
import { actorOf } from './actor.ts'
import { gatewayOf } from './gateway-place.ts'
import { gatewaySeat } from './gateway-seat.ts'
import type { Seat } from './seat.ts'
import { storeSeat } from './store-seat.ts'

/** Takes a seat for the time of `work`: at the gateway of `--url` or HOLDPOINT_URL, else at a store. `--store` rules HOLDPOINT_URL out. */
export async function withSeat<T>(
  call: Call,
  work: (seat: Seat) => Promise<T>,
  { writes = false }: { writes?: boolean } = {},
): Promise<T> {
  const at = gatewayOf(call)
  if (at) return work(gatewaySeat(at.client, { option: at.option, place: at.url }))
  const by = () => actorOf(call)
  // Who decides must be known before the store is opened.
  if (writes) by()
  const { option, shown } = storePlace(call)
  return withStore(call, (store) => work(storeSeat(store, { by, option, place: shown })))
}
