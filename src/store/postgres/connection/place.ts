import { InputInvalid } from '../../../protocol/errors/errors.ts'

/** Where a store is in its database. */
export interface Place {
  readonly schema: string
  /** The database and the schema in words, without user and password. */
  readonly name: string
}

/** A name that needs no care anywhere, and leaves room for what is put before it in the name of a channel. */
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

/** Names a place. A connection string is stripped of its secrets. */
export function toPlace(schema: string, connectionString: string | undefined): Place {
  return { schema: checkSchema(schema), name: `Postgres${databaseOf(connectionString)}, schema ${schema}` }
}

function databaseOf(connectionString: string | undefined): string {
  const url = connectionString === undefined ? undefined : parseAddress(connectionString)
  if (!url) return ''
  return ` at ${url.host || 'this machine'}${url.pathname === '/' ? '' : url.pathname}`
}

/**
 * A connection string taken apart, if what is in front of its host is sure to be all that is secret: a password with a `/`, `?` or `#` that
 * was not escaped would end up in the parts that follow, and the `@` after it with it.
 */
export function parseAddress(connectionString: string): URL | undefined {
  if (!URL.canParse(connectionString)) return undefined
  const url = new URL(connectionString)
  return `${url.pathname}${url.search}${url.hash}`.includes('@') ? undefined : url
}

/** What a store's threads are announced on. */
export function channelOf(schema: string): string {
  return `holdpoint:${schema}`
}

/** What goes before the names of a schema. */
export function prefixOf(schema: string): string {
  return `"${schema}".`
}
