import { InputInvalid } from '../../protocol/errors.ts'

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

/** Names a place. A connection string is taken apart, so that nothing secret is left in it. */
export function toPlace(schema: string, connectionString: string | undefined): Place {
  return { schema: checkSchema(schema), name: `Postgres${databaseOf(connectionString)}, schema ${schema}` }
}

function databaseOf(connectionString: string | undefined): string {
  if (connectionString === undefined || !URL.canParse(connectionString)) return ''
  const { host, pathname } = new URL(connectionString)
  return ` at ${host || 'this machine'}${pathname === '/' ? '' : pathname}`
}

/** What a store's threads are announced on. */
export function channelOf(schema: string): string {
  return `holdpoint:${schema}`
}

/** What goes before the names of a schema. */
export function prefixOf(schema: string): string {
  return `"${schema}".`
}
