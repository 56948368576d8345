import { pathToFileURL } from 'node:url'
import { HoldpointError } from '../../index.ts'
import { messageOf } from '../../protocol/errors/errors.ts'
import type { Call } from './command.ts'
import { CliError } from './errors.ts'
import { requireFile } from './files.ts'

/** Loads a module that the user named. `code` is the error's code if that fails. */
export async function loadModule<T extends object>(call: Call, file: string, code: string): Promise<Partial<T>> {
  const { href } = pathToFileURL(requireFile(call, file, code))
  try {
    return (await import(href)) as Partial<T>
  } catch (error) {
    if (HoldpointError.isInstance(error)) throw error
    const problem =
      (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_UNKNOWN_FILE_EXTENSION'
        ? 'cannot be loaded by this Node: compile it to .js or .mjs first.'
        : `cannot be loaded: ${messageOf(error)}`
    throw new CliError(code, `${file} ${problem}`)
  }
}
