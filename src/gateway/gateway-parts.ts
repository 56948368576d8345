import { randomUUID } from 'node:crypto'
import type { Desk } from '../desk/desk.ts'
import { openDesk } from '../desk/open-desk.ts'
import type { Gate } from '../gate/types.ts'
import { QueueGauges } from '../metrics/queue-gauges.ts'
import { MOST_READY, ReadyGauges } from '../metrics/ready-gauges.ts'
import { AppendCounters } from '../metrics/watch-appends.ts'
import type { RecordStore } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import type { Streams } from '../ports/streams.ts'
import type { Figures } from '../protocol/api/records.ts'
import { InputInvalid } from '../protocol/errors/errors.ts'
import type { Auth } from './auth/auth.ts'
import { isTenant } from './auth/claims.ts'
import { pingStore } from './backend-check.ts'
import { Deadlines } from './http/deadlines.ts'
import { Hub } from './live/hub.ts'
import { type Logger, repeatedErrors } from './log.ts'
import { Metrics, type StoreMetrics } from './metrics/metrics.ts'
import { type GatewayOptions, type Settings, toSettings } from './options.ts'
import { Recent } from './recent.ts'
import { OwnOrigins } from './sign-in/own-origins.ts'
import { SessionReads } from './sign-in/session-reads.ts'
import { SignInLimiter } from './sign-in/sign-in-limiter.ts'
import { WaitSlots } from './wait-slots.ts'
import { WriteLimiter } from './write-limiter.ts'

/** What every endpoint of a gateway works with, whatever the protocol. */
export interface GatewayParts {
  readonly settings: Settings
  readonly auth: Auth
  /** The streams of a tenant. Only for `/hil`: throws if the gateway has none. */
  streams(tenant: string): Streams
  readonly hasStreams: boolean
  /** Of all tenants. */
  readonly store: Store | undefined
  readonly logger: Logger | undefined
  readonly waitSlots: WaitSlots
  /** Where browsers reach this gateway. */
  readonly origins: OwnOrigins
  /** Feeds live events; `undefined` if there is no store. */
  readonly hub: Hub | undefined
  readonly metrics: Metrics
  /** How often people try to sign in. */
  readonly signIns: SignInLimiter
  /** Reads the sessions of live streams. */
  readonly sessionReads: SessionReads
  /** The records of a tenant; `undefined` if there is no store or the name cannot be a tenant's. */
  readonly records: (tenant: string) => RecordStore | undefined
  /** How much callers write. */
  readonly writeLimiter: WriteLimiter
  /** How often callers preview edits. */
  readonly previewLimiter: WriteLimiter
  /** The live objects for previews. */
  readonly deps: unknown
  /** Figures of the last seconds, by who may see what they count. */
  readonly figures: Recent<Figures>
  /** How long bodies may take to arrive. */
  readonly bodies: Deadlines
  /** An id for a request that brings none. */
  newRequestId(): string
  /** The desk of a tenant; `undefined` if there is no store. */
  readonly desk: (tenant: string) => Desk | undefined
  /** The gate of a tenant for a kind of host. Only for routes of agents: throws if the gateway has none. */
  gate(tenant: string, source: string): Gate
  readonly hasGate: boolean
  /** Whether the backends answer. Throws if one does not. */
  ping: { readonly streams: (() => Promise<void>) | undefined; readonly store: (() => Promise<void>) | undefined }
}

/** How long figures are kept before they are computed again. */
const FIGURES_MS = 10_000
/** How many tenants' views are cached. */
const TENANTS = 1000

function byTenant<T>(bind: (tenant: string) => T): (tenant: string) => T {
  const bound = new Map<string, T>()
  return (tenant) => {
    const known = bound.get(tenant)
    if (known !== undefined) return known
    if (bound.size >= TENANTS) bound.clear()
    const fresh = bind(tenant)
    bound.set(tenant, fresh)
    return fresh
  }
}

/** Ids with a random prefix for this gateway and a counter: cheaper than a random id for each request. */
function counted(): () => string {
  const prefix = randomUUID()
  let count = 0
  return () => {
    count += 1
    return `${prefix}-${count}`
  }
}

/** Puts a gateway's parts together. */
export function createGatewayParts(options: GatewayOptions): GatewayParts {
  const settings = toSettings(options)
  const { auth, streams, store, logger, deps, gate } = options
  const hub = store && new Hub(store, logger)
  const records = (tenant: string) => (store && isTenant(tenant) ? store.tenant(tenant) : undefined)
  const storeMetrics = metricsOf(store, logger)
  const decided = store && storeMetrics.appends.watch(store)
  return {
    settings,
    auth,
    streams: streams ? byTenant((tenant) => streams.tenant(tenant)) : noStreams,
    hasStreams: streams !== undefined,
    store,
    logger,
    hub,
    metrics: new Metrics(() => hub?.figures, storeMetrics),
    bodies: new Deadlines(),
    figures: new Recent(FIGURES_MS),
    origins: new OwnOrigins(settings.origins),
    signIns: new SignInLimiter(),
    records,
    sessionReads: new SessionReads(records),
    newRequestId: counted(),
    writeLimiter: new WriteLimiter(settings.writeLimit),
    previewLimiter: new WriteLimiter(settings.previewLimit),
    deps,
    waitSlots: new WaitSlots({ perCaller: settings.maxWaitsPerCaller, total: settings.maxWaits }),
    desk: decided ? byTenant((tenant) => openDesk({ store: decided.tenant(tenant) })) : () => undefined,
    gate: gate ? gatesOf(gate) : noGate,
    hasGate: gate !== undefined,
    ping: { streams: streams && (() => streams.ping()), store: store && (() => pingStore(store)) },
  }
}

function metricsOf(store: Store | undefined, logger: Logger | undefined): StoreMetrics {
  const onError = repeatedErrors(logger)
  return {
    queue: new QueueGauges(store && (() => store.queue()), onError),
    ready: new ReadyGauges(store && (() => store.ready({ limit: MOST_READY })), onError),
    appends: new AppendCounters(),
  }
}

/** Keeps gates: each has bound its policies. */
function gatesOf(make: GatewayOptions['gate'] & object): GatewayParts['gate'] {
  const known = byTenant((key) => {
    const [tenant = '', source = ''] = JSON.parse(key) as string[]
    return make({ tenant, source })
  })
  return (tenant, source) => known(JSON.stringify([tenant, source]))
}

function noGate(): never {
  throw new InputInvalid('This gateway has no gate.')
}

function noStreams(): never {
  throw new InputInvalid('This gateway has no streams.')
}
