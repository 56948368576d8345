import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What the demo keeps beside its store: which conversations it has begun, which facts it has changed, and which number comes next.
 * @typedef {object} Notes
 * @property {string[]} active first messages of conversations that are to begin
 * @property {Record<string, string>} facts
 * @property {number} next the number of the next generated conversation
 * @property {boolean} begun whether the first conversations have begun
 */

/**
 * @typedef {object} Notebook
 * @property {() => Readonly<Notes>} read
 * @property {(change: (notes: Notes) => void) => void} write replaces the file as a whole, so that a crash leaves the old one or the new one
 */

/** @param {string} folder @returns {Notebook} */
export function notebookIn(folder) {
  const path = join(folder, 'demo.json')
  let notes = load(path)
  return {
    read: () => notes,
    write(change) {
      const next = structuredClone(notes)
      change(next)
      mkdirSync(folder, { recursive: true })
      writeFileSync(`${path}.new`, JSON.stringify(next, undefined, 2), { flush: true })
      renameSync(`${path}.new`, path)
      notes = next
    },
  }
}

/** @param {string} path @returns {Notes} */
function load(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error
    return { active: [], facts: {}, next: 1, begun: false }
  }
}
