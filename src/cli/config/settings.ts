import { address, choice, integer, longString, origins, type Reader, retention, string } from './readers.ts'

/** A command that a setting is for. */
export type Role = 'serve' | 'worker'

/** One setting of `holdpoint serve` and `holdpoint worker`, and where its value may come from. Its key is its name in a configuration file. */
export interface Setting<T> {
  readonly roles: readonly Role[]
  /** The environment variable; the first that is set counts. */
  readonly env: readonly string[]
  /** The flag. Secrets have none, since other users of the machine can read command lines. */
  readonly flag?: string
  /** What help calls its value. */
  readonly value: string
  readonly help: string
  /** Must not be shown: the whole value, or the password in an address. */
  readonly secret?: 'whole' | 'address'
  /** May be given several times as a flag. */
  readonly multiple?: true
  readonly read: Reader<T>
}

const BOTH = ['serve', 'worker'] as const
const SERVE = ['serve'] as const
const WORKER = ['worker'] as const
const PORTS = [0, 65_535] as const
const REDIS = ['redis', 'rediss', 'redis+cluster', 'rediss+cluster'] as const
const redis = address(...REDIS)
const postgres = address('postgres', 'postgresql')
const queues = address(...REDIS, 'postgres', 'postgresql')

function setting<T>(given: Setting<T>): Setting<T> {
  return given
}

