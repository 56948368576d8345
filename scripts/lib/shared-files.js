import { join } from 'node:path'
import { ROOT } from './root.js'

/** @typedef {{ getModuleInfo(id: string): { importedIds: readonly string[] } | null }} Graph */

/** Entry points that run in browsers. */
const BROWSER = ['client', 'react']

/**
 * Names the file of dist/shared that a module is put into. All that `import 'holdpoint'` loads goes into two: what browsers load too, and the rest. Whatever
 * a module of one imports is in that file or in the first, so neither imports another file of dist/, and every other entry point shares them. The bundler
 * divides the remaining modules itself.
 */
export function sharedFiles() {
  /** @type {{ index: Set<string>, browser: Set<string> } | undefined} */
  let reached
  return (/** @type {string} */ id, /** @type {Graph} */ graph) => {
    reached ??= { index: reachedFrom(['index'], graph), browser: reachedFrom(BROWSER, graph) }
    if (!reached.index.has(id)) return null
    return reached.browser.has(id) ? 'common' : 'core'
  }
}

/**
 * Every module that entry points import, directly or not.
 * @param {readonly string[]} entries
 * @param {Graph} graph
 */
function reachedFrom(entries, graph) {
  const reached = new Set(entries.map((name) => join(ROOT, 'src', `${name}.ts`)))
  // A set also visits what is added meanwhile.
  for (const id of reached) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) reached.add(imported)
  return reached
}
