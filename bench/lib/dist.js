// @ts-check
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * The build that is measured: this repository's, or, to compare two, the folder that HOLDPOINT_DIST names.
 *
 * @returns {Promise<typeof import('../../dist/index.js') & Pick<typeof import('../../dist/sqlite.js'), 'sqliteStore'> & Pick<typeof import('../../dist/postgres.js'), 'postgresStore'>>}
 */
export async function loadHoldpoint() {
  const dist = resolve(process.env.HOLDPOINT_DIST ?? new URL('../../dist', import.meta.url).pathname)
  const [main, sqlite, postgres] = await Promise.all(
    ['index.js', 'sqlite.js', 'postgres.js'].map((file) => import(pathToFileURL(`${dist}/${file}`).href)),
  )
  return { ...main, ...sqlite, ...postgres }
}
