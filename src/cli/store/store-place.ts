import { join, relative, resolve } from 'node:path'
import { parseAddress } from '../../store/postgres/connection/place.ts'
import type { Call } from '../command-line/command.ts'
import { UsageError } from '../command-line/errors.ts'
import { visible } from '../render/visible.ts'

const DEFAULT_STORE = join('.holdpoint', 'holdpoint.db')

/** The location of a store. */
export type StoreAddress =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly schema: string | undefined }

/** Where the store is, and how to name it on a command line. */
export interface StorePlace {
  readonly at: StoreAddress
  /** For people: a path relative to the current folder, a database without its password. */
  readonly shown: string
  /** Options that make other commands find it; empty if they do anyway. */
  readonly option: string
  readonly tenant: string | undefined
}

/** The store that the options and the environment name. */
export function storePlace(call: Call): StorePlace {
  const { cwd, settings } = call.context
  const asked = call.text('store')
  const named = asked ?? settings.store ?? DEFAULT_STORE
  const schema = call.text('schema')
  const tenant = call.text('tenant')
  const rest = `${shellOption('schema', schema)}${shellOption('tenant', tenant)}`
  const at = parseStoreAddress(named, { cwd, schema })
  const isFile = at.kind === 'file'
  const shown = isFile ? shownFrom(cwd, at.path) : withoutPassword(named)
  const found = isFile ? at.path === resolve(cwd, settings.store ?? DEFAULT_STORE) : named === settings.store
  return { at, shown, option: `${shellOption('store', found ? undefined : shown)}${rest}`, tenant }
}

/** An address without its scheme, such as `localhost:5432/app` or `ann:secret@db/app`. As a file it would be a new, empty store. */
const HOST_AND_PORT = /^(?:[^/\\]*@[^/\\]+|[\w.-]{2,}:\d{1,5})(?:[/?]|$)/

/** Parses the name of a store: a file, or the URL of a database. */
export function parseStoreAddress(
  named: string,
  { cwd, schema }: { cwd: string; schema: string | undefined },
): StoreAddress {
  if (isPostgres(named)) return { kind: 'postgres', url: named, schema }
  const [scheme] = /^[a-z][a-z\d+.-]+:\/\//i.exec(named) ?? []
  if (scheme) throw new UsageError(`a store is a file or a database at postgres://…, not at ${scheme}…`)
  if (HOST_AND_PORT.test(named))
    throw new UsageError('a store in Postgres is named with postgres://…; for a file in such a folder begin with ./')
  if (schema !== undefined)
    throw new UsageError('--schema is for a store in Postgres: name it with --store postgres://…')
  return { kind: 'file', path: resolve(cwd, named) }
}

/** Whether an address is one of Postgres. */
export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//i.test(address)
}

/** A path for people: relative if it is inside of the folder. */
export function shownFrom(folder: string, path: string): string {
  const inside = relative(folder, path)
  return inside.startsWith('..') ? path : inside
}

/** Parameters of a database URL that are safe to show. Any other may hold a password. */
const SHOWN = new Set(['host', 'port', 'user', 'ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'])

function withoutPassword(url: string): string {
  const shown = parseAddress(url)
  if (!shown) return 'postgres://…'
  shown.password = ''
  shown.hash = ''
  for (const name of [...shown.searchParams.keys()]) if (!SHOWN.has(name)) shown.searchParams.delete(name)
  return shown.href
}

/** An option as a person would type it; nothing without a value. */
export function shellOption(name: string, value: string | undefined): string {
  return value === undefined ? '' : ` --${name} ${shellWord(value)}`
}

function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${visible(text).replaceAll("'", `'\\''`)}'`
}
