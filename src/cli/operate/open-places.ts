import { type Auth, jwtAuth } from '../../gateway.ts'
import type { Store, Streams } from '../../index.ts'
import type { OnWarning } from '../../postgres.ts'
import { redisStreams } from '../../redis.ts'
import type { Call } from '../command-line/command.ts'
import { UsageError } from '../command-line/errors.ts'
import { required } from '../config/read-config.ts'
import type { Config, Role } from '../config/settings.ts'
import { auditKeysOf } from '../store/audit-keys.ts'
import { fileOpens, openStore } from '../store/open-store.ts'
import { parseStoreAddress } from '../store/store-place.ts'

/** Opens the store of a configuration. A database is not connected before its first use. */
export async function openConfigured(call: Call, { config, role, onWarning }: ConfiguredStore): Promise<Store> {
  const at = parseStoreAddress(required(config, 'store', role), { cwd: call.context.cwd, schema: config.schema })
  if (at.kind === 'file' && config.listen !== undefined) throw new UsageError('--listen is for a store in Postgres')
  const auditKeys = auditKeysOf(withKeyFile(call, config))
  const create = config.migrate !== 'never'
  const store = openStore(at, { create, thread: true, auditKeys, onWarning, listen: config.listen })
  await fileOpens(at, store)
  return store
}

/** What opening the store of a configuration needs. */
export interface ConfiguredStore {
  readonly config: Config
  readonly role: Role
  readonly onWarning: OnWarning
}

/** Opens the message streams of a configuration, if it names some. */
export function openStreams({ streams }: Config): Streams | undefined {
  return streams === undefined ? undefined : redisStreams({ url: streams })
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
