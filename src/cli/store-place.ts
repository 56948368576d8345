import { join, relative, resolve } from 'node:path'
import type { Call } from './command.ts'
import { UsageError } from './errors.ts'
import { visible } from './render/visible.ts'

const DEFAULT_STORE = join('.holdpoint', 'holdpoint.db')

/** Where the store of a call is, and how to name it on a command line. */
export interface StorePlace {
  readonly at: { kind: 'file'; path: string } | { kind: 'postgres'; url: string; schema: string | undefined }
  /** As it is shown: a file from the current folder if it is in there, a database without its password. */
  readonly shown: string
  /** What other commands need to find it: nothing if it is where they look anyway. */
  readonly option: string
  readonly tenant: string | undefined
}

/** Finds out which store a call means. */
export function storePlace(call: Call): StorePlace {
  const { cwd, settings } = call.context
  const asked = call.text('store')
  const named = asked ?? settings.store ?? DEFAULT_STORE
  const schema = call.text('schema')
  const tenant = call.text('tenant')
  const rest = `${option('schema', schema)}${option('tenant', tenant)}`
  if (/^postgres(ql)?:\/\//i.test(named)) {
    const shown = withoutPassword(named)
    const found = named === settings.store
    return {
      at: { kind: 'postgres', url: named, schema },
      shown,
      option: `${option('store', found ? undefined : shown)}${rest}`,
      tenant,
    }
  }
  if (schema !== undefined)
    throw new UsageError('--schema is for a store in Postgres: name it with --store postgres://…')
  const path = resolve(cwd, named)
  const shown = shownFrom(cwd, path)
  const found = path === resolve(cwd, settings.store ?? DEFAULT_STORE)
  return { at: { kind: 'file', path }, shown, option: `${option('store', found ? undefined : shown)}${rest}`, tenant }
}

/** A path as it is shown: from a folder if it is in there. */
export function shownFrom(folder: string, path: string): string {
  const inside = relative(folder, path)
  return inside.startsWith('..') ? path : inside
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'postgres://…'
  const shown = new URL(url)
  shown.password = ''
  shown.search = ''
  return shown.href
}

function option(name: string, value: string | undefined): string {
  return value === undefined ? '' : ` --${name} ${shellWord(value)}`
}

function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${visible(text).replaceAll("'", `'\\''`)}'`
}
