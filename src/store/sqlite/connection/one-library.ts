import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DriverConflict } from '../../../protocol/errors/errors.ts'
import type { DriverName } from './driver.ts'

/**
 * The library that each file was first opened with. File locks belong to the process: when one library closes its descriptor, the locks of every other
 * are gone, and the file may be damaged. A file keeps its library until the process ends, as libsql closes descriptors when it is collected, not when it is told to.
 */
const libraries = new Map<string, DriverName>()

/** Throws if this process has opened the file with another library. The folder must exist. */
export function claimFile(path: string, driver: DriverName): void {
  const real = realPath(path)
  const first = libraries.get(real) ?? otherLibrary(real, driver) ?? driver
  if (first !== driver) throw new DriverConflict({ path, driver, first })
  libraries.set(real, driver)
}

/** Another library that opened the file under a name which its path does not tell: a hard link, or a link that led nowhere until it was opened. */
function otherLibrary(path: string, driver: DriverName): DriverName | undefined {
  for (const [known, library] of libraries) if (library !== driver && isSameFile(known, path)) return library
  return undefined
}

function isSameFile(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev
}

/** The file may not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return join(realpathSync(dirname(path)), basename(path))
  }
}
