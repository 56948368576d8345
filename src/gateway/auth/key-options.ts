import type { JsonWebKey, KeyObject } from 'node:crypto'

/** Where the keys come from: exactly one of three. */
export interface KeyOptions {
  /** Shared with the issuer of the tokens (HS256). 32 random bytes or more. */
  secret?: string | Uint8Array
  /** Checks tokens that others sign: PEM, JWK or a key object (RSA, EC or Ed25519). */
  publicKey?: string | JsonWebKey | KeyObject
  /** Where an identity provider publishes its keys. Fetched when needed, cached for ten minutes, and fetched again for an unknown key id. */
  jwksUrl?: string | URL
  /** Allows plain http for a remote `jwksUrl`. A man in the middle could then forge tokens. */
  allowHttp?: boolean
}
