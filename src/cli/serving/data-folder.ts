import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeFolder } from '../../store/sqlite/connection/make-folder.ts'
import type { Call } from '../command-line/command.ts'
import type { Context } from '../command-line/context.ts'
import { CliError } from '../command-line/errors.ts'

/** The folder of `holdpoint start`: `--data`, else HOLDPOINT_DATA, else a folder of the user's. */
export function dataFolder(call: Pick<Call, 'context' | 'text'>): string {
  const { cwd, settings } = call.context
  const named = call.text('data') ?? settings.data
  return named === undefined ? usualFolder(settings) : resolve(cwd, named)
}

/** The SQLite file in it. */
export function storeFileIn(folder: string): string {
  return join(folder, 'holdpoint.db')
}

/** Makes the folder, for this user only: whoever reads the store can sign in. */
export function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder, 0o700)
  } catch (error) {
    throw new CliError(
      'store_failed',
      `The folder ${folder} cannot be made: ${(error as Error).message}. Name another with --data or HOLDPOINT_DATA.`,
    )
  }
}

/** Where this system keeps data of a user's programs; a temporary folder for a user without a home. */
function usualFolder({ dataHome }: Context['settings']): string {
  const home = homedir()
  const base = dataHome ?? (process.platform === 'darwin' ? join(home, 'Library', 'Application Support') : undefined)
  if (base !== undefined) return join(base, 'holdpoint')
  return home === '' || home === '/' ? join(tmpdir(), 'holdpoint') : join(home, '.local', 'share', 'holdpoint')
}
