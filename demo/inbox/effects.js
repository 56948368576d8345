import { appendFileSync, mkdirSync, readFileSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Stands in for the bank, the mailer, the database: a file with one line for each thing that really happened. Like them, it knows the keys that it
 * has seen and does nothing twice.
 * @typedef {object} Effects
 * @property {(effect: Effect) => boolean} once writes a line unless one with the key is there; says whether it did
 * @property {() => Effect[]} all
 *
 * @typedef {{ key: string, what: string, thread: string, by: string }} Effect
 */

/** @param {string} path @returns {Effects} */
export function effectsAt(path) {
  const all = () => readLines(path).map((line) => /** @type {Effect} */ (JSON.parse(line)))
  return {
    all,
    once({ key, what, thread, by }) {
      if (all().some((effect) => effect.key === key)) return false
      mkdirSync(dirname(path), { recursive: true })
      dropCutLine(path)
      appendFileSync(path, `${JSON.stringify({ at: new Date().toISOString(), key, what, thread, by })}\n`, {
        flush: true,
      })
      return true
    },
  }
}

/** A line that was cut off, by a crash or a full disk, was never acknowledged. @param {string} path */
function readLines(path) {
  return textOf(path).split('\n').slice(0, -1)
}

/** The next line must not be written to the end of one that was cut off. @param {string} path */
function dropCutLine(path) {
  const text = textOf(path)
  const end = text.lastIndexOf('\n') + 1
  if (end < text.length) truncateSync(path, Buffer.byteLength(text.slice(0, end)))
}

/** @param {string} path */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return ''
    throw error
  }
}
