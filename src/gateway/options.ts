import { type RetentionOptions, toRetention } from '../erasure/retention.ts'
import type { Gate } from '../gate/types.ts'
import type { Store } from '../ports/store.ts'
import type { Streams } from '../ports/streams.ts'
import { requireStore } from '../protocol/checks/check-options.ts'
import { isDuration, LONGEST_SECONDS } from '../protocol/checks/durations.ts'
import { requireKnown } from '../protocol/checks/known-options.ts'
import { InputInvalid } from '../protocol/errors/errors.ts'
import type { AgentDefinition } from '../runtime/definition/definition.ts'
import { toWebhookSettings, type WebhookOptions, type WebhookSettings } from '../webhooks/options.ts'
import type { Auth } from './auth/auth.ts'
import { isTenant } from './auth/claims.ts'
import type { Logger } from './log.ts'
import type { WriteLimit } from './write-limiter.ts'

/** Options of a gateway. */
export interface GatewayOptions {
  /** The message streams to applications. Without them there is no `/hil`. */
  streams?: Streams
  /** Authenticates callers. */
  auth: Auth
  /** The store in which requests are listed and decided. Without it there is no `/v1`, and on streams only bare interrupts can be answered. */
  store?: Store
  /** The agents whose edited calls can be previewed here. Deciding needs none. */
  agents?: readonly AgentDefinition[]
  /**
   * Makes the gate for agents that run elsewhere, such as coding agents behind `holdpoint gate --gateway`: `({ tenant, source }) => createGate({ store, policy,
   * tenant, source })`. They call it with credentials of the role `agent`, which can open requests and decide none. Default: none.
   */
  gate?: (host: { readonly tenant: string; readonly source: string }) => Gate
  /** The live objects that previews of edits get as `deps`. */
  deps?: unknown
  /** How long a decision of `/v1` can be withdrawn, unless it says otherwise. Default 10. */
  undoSeconds?: number
  /** Rate limit on the previews of one caller. Default `{ burst: 10, perSecond: 1 }`. */
  previewLimit?: { burst?: number; perSecond?: number }
  /** Roles that may read and answer all sessions of their tenant. Default `['operator', 'admin']`. */
  actForTenant?: readonly string[]
  /** Prefix of every path, such as `/api`. Default none. */
  basePath?: string
  /** The longest body and WebSocket message. Default 1 MiB. */
  maxBodyBytes?: number
  /** How long a body may take to arrive. Default 10. */
  bodyTimeoutSeconds?: number
  /** The longest a poll waits, whatever it asks for. Default 60. */
  maxPollSeconds?: number
  /** How many polls and live connections one caller may have waiting. Default 100. */
  maxWaitsPerCaller?: number
  /** How many all callers together may have waiting. Default 50,000. */
  maxWaits?: number
  /** Rate limit on the answers of one caller. Default `{ burst: 200, perSecond: 50 }`. */
  writeLimit?: { burst?: number; perSecond?: number }
  /** How many sessions one inbox reads, newest first. Default 100, at most 250: all their positions travel in one header. */
  maxInboxSessions?: number
  /** How often an idle event stream sends a heartbeat. Default 15. */
  heartbeatSeconds?: number
  /** Other origins whose pages may call, with a bearer token. Default none. */
  cors?: { origins: readonly string[] }
  /**
   * The origins under which browsers reach this gateway, such as `https://inbox.example.com`. A request with another `Host` is refused, and cookies count
   * only for pages of these. Default: this machine's names and the address that `serve` listens on.
   */
  origins?: readonly string[]
  /** Serves the inbox, the page where people decide, at the base path. Default false. */
  inbox?: boolean
  /** The header in which a proxy in front passes on the caller's address, such as `x-forwarded-for`. Its last entry counts. Default: the connection's. */
  addressHeader?: string
  websocket?: WebSocketOptions
  /** A bearer token for `/metrics`. Default none. */
  metricsToken?: string
  /** The tenant that runs this gateway: its operators and admins may read `/metrics`, which is of all tenants. Default none. */
  operatorTenant?: string
  /** How webhooks are sent while the gateway is served. `false`: other gateways of the store send them. */
  webhooks?: WebhookOptions | false
  /** Erases threads that are over and too old, while the gateway is served. Default: they are kept. */
  retention?: RetentionOptions
  /** Default: no logs. */
  logger?: Logger
}

