import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Call } from './command.ts'
import { CliError } from './errors.ts'

/** The full path of a file that the user named. `code` is the error's code if there is no such file. */
export function requireFile({ context }: Call, path: string, code: string): string {
  const full = resolve(context.cwd, path)
  const stat = statSync(full, { throwIfNoEntry: false })
  if (!stat) throw new CliError(code, `${path}: no such file.`)
  if (stat.isDirectory()) throw new CliError(code, `${path} is a folder, not a file.`)
  return full
}
