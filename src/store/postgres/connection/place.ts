import { checkPostgresAddress } from '../../../protocol/checks/server-address.ts'
import { InputInvalid } from '../../../protocol/errors/errors.ts'

/** The location of a store in its database. */
export interface Place {
  readonly schema: string
  /** The database and the schema for messages, without user and password. */
  readonly name: string
}

/** A name that needs no quoting, and leaves room for the prefix of the channel name. */
const SCHEMA = /^[A-Za-z_][A-Za-z0-9_]{0,47}$/

/** Checks the name of a schema. */
export function checkSchema(schema: string): string {
  if (!SCHEMA.test(schema)) {
    throw new InputInvalid(
      `a schema is named with up to 48 letters, digits and underscores, not ${JSON.stringify(schema)}`,
    )
  }
  return schema
}

/** Makes a place. Secrets are stripped from the connection string. */
export function toPlace(schema: string, connectionString: string | undefined): Place {
  if (connectionString !== undefined) checkPostgresAddress('connectionString', connectionString)
  return { schema: checkSchema(schema), name: `Postgres${databaseOf(connectionString)}, schema ${schema}` }
}

function databaseOf(connectionString: string | undefined): string {
  const url = connectionString === undefined ? undefined : parseAddress(connectionString)
  if (!url) return ''
  return ` at ${url.host || 'this machine'}${url.pathname === '/' ? '' : url.pathname}`
}

/**
 * Parses a connection string, if all its secrets are certain to be in front of the host. A password with an unescaped `/`, `?` or `#` would end up,
 * with the `@` after it, in the later parts.
 */
export function parseAddress(connectionString: string): URL | undefined {
  if (!URL.canParse(connectionString)) return undefined
  const url = new URL(connectionString)
  return `${url.pathname}${url.search}${url.hash}`.includes('@') ? undefined : url
}

/** The channel that announces writes to a store. */
export function channelOf(schema: string): string {
  return `holdpoint:${schema}`
}

/** The prefix of names in a schema. */
export function prefixOf(schema: string): string {
  return `"${schema}".`
}