/** How the (deprecated) WebSocket behaves. */
export interface WebSocketOptions {
  /** When an unacknowledged message is sent again. Default 5. */
  resendSeconds?: number
  /** How long a connection may take to authenticate. Default 10. */
  initTimeoutSeconds?: number
  /** The interval of pings. A connection that has not answered by the next ping is closed. Default 30. */
  pingSeconds?: number
}

/** The options with all defaults filled in. */
export interface Settings {
  readonly actForTenant: readonly string[]
  readonly basePath: string
  readonly maxBodyBytes: number
  readonly bodyTimeoutMs: number
  readonly maxPollSeconds: number
  readonly maxWaitsPerCaller: number
  readonly maxWaits: number
  readonly agents: readonly AgentDefinition[]
  readonly undoSeconds: number
  readonly writeLimit: WriteLimit
  readonly previewLimit: WriteLimit
  readonly maxInboxSessions: number
  readonly heartbeatMs: number
  /** Other origins whose pages may call, with a bearer token. */
  readonly corsOrigins: readonly string[]
  /** Origins of this gateway itself. */
  readonly origins: readonly string[]
  readonly inbox: boolean
  readonly addressHeader: string | undefined
  readonly resendMs: number
  readonly initTimeoutMs: number
  readonly pingMs: number
  readonly metricsToken: string | undefined
  readonly operatorTenant: string | undefined
  readonly webhooks: WebhookSettings
  readonly sendsWebhooks: boolean
  readonly retentionMs: number | undefined
}

const KNOWN = [
  ...['streams', 'auth', 'store', 'actForTenant', 'basePath', 'cors', 'websocket', 'logger'],
  ...['writeLimit', 'previewLimit', 'maxInboxSessions', 'agents', 'deps', 'undoSeconds', 'gate'],
  ...['origins', 'inbox', 'addressHeader', 'metricsToken', 'operatorTenant', 'webhooks', 'retention'],
  ...['maxBodyBytes', 'bodyTimeoutSeconds', 'maxPollSeconds', 'maxWaitsPerCaller', 'maxWaits', 'heartbeatSeconds'],
]
const KNOWN_WEBSOCKET = ['resendSeconds', 'initTimeoutSeconds', 'pingSeconds']
const MAX_SECONDS = 86_400
/** Each takes about 60 characters, and Node accepts headers of 16 KiB. */
const MAX_INBOX_SESSIONS = 250

/** Checks the options and fills in defaults. */
export function toSettings(options: GatewayOptions): Settings {
  requireKnown('createGateway', options, KNOWN)
  if (options.gate !== undefined && (typeof options.gate !== 'function' || !options.store))
    throw new InputInvalid('gate must be a function that returns a gate, and needs a store.')
  const { cors, websocket = {}, actForTenant = ['operator', 'admin'] } = options
  requireKnown('websocket', websocket, KNOWN_WEBSOCKET)
  requireKnown('cors', cors ?? {}, ['origins'])
  if (options.streams === undefined && options.store === undefined)
    throw new InputInvalid('createGateway needs streams, store or both.')
  if (options.streams !== undefined && typeof options.streams?.read !== 'function')
    throw new InputInvalid('createGateway needs streams such as memoryStreams().')
  if (options.store !== undefined) requireStore('createGateway', options.store)
  if (typeof options.auth?.authenticate !== 'function')
    throw new InputInvalid('createGateway needs auth, for example jwtAuth({ secret, issuer, audience }).')
  return {
    actForTenant: toStrings('actForTenant', actForTenant),
    basePath: toBasePath(options.basePath ?? ''),
    maxBodyBytes: toCount('maxBodyBytes', options.maxBodyBytes, 1_048_576),
    bodyTimeoutMs: toMs('bodyTimeoutSeconds', options.bodyTimeoutSeconds, 10),
    maxPollSeconds: toMs('maxPollSeconds', options.maxPollSeconds, 60) / 1000,
    maxWaitsPerCaller: toCount('maxWaitsPerCaller', options.maxWaitsPerCaller, 100),
    maxWaits: toCount('maxWaits', options.maxWaits, 50_000),
    agents: toAgents(options.agents ?? []),
    undoSeconds: toUndo(options.undoSeconds ?? 10),
    writeLimit: toLimit('writeLimit', options.writeLimit, { burst: 200, perSecond: 50 }),
    previewLimit: toLimit('previewLimit', options.previewLimit, { burst: 10, perSecond: 1 }),
    maxInboxSessions: toInboxSessions(options.maxInboxSessions),
    heartbeatMs: toMs('heartbeatSeconds', options.heartbeatSeconds, 15),
    corsOrigins: cors ? toStrings('cors.origins', cors.origins) : [],
    origins: toStrings('origins', options.origins ?? []),
    inbox: toFlag('inbox', options.inbox),
    addressHeader: options.addressHeader === undefined ? undefined : toHeaderName(options.addressHeader),
    resendMs: toMs('websocket.resendSeconds', websocket.resendSeconds, 5),
    initTimeoutMs: toMs('websocket.initTimeoutSeconds', websocket.initTimeoutSeconds, 10),
    pingMs: toMs('websocket.pingSeconds', websocket.pingSeconds, 30),
    metricsToken: toMetricsToken(options.metricsToken),
    operatorTenant: toTenant('operatorTenant', options.operatorTenant),
    webhooks: toWebhookSettings(options.webhooks || {}),
    sendsWebhooks: options.webhooks !== false,
    retentionMs: toRetention(options.retention),
  }
}

