import { createPublicKey, createSecretKey, type JsonWebKey, KeyObject } from 'node:crypto'
import type { CryptoKey, FetchImplementation, JWTVerifyGetKey } from 'jose'
import { warn } from '../../ports/warnings.ts'
import { messageOf } from '../../protocol/errors/error-base.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { loadJose } from '../peers.ts'
import type { KeyOptions } from './key-options.ts'

/** The keys that verify tokens. The kind of key determines the algorithms, never the token. */
export interface Keys {
  readonly key: KeyObject | CryptoKey | JWTVerifyGetKey
  readonly algorithms: readonly string[]
  /** Whether the cached keys are still current. */
  fresh(): boolean
}

const SECRET = ['HS256', 'HS384', 'HS512']
const RSA = ['RS256', 'PS256', 'RS384', 'PS384', 'RS512', 'PS512']
const CURVES: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }
const EDWARDS = ['EdDSA', 'Ed25519']
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Reads the keys and refuses unusable ones at once. `rotated` is called when the published keys have changed. */
export function toKeys(options: KeyOptions, rotated: () => void): Keys {
  const { secret, publicKey, jwksUrl } = options
  if ([secret, publicKey, jwksUrl].filter((each) => each !== undefined).length !== 1)
    throw new InputInvalid('jwtAuth needs exactly one of secret, publicKey and jwksUrl.')
  if (secret !== undefined) return { ...secretKey(secret), fresh: () => true }
  if (publicKey !== undefined) return { ...signersKey(publicKey), fresh: () => true }
  return remoteKeys(toUrl(jwksUrl as string | URL, options.allowHttp === true), rotated)
}

function secretKey(secret: string | Uint8Array): Omit<Keys, 'fresh'> {
  const bytes = typeof secret === 'string' ? Buffer.from(secret) : secret
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) throw new InputInvalid('jwtAuth needs a non-empty secret.')
  if (bytes.length < 32) {
    warn('short_secret', 'The secret of jwtAuth is shorter than 32 bytes: anyone who has a token can guess it.')
  }
  return { key: createSecretKey(bytes), algorithms: SECRET }
}

function signersKey(given: string | JsonWebKey | KeyObject): Omit<Keys, 'fresh'> {
  const key = toPublicKey(given)
  switch (key.asymmetricKeyType) {
    case 'rsa':
      if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048)
        throw new InputInvalid('jwtAuth takes RSA keys of 2048 bits or more.')
      return { key, algorithms: RSA }
    case 'ed25519':
      return { key, algorithms: EDWARDS }
    case 'ec': {
      const algorithm = CURVES[key.asymmetricKeyDetails?.namedCurve ?? '']
      if (algorithm !== undefined) return { key, algorithms: [algorithm] }
    }
  }
  throw new InputInvalid('jwtAuth takes public keys of RSA, of EC on P-256, P-384 or P-521, and of Ed25519.')
}

function toPublicKey(given: string | JsonWebKey | KeyObject): KeyObject {
  if (given instanceof KeyObject) {
    if (given.type === 'public') return given
    throw new InputInvalid(`jwtAuth needs a public key; this one is ${given.type}.`)
  }
  try {
    return typeof given === 'string' ? createPublicKey(given) : createPublicKey({ key: given, format: 'jwk' })
  } catch (error) {
    throw new InputInvalid(`jwtAuth cannot read publicKey: ${messageOf(error)}.`)
  }
}

function toUrl(given: string | URL, allowHttp: boolean): URL {
  const url = URL.canParse(String(given)) ? new URL(String(given)) : undefined
  const safe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && (allowHttp || LOOPBACK.includes(url.hostname)))
  if (!url || !safe)
    throw new InputInvalid('jwksUrl must be an https address; for http in a network that you trust, set allowHttp.')
  return url
}

function remoteKeys(url: URL, rotated: () => void): Keys {
  const { createRemoteJWKSet, customFetch } = loadJose()
  let last: string | undefined
  const watchedFetch: FetchImplementation = async (address, options) => {
    const response = await fetch(address, options)
    if (response.status !== 200) return response
    const text = await response.text()
    if (last !== undefined && last !== text) rotated()
    last = text
    return new Response(text, { status: 200 })
  }
  const remote = createRemoteJWKSet(url, { [customFetch]: watchedFetch })
  const algorithms = [...RSA, ...Object.values(CURVES), ...EDWARDS]
  return { key: remote, algorithms, fresh: () => remote.fresh }
}
