import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../scripts/lib/root.js'

interface LockedPackage {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const files = ['package-lock.json', 'bench/package-lock.json']

function packagesOf(file: string): Record<string, LockedPackage> {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8')).packages
}

/** Whether a package that is installed in a folder finds another one, as Node looks for it: beside itself, then further up. */
function finds(packages: Record<string, LockedPackage>, folder: string, name: string): boolean {
  for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    if (packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`]) return true
    if (at === '') return false
  }
}

// `npm ci` refuses a lock file that lacks another platform's binary, even though it would not install it.
test.each(files)('%s has every dependency on every platform, so that npm ci accepts it', (file) => {
  const packages = packagesOf(file)
  const missing = Object.entries(packages).flatMap(([folder, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !finds(packages, folder, name))
      .map((name) => `${name}, which ${folder} depends on`),
  )
  expect(missing).toEqual([])
})