function toTenant(name: string, given: unknown): string | undefined {
  if (given === undefined || (typeof given === 'string' && isTenant(given))) return given
  throw new InputInvalid(`${name} must be the name of a tenant.`)
}

const SHORTEST_TOKEN = 16

function toMetricsToken(given: unknown): string | undefined {
  if (given === undefined) return undefined
  if (typeof given !== 'string' || given.length < SHORTEST_TOKEN)
    throw new InputInvalid(`metricsToken must be a string of ${SHORTEST_TOKEN} characters or more.`)
  return given
}

function toMs(name: string, seconds: unknown, usual: number): number {
  const given = seconds ?? usual
  if (typeof given !== 'number' || !(given > 0 && given <= MAX_SECONDS))
    throw new InputInvalid(`${name} must be a number of seconds above 0 and up to ${MAX_SECONDS}.`)
  return given * 1000
}

function toCount(name: string, count: unknown, usual: number): number {
  const given = count ?? usual
  if (!Number.isSafeInteger(given) || (given as number) < 1)
    throw new InputInvalid(`${name} must be an integer, 1 or more.`)
  return given as number
}

function toLimit(name: string, given: Partial<WriteLimit> = {}, usual: WriteLimit): WriteLimit {
  requireKnown(name, given, ['burst', 'perSecond'])
  return {
    burst: toCount(`${name}.burst`, given.burst, usual.burst),
    perSecond: toCount(`${name}.perSecond`, given.perSecond, usual.perSecond),
  }
}

function toUndo(seconds: unknown): number {
  if (isDuration(seconds)) return seconds
  throw new InputInvalid(`undoSeconds must be a number of seconds from 0 to ${LONGEST_SECONDS}.`)
}

function toAgents(given: unknown): readonly AgentDefinition[] {
  if (!Array.isArray(given) || !given.every((each) => typeof each?.findTool === 'function'))
    throw new InputInvalid('agents must be an array of agents.')
  const names = given.map(({ id, version }: AgentDefinition) => JSON.stringify([id, version]))
  if (new Set(names).size < names.length) throw new InputInvalid('agents has two agents with the same id and version.')
  return [...given]
}

function toInboxSessions(count: unknown): number {
  const given = toCount('maxInboxSessions', count, 100)
  if (given > MAX_INBOX_SESSIONS)
    throw new InputInvalid(
      `maxInboxSessions must be at most ${MAX_INBOX_SESSIONS}: the position of each travels in the Last-Event-ID header.`,
    )
  return given
}

function toStrings(name: string, given: unknown): readonly string[] {
  if (!Array.isArray(given) || !given.every((each) => typeof each === 'string'))
    throw new InputInvalid(`${name} must be an array of strings.`)
  return [...given]
}

function toFlag(name: string, given: unknown): boolean {
  if (given !== undefined && typeof given !== 'boolean') throw new InputInvalid(`${name} must be true or false.`)
  return given === true
}

function toHeaderName(given: unknown): string {
  if (typeof given !== 'string' || !/^[A-Za-z0-9-]+$/.test(given))
    throw new InputInvalid('addressHeader must be the name of a header, such as "x-forwarded-for".')
  return given.toLowerCase()
}

function toBasePath(given: unknown): string {
  if (typeof given !== 'string' || !/^(\/[A-Za-z0-9._~-]+)*\/?$/.test(given))
    throw new InputInvalid('basePath must be a path such as "/api".')
  return given.replace(/\/$/, '')
}
