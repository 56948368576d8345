import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folders of generated files. */
const GENERATED = new Set(['node_modules', 'dist', '.git', '.build', '.holdpoint', 'coverage'])

/**
 * All files under a folder, sorted, as paths with forward slashes relative to it.
 * @param {string} dir
 * @returns {string[]}
 */
export function listFiles(dir, prefix = '') {
  if (!existsSync(dir)) return []
  return readdirSync(dir, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${prefix}${entry.name}`
      if (entry.isDirectory()) return GENERATED.has(entry.name) ? [] : listFiles(join(dir, entry.name), `${path}/`)
      return entry.isFile() ? [path] : []
    })
}

/**
 * One hash over names and contents. Contents, not times: a checkout sets every file's time to now.
 * @param {string} root
 * @param {string[]} paths relative to root; missing files count as absent
 */
export function hashFiles(root, paths) {
  const hash = createHash('sha256')
  for (const path of paths) {
    const file = join(root, path)
    if (!existsSync(file)) continue
    const body = readFileSync(file)
    hash.update(`${path}\0${body.length}\0`).update(body)
  }
  return hash.digest('hex')
}

/**
 * Returns the text of a small file, or `undefined` if it does not exist.
 * @param {string} file
 */
export function readText(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
