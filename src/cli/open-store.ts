import { statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Store } from '../index.ts'
import { sqliteStore } from '../sqlite.ts'
import type { Call } from './command.ts'
import { CliError } from './errors.ts'
import { visible } from './render/visible.ts'

const DEFAULT_STORE = join('.holdpoint', 'holdpoint.db')

/** Where the store of a call is, and how to name it on a command line. */
export interface StorePlace {
  readonly path: string
  /** As it is shown: from the current folder if it is in there. */
  readonly shown: string
  /** What other commands need to find it: nothing if it is where they look anyway. */
  readonly option: string
}

/** Finds out which store a call means. */
export function storePlace(call: Call): StorePlace {
  const { cwd, settings } = call.context
  const asked = call.text('store')
  const path = resolve(cwd, asked ?? settings.store ?? DEFAULT_STORE)
  const inside = relative(cwd, path)
  const shown = inside.startsWith('..') ? path : inside
  const found = path === resolve(cwd, settings.store ?? DEFAULT_STORE)
  return { path, shown, option: found ? '' : ` --store ${shellWord(shown)}` }
}

/** Works with a store that is there. One that is missing is an error, and is not made. */
export async function withStore<T>(call: Call, work: (store: Store) => Promise<T>): Promise<T> {
  const { path } = storePlace(call)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.size === 0) {
    throw new CliError(
      'store_missing',
      `There is no store at ${path}. Run this in the folder where the store is, or name it with --store PATH or HOLDPOINT_STORE.`,
    )
  }
  return closing(sqliteStore({ path }), work)
}

/** Works with a store that is made if need be. */
export function withNewStore<T>(place: StorePlace, work: (store: Store) => Promise<T>): Promise<T> {
  return closing(sqliteStore({ path: place.path }), work)
}

async function closing<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${visible(text).replaceAll("'", `'\\''`)}'`
}
