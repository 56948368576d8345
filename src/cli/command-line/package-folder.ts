import { createRequire } from 'node:module'
import { dirname } from 'node:path'

/** The folder of this package, wherever the build has put this code: the package finds itself by its name. */
export function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('holdpoint/package.json'))
}
