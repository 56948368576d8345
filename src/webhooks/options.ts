import { lookup as systemLookup } from 'node:dns/promises'
import { requireKnown } from '../protocol/checks/known-options.ts'
import { InputInvalid } from '../protocol/errors/errors.ts'
import { type Networks, toNetworks } from './targets/networks.ts'

/** Options of webhooks. */
export interface WebhookOptions {
  /** Networks besides the public Internet that may be told, such as `['10.1.0.0/16']`. Plain http and any port are allowed there. Default none. */
  allowNetworks?: readonly string[]
  /** Sends the headline of a call too, if its tool declares one. It contains arguments. Default `false`. */
  titles?: boolean
  /** The address of the inbox, for links to requests. Default: no links. */
  inboxUrl?: string
  /** How long a target may take to answer. Default 10. */
  timeoutSeconds?: number
  /** Resolves host names. Default: the system's resolver. */
  lookup?: (hostname: string) => Promise<readonly { address: string; family: number }[]>
}

/** The options with all defaults filled in. */
export interface WebhookSettings {
  readonly networks: Networks
  readonly titles: boolean
  readonly inboxUrl: string | undefined
  readonly timeoutMs: number
  readonly lookup: NonNullable<WebhookOptions['lookup']>
}

const MOST_SECONDS = 30

/** Checks the options and fills in defaults. */
export function toWebhookSettings(options: WebhookOptions = {}): WebhookSettings {
  requireKnown('webhooks', options, ['allowNetworks', 'titles', 'inboxUrl', 'timeoutSeconds', 'lookup'])
  const { allowNetworks = [], titles = false, inboxUrl, timeoutSeconds = 10, lookup } = options
  if (!Array.isArray(allowNetworks)) throw new InputInvalid('webhooks.allowNetworks must be an array of networks.')
  if (typeof titles !== 'boolean') throw new InputInvalid('webhooks.titles must be true or false.')
  if (inboxUrl !== undefined && !URL.canParse(inboxUrl)) throw new InputInvalid('webhooks.inboxUrl must be a URL.')
  if (!(timeoutSeconds > 0 && timeoutSeconds <= MOST_SECONDS))
    throw new InputInvalid(`webhooks.timeoutSeconds must be above 0 and up to ${MOST_SECONDS}.`)
  return {
    networks: toNetworks(allowNetworks),
    titles,
    inboxUrl: inboxUrl?.replace(/\/$/, ''),
    timeoutMs: timeoutSeconds * 1000,
    lookup: lookup ?? ((hostname) => systemLookup(hostname, { all: true })),
  }
}
