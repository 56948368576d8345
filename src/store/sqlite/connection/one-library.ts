import { realpathSync } from 'node:fs'
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
  const first = libraries.get(real) ?? driver
  if (first !== driver) throw new DriverConflict({ path, driver, first })
  libraries.set(real, driver)
}

/** The file may not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return join(realpathSync(dirname(path)), basename(path))
  }
}
