import { createInboxClient } from '../../client.ts'
import type { Call } from '../command-line/command.ts'
import { UsageError } from '../command-line/errors.ts'
import { withStore } from '../store/open-store.ts'
import { shellOption, storePlace } from '../store/store-place.ts'
import { actorOf } from './actor.ts'
import { gatewaySeat } from './gateway-seat.ts'
import type { Seat } from './seat.ts'
import { storeSeat } from './store-seat.ts'

/** Options that only a store takes. At a gateway the token says who somebody is, and in which tenant. */
const OF_STORES = ['store', 'schema', 'tenant', 'audit-key-file', 'as', 'group']

/** Takes a seat for the time of `work`: at the gateway of `--url` or HOLDPOINT_URL, else at a store. `--store` rules HOLDPOINT_URL out. */
export async function withSeat<T>(
  call: Call,
  work: (seat: Seat) => Promise<T>,
  { writes = false }: { writes?: boolean } = {},
): Promise<T> {
  const at = gatewayOf(call)
  // Who decides must be known before the store is opened.
  if (!at && writes) actorOf(call)
  const by = () => actorOf(call)
  const { option, shown } = at ? { option: '', shown: '' } : storePlace(call)
  if (!at) return withStore(call, (store) => work(storeSeat(store, { by, option, place: shown })))
  return work(gatewaySeat(createInboxClient({ url: at.url, token: at.token }), { option: at.option, place: at.url }))
}

/** The gateway that the options and the environment name. */
export function gatewayOf(call: Call): { url: string; token: string; option: string } | undefined {
  const { settings } = call.context
  const named = call.text('url')
  const url = named ?? (call.text('store') === undefined ? settings.url : undefined)
  if (url === undefined) {
    if (call.text('token') !== undefined) throw new UsageError('--token needs --url: the gateway that accepts it')
    return undefined
  }
  const stray = OF_STORES.find((name) => call.text(name) !== undefined || call.texts(name).length > 0)
  if (stray !== undefined)
    throw new UsageError(`--${stray} is for a store; at a gateway the token says who you are and in which tenant`)
  const token = call.text('token') ?? settings.token
  if (token === undefined) throw new UsageError('a gateway needs a token: set HOLDPOINT_TOKEN, or give --token')
  checkAddress(url)
  return { url, token, option: named === undefined ? '' : shellOption('url', url) }
}

function checkAddress(url: string): void {
  const { protocol, username, password } = URL.canParse(url)
    ? new URL(url)
    : { protocol: '', username: '', password: '' }
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new UsageError('--url must be the address of a gateway, such as https://approvals.example.com')
  if (username !== '' || password !== '') throw new UsageError('--url must not have a password: use --token')
}
