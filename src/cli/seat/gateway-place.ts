import { createInboxClient, type InboxClient } from '../../client.ts'
import type { Call } from '../command-line/command.ts'
import { UsageError } from '../command-line/errors.ts'
import { shellOption } from '../store/store-place.ts'

/** Options that only a store takes. At a gateway the token says who somebody is, and in which tenant. */
const OF_STORES = ['store', 'schema', 'tenant', 'audit-key-file', 'as', 'group']

/** A gateway, and how to name it on a command line. */
export interface GatewayPlace {
  readonly client: InboxClient
  readonly url: string
  /** The option that makes other commands find it; empty if they do anyway. Never the token. */
  readonly option: string
}

/** The gateway of `--url` or HOLDPOINT_URL. `undefined`: a store is meant; `--store` rules HOLDPOINT_URL out. */
export function gatewayOf(call: Call): GatewayPlace | undefined {
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
  return { client: createInboxClient({ url, token }), url, option: named === undefined ? '' : shellOption('url', url) }
}

function checkAddress(url: string): void {
  const { protocol, username, password } = URL.canParse(url)
    ? new URL(url)
    : { protocol: '', username: '', password: '' }
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new UsageError('--url must be the address of a gateway, such as https://approvals.example.com')
  if (username !== '' || password !== '') throw new UsageError('--url must not have a password: use --token')
}
