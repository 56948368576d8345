import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { LAYOUT } from '../layout.js'
import { listFiles } from './files.js'
import { parseModule } from './imports.js'
import { ROOT } from './root.js'

/**
 * @typedef {import('./imports.js').Import & { from: string, to?: string }} Edge `to`: the file inside src/, if any
 * @typedef {{ files: Map<string, import('./imports.js').Parsed>, edges: Edge[] }} Tree
 */

/** Reads src/ from disk. @param {string} [src] */
export function readTree(src = join(ROOT, 'src')) {
  const paths = listFiles(src).filter((path) => /\.[cm]?tsx?$/.test(path))
  return treeOf(Object.fromEntries(paths.map((path) => [path, readFileSync(join(src, path), 'utf8')])))
}

/** Parses a tree given as path → text. @param {Record<string, string>} sources @returns {Tree} */
export function treeOf(sources) {
  const files = new Map(Object.entries(sources).map(([path, text]) => [path, parseModule(path, text)]))
  const edges = [...files].flatMap(([from, parsed]) =>
    parsed.imports.map((each) => {
      if (!each.specifier.startsWith('.')) return { ...each, from }
      return { ...each, from, to: posix.join(posix.dirname(from), each.specifier).replace(/\.js$/, '.ts') }
    }),
  )
  return { files, edges }
}

/** @param {string} path */
export const isTest = (path) => path.endsWith('.test.ts')

/** The row of the table that a file belongs to; '' for entry points. @param {string} path */
export function folderOf(path) {
  const parts = path.split('/')
  if (parts.length === 1) return ''
  for (let depth = Math.min(parts.length, 3); depth > 1; depth -= 1) {
    const nested = parts.slice(0, depth).join('/').replace(/\.ts$/, '')
    if (nested in LAYOUT) return nested
  }
  return /** @type {string} */ (parts[0])
}

/** @param {Edge[]} edges @param {(path: string) => string} nodeOf */
export function graphOf(edges, nodeOf) {
  /** @type {Map<string, Set<string>>} */
  const graph = new Map()
  for (const { from, to } of edges) {
    if (to === undefined) continue
    // A file that imports itself is a cycle; a folder that imports itself is not.
    if (from !== to && nodeOf(from) === nodeOf(to)) continue
    graph.set(nodeOf(from), (graph.get(nodeOf(from)) ?? new Set()).add(nodeOf(to)))
  }
  return graph
}
