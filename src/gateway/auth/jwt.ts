import type { JWTPayload, JWTVerifyOptions } from 'jose'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { loadJose } from '../peers.ts'
import type { Auth, AuthOutcome, AuthRequest } from './auth.ts'
import { toCaller } from './claims.ts'
import type { KeyOptions } from './key-options.ts'
import { type Keys, toKeys } from './keys.ts'
import { TokenCache } from './token-cache.ts'

/** How bearer tokens are checked. */
export interface JwtAuthOptions extends KeyOptions {
  /** The required issuer. Default `'holdpoint'`, which is what `holdpoint token` writes. */
  issuer?: string | string[]
  /** The required audience. Default `'holdpoint'`. */
  audience?: string | string[]
  /** Restricts the algorithms that the kind of key allows. */
  algorithms?: string[]
  /** The tolerated clock skew. Default 5. */
  clockToleranceSeconds?: number
  /** How many verified tokens are cached until they expire. Default 10,000. */
  cacheSize?: number
}

const KNOWN = [
  ...['secret', 'publicKey', 'jwksUrl', 'allowHttp'],
  ...['issuer', 'audience', 'algorithms', 'clockToleranceSeconds', 'cacheSize'],
]

const BEARER = /^bearer +([A-Za-z0-9._~+/=-]+) *$/i

/**
 * Authenticates callers by JSON Web Tokens in `Authorization: Bearer`. `iss`, `aud`, `exp` and `sub` are required; `nbf` is enforced. A verified
 * token is cached by its hash until it expires or the keys change. Needs the package `jose`.
 */
export function jwtAuth(options: JwtAuthOptions): Auth {
  requireKnown('jwtAuth', options, KNOWN)
  loadJose()
  const cache = new TokenCache(options.cacheSize ?? 10_000)
  const keys = toKeys(options, () => cache.clear())
  const verification = toVerification(options, keys)

  async function check(token: string): Promise<AuthOutcome> {
    const { generation } = cache
    try {
      const outcome = toCaller(await verify(token, keys, verification))
      if (outcome.ok) cache.set(token, outcome.caller, generation)
      return outcome
    } catch (error) {
      return { ok: false, detail: refusalOf(error, keys) }
    }
  }

  return {
    async authenticate(request: AuthRequest): Promise<AuthOutcome> {
      const header = request.header('authorization')
      if (header === undefined) return { ok: false, detail: 'A bearer token is needed: Authorization: Bearer <token>.' }
      const token = BEARER.exec(header)?.[1]
      if (token === undefined) return { ok: false, detail: 'Authorization must be Bearer and one token.' }
      const known = keys.fresh() ? cache.get(token) : undefined
      return known ? { ok: true, caller: known } : check(token)
    },
  }
}

function toVerification(options: JwtAuthOptions, keys: Keys): JWTVerifyOptions {
  const { issuer = 'holdpoint', audience = 'holdpoint', clockToleranceSeconds = 5, algorithms } = options
  for (const [name, value] of Object.entries({ issuer, audience })) {
    const all: unknown[] = Array.isArray(value) ? value : [value]
    if (all.length === 0 || !all.every((each) => typeof each === 'string' && each !== ''))
      throw new InputInvalid(`jwtAuth needs ${name} as a string or an array of strings.`)
  }
  if (!(clockToleranceSeconds >= 0 && clockToleranceSeconds <= 600))
    throw new InputInvalid('clockToleranceSeconds must be from 0 to 600.')
  const unfit = algorithms?.find((each) => !keys.algorithms.includes(each))
  if (unfit !== undefined || algorithms?.length === 0) {
    throw new InputInvalid(
      `algorithms must be some of ${keys.algorithms.join(', ')}: nothing else is checked with this kind of key.`,
    )
  }
  return {
    issuer,
    audience,
    algorithms: algorithms ?? [...keys.algorithms],
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ['exp', 'sub'],
  }
}

async function verify(token: string, { key }: Keys, options: JWTVerifyOptions): Promise<JWTPayload> {
  const { errors, jwtVerify } = loadJose()
  if (typeof key !== 'function') return (await jwtVerify(token, key, options)).payload
  try {
    return (await jwtVerify(token, key, options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    // Without a key id, try each key.
    for await (const each of error) {
      try {
        return (await jwtVerify(token, each, options)).payload
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** The refusal for the caller. An unreachable key server is not the token's fault and is rethrown. */
function refusalOf(error: unknown, { key }: Keys): string {
  const { errors } = loadJose()
  if (error instanceof errors.JWTExpired) return 'The token has expired.'
  if (error instanceof errors.JWTClaimValidationFailed) return `The token is not for here: ${error.message}.`
  if (typeof key === 'function' && isOutOfReach(error)) throw error
  return 'The token is not valid.'
}

function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof loadJose().errors.JOSEError)) return true
  return ['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'].includes(error.code)
}
