import { isIP } from 'node:net'
import type { WebhookSettings } from '../options.ts'

const LONGEST = 2000
/** Ports below this belong to services that are not web servers. */
const FIRST_FREE_PORT = 1024
const HTTPS_ONLY = 'The URL must begin with https://. Plain http is only for networks that the operator has allowed.'

/** Why messages cannot be sent to a URL, or `undefined`. Host names are resolved only when a message is sent, and checked again each time. */
export function urlProblem(given: string, { networks }: WebhookSettings): string | undefined {
  if (given.length > LONGEST || !URL.canParse(given))
    return `The URL must be absolute and have up to ${LONGEST} characters.`
  const url = new URL(given)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return HTTPS_ONLY
  if (url.username !== '' || url.password !== '') return 'The URL must not contain a user name or a password.'
  if (url.hash !== '') return 'The URL must not have a fragment.'
  if (url.protocol === 'http:' && !networks.hasAllowed) return HTTPS_ONLY
  const host = hostOf(url)
  return isIP(host) === 0 ? undefined : addressProblem(url, host, networks)
}

/** Why an address that a URL leads to cannot be connected to, or `undefined`. */
export function addressProblem(url: URL, address: string, networks: WebhookSettings['networks']): string | undefined {
  if (networks.isAllowed(address)) return undefined
  if (!networks.isPublic(address))
    return 'The address is not on the public Internet, and the operator has not allowed its network.'
  if (url.protocol !== 'https:') return HTTPS_ONLY
  const port = Number(url.port || 443)
  if (port !== 443 && port < FIRST_FREE_PORT) return `Port ${port} is only for networks that the operator has allowed.`
  return undefined
}

/** The host of a URL, an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}