/** All settings. */
export const settings = {
  store: setting({
    ...{ roles: BOTH, env: ['HOLDPOINT_STORE'], flag: 'store', value: 'PLACE', secret: 'address', read: string },
    help: 'an SQLite file or postgres://… (HOLDPOINT_STORE)',
  }),
  schema: setting({
    ...{ roles: BOTH, env: ['HOLDPOINT_SCHEMA'], flag: 'schema', value: 'NAME', read: string },
    help: 'schema of the tables in Postgres (HOLDPOINT_SCHEMA; default: holdpoint)',
  }),
  migrate: setting({
    ...{ roles: BOTH, env: ['HOLDPOINT_MIGRATE'], flag: 'migrate', value: 'WHEN', read: choice('auto', 'never') },
    help: 'auto: creates and upgrades the tables in Postgres; never: refuses to run without them (HOLDPOINT_MIGRATE; default: auto)',
  }),
  listen: setting({
    ...{ roles: BOTH, env: ['HOLDPOINT_LISTEN'], flag: 'listen', value: 'URL', secret: 'address', read: postgres },
    help: 'postgres://… that goes round a PgBouncer, for notifications of the store and of its queue (HOLDPOINT_LISTEN; default: as the store)',
  }),
  auditKeyFile: setting({
    ...{ roles: BOTH, env: ['HOLDPOINT_AUDIT_KEY_FILE'], flag: 'audit-key-file', value: 'FILE', read: string },
    help: 'audit keys, one ID:SECRET per line, newest first (HOLDPOINT_AUDIT_KEY_FILE, or the lines in HOLDPOINT_AUDIT_KEY)',
  }),
  agents: setting({
    ...{ roles: BOTH, env: ['HOLDPOINT_AGENTS'], flag: 'agents', value: 'FILE', read: string },
    help: 'a module that exports agents, and optionally deps and policies (HOLDPOINT_AGENTS); serve uses it for previews of edits',
  }),
  gatePolicy: setting({
    ...{ roles: SERVE, env: ['HOLDPOINT_GATE_POLICY'], flag: 'gate-policy', value: 'FILE', read: string },
    help: 'a module whose default export is a policy, or an array of them: judges calls of agents behind holdpoint gate --gateway; with an export onHandedOver = { askAfterSeconds }, asks about calls without an end (HOLDPOINT_GATE_POLICY; default: no gate)',
  }),
  graceSeconds: setting({
    ...{ roles: BOTH, env: ['HOLDPOINT_GRACE_SECONDS'], flag: 'grace-seconds', value: 'N', read: integer(0, 3600) },
    help: 'how long work may take to end after a signal (HOLDPOINT_GRACE_SECONDS; default: serve 10, worker 30)',
  }),
  startSeconds: setting({
    ...{ roles: BOTH, env: ['HOLDPOINT_START_SECONDS'], flag: 'start-seconds', value: 'N', read: integer(0, 3600) },
    help: 'how long the store may take to answer for the first time; then it ends with 1 (HOLDPOINT_START_SECONDS; default: 60)',
  }),
  retention: setting({
    ...{ roles: BOTH, env: ['HOLDPOINT_RETENTION'], flag: 'retention', value: 'AGE', read: retention },
    help: 'erases threads that are over and were last written so long ago, such as 90d (HOLDPOINT_RETENTION; default: keeps them)',
  }),
  logLevel: setting({
    ...{ roles: BOTH, env: ['HOLDPOINT_LOG_LEVEL'], flag: 'log-level', value: 'LEVEL' },
    read: choice('info', 'warn', 'error', 'silent'),
    help: 'info, warn, error or silent (HOLDPOINT_LOG_LEVEL; default: info)',
  }),
  port: setting({
    ...{ roles: SERVE, env: ['HOLDPOINT_PORT', 'PORT'], flag: 'port', value: 'N', read: integer(...PORTS) },
    help: 'where to listen; 0: any that is free (HOLDPOINT_PORT, PORT; default: 4747)',
  }),
  host: setting({
    ...{ roles: SERVE, env: ['HOLDPOINT_HOST'], flag: 'host', value: 'ADDRESS', read: string },
    help: 'which address to listen on (HOLDPOINT_HOST; default: 127.0.0.1, this machine only)',
  }),
  origins: setting({
    ...{ roles: SERVE, env: ['HOLDPOINT_ORIGINS'], flag: 'origin', value: 'URL', multiple: true, read: origins },
    help: 'an address under which browsers reach it (HOLDPOINT_ORIGINS, separated by commas)',
  }),
  basePath: setting({
    ...{ roles: SERVE, env: ['HOLDPOINT_BASE_PATH'], flag: 'base-path', value: 'PATH', read: string },
    help: 'prefix of every path (HOLDPOINT_BASE_PATH; default: none)',
  }),
  addressHeader: setting({
    ...{ roles: SERVE, env: ['HOLDPOINT_ADDRESS_HEADER'], flag: 'address-header', value: 'NAME', read: string },
    help: "the header in which a proxy passes on the caller's address (HOLDPOINT_ADDRESS_HEADER; default: none)",
  }),
  inbox: setting({
    ...{ roles: SERVE, env: ['HOLDPOINT_INBOX'], flag: 'inbox', value: 'MODE', read: choice('on', 'off') },
    help: 'on or off: whether it serves the page (HOLDPOINT_INBOX; default: on)',
  }),
  operatorTenant: setting({
    ...{ roles: SERVE, env: ['HOLDPOINT_OPERATOR_TENANT'], flag: 'operator-tenant', value: 'ID', read: string },
    help: 'the tenant whose operators may read /metrics (HOLDPOINT_OPERATOR_TENANT; default: none)',
  }),
  streams: setting({
    ...{ roles: SERVE, env: ['HOLDPOINT_STREAMS'], flag: 'streams', value: 'URL', secret: 'address', read: redis },
    help: 'redis://… or redis+cluster://… of message streams, for /hil (HOLDPOINT_STREAMS; default: none)',
  }),
  jwksUrl: setting({
    ...{ roles: SERVE, env: ['HOLDPOINT_JWKS_URL'], flag: 'jwks-url', value: 'URL', read: address('https', 'http') },
    help: 'where the keys of bearer tokens are published (HOLDPOINT_JWKS_URL)',
  }),
  issuer: setting({
    ...{ roles: SERVE, env: ['HOLDPOINT_ISSUER'], flag: 'issuer', value: 'NAME', read: string },
    help: 'the required issuer of tokens (HOLDPOINT_ISSUER; default: holdpoint)',
  }),
  audience: setting({
    ...{ roles: SERVE, env: ['HOLDPOINT_AUDIENCE'], flag: 'audience', value: 'NAME', read: string },
    help: 'the required audience of tokens (HOLDPOINT_AUDIENCE; default: holdpoint)',
  }),
  jwtSecret: setting({
    ...{ roles: SERVE, env: ['HOLDPOINT_JWT_SECRET'], value: 'SECRET', secret: 'whole', read: longString(32) },
    help: 'the secret that bearer tokens are signed with (HS256)',
  }),
  metricsToken: setting({
    ...{ roles: BOTH, env: ['HOLDPOINT_METRICS_TOKEN'], value: 'TOKEN', secret: 'whole', read: longString(16) },
    help: 'a bearer token for /metrics; a worker without one answers everybody who reaches its health port',
  }),
  queue: setting({
    ...{ roles: WORKER, env: ['HOLDPOINT_QUEUE'], flag: 'queue', value: 'URL', secret: 'address', read: queues },
    help: 'redis://…, redis+cluster://… or postgres://… of the queue (HOLDPOINT_QUEUE; default: none, and threads are found by looking once a second)',
  }),
  queueSchema: setting({
    ...{ roles: WORKER, env: ['HOLDPOINT_QUEUE_SCHEMA'], flag: 'queue-schema', value: 'NAME', read: string },
    help: 'schema of a queue in Postgres (HOLDPOINT_QUEUE_SCHEMA; default: holdpoint_queue)',
  }),
  concurrency: setting({
    ...{ roles: WORKER, env: ['HOLDPOINT_CONCURRENCY'], flag: 'concurrency', value: 'N', read: integer(1, 10_000) },
    help: 'how many threads it drives at once (HOLDPOINT_CONCURRENCY; default: 16)',
  }),
  perTenant: setting({
    ...{ roles: WORKER, env: ['HOLDPOINT_PER_TENANT'], flag: 'per-tenant', value: 'N', read: integer(1, 10_000) },
    help: 'how many threads of one tenant it drives at once (HOLDPOINT_PER_TENANT; default: all)',
  }),
  leaseSeconds: setting({
    ...{ roles: WORKER, env: ['HOLDPOINT_LEASE_SECONDS'], flag: 'lease-seconds', value: 'N', read: integer(1, 300) },
    help: 'after how long others take over the threads of a worker that died (HOLDPOINT_LEASE_SECONDS; default: 30)',
  }),
  retries: setting({
    ...{ roles: WORKER, env: ['HOLDPOINT_RETRIES'], flag: 'retries', value: 'N', read: integer(0, 1000) },
    help: 'how often a failed thread is tried again before it is stuck (HOLDPOINT_RETRIES; default: 8)',
  }),
  healthPort: setting({
    ...{ roles: WORKER, env: ['HOLDPOINT_HEALTH_PORT'], flag: 'health-port', value: 'N', read: integer(...PORTS) },
    help: 'where to answer /healthz, /readyz and /metrics; 0: any that is free (HOLDPOINT_HEALTH_PORT; default: nowhere)',
  }),
  healthHost: setting({
    ...{ roles: WORKER, env: ['HOLDPOINT_HEALTH_HOST'], flag: 'health-host', value: 'ADDRESS', read: string },
    help: 'the address of the health port (HOLDPOINT_HEALTH_HOST; default: 127.0.0.1)',
  }),
}

/** The name of a setting. */
export type SettingName = keyof typeof settings

/** The values of all settings that were given. */
export type Config = {
  readonly [K in SettingName]?: (typeof settings)[K] extends Setting<infer T> ? T : never
}

/** The settings of a command, in the order of help. */
export function settingsOf(role: Role): [SettingName, Setting<unknown>][] {
  return (Object.entries(settings) as [SettingName, Setting<unknown>][]).filter(([, { roles }]) => roles.includes(role))
}
