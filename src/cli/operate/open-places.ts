import { resolve } from 'node:path'
import { type Auth, jwtAuth } from '../../gateway.ts'
import type { Store, Streams } from '../../index.ts'
import { type OnWarning, postgresStore } from '../../postgres.ts'
import { redisStreams } from '../../redis.ts'
import { sqliteStore } from '../../sqlite.ts'
import type { Call } from '../command-line/command.ts'
import { UsageError } from '../command-line/errors.ts'
import { required } from '../config/read-config.ts'
import type { Config, Role } from '../config/settings.ts'
import { auditKeysOf } from '../store/audit-keys.ts'

/** Opens the store of a configuration. Nothing is connected before its first use. */
export function openStore(call: Call, { config, role, onWarning }: OpenOptions): Store {
  const place = required(config, 'store', role)
  const auditKey = auditKeysOf(withKeyFile(call, config))
  const options = { onWarning, ...(auditKey.length > 0 ? { auditKey } : {}) }
  if (!isPostgres(place)) {
    if (place.includes('://')) throw new UsageError('a store is a file or a database at postgres://…')
    if (config.schema !== undefined) throw new UsageError('a schema is for a store in Postgres')
    return sqliteStore({ path: resolve(call.context.cwd, place), ...options })
  }
  return postgresStore({
    ...options,
    connectionString: place,
    create: config.migrate !== 'never',
    ...(config.schema === undefined ? {} : { schema: config.schema }),
  })
}

/** What opening a store needs. */
export interface OpenOptions {
  readonly config: Config
  readonly role: Role
  readonly onWarning: OnWarning
}

/** Opens the message streams of a configuration, if it names some. */
export function openStreams({ streams }: Config): Streams | undefined {
  return streams === undefined ? undefined : redisStreams({ url: streams })
}

/** Whether an address is one of Postgres. */
export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//i.test(address)
}

/** How callers prove who they are. Without keys only people with a sign-in link come in. */
export function authOf({ jwtSecret, jwksUrl, issuer, audience }: Config): Auth {
  if (jwtSecret !== undefined && jwksUrl !== undefined)
    throw new UsageError(
      'bearer tokens are checked with a secret or with published keys, not both: leave HOLDPOINT_JWT_SECRET or HOLDPOINT_JWKS_URL out',
    )
  const names = { ...(issuer === undefined ? {} : { issuer }), ...(audience === undefined ? {} : { audience }) }
  if (jwtSecret !== undefined) return jwtAuth({ secret: jwtSecret, ...names })
  if (jwksUrl !== undefined) return jwtAuth({ jwksUrl, ...names })
  const detail = 'Tokens are not accepted here: holdpoint serve needs HOLDPOINT_JWT_SECRET or HOLDPOINT_JWKS_URL.'
  return { authenticate: async () => ({ ok: false, detail }) }
}

/** `auditKeysOf` reads a flag: the configuration may name the file in another way. */
function withKeyFile(call: Call, { auditKeyFile }: Config): Call {
  return { ...call, text: (name) => (name === 'audit-key-file' ? auditKeyFile : call.text(name)) }
}
