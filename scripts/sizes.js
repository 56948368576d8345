import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { listFiles } from './lib/files.js'
import { ROOT } from './lib/root.js'
import { excessOf, LIMITS } from './lib/sizes.js'

/**
 * What may be over a limit. `kept`: one idea that would be harder to read in pieces; its file says why, after "Kept whole:". `toShorten`: too
 * long since before there were limits. That list only gets shorter.
 * @typedef {{ kept: string[], toShorten: string[] }} Known
 */

const KNOWN = join(ROOT, 'scripts', 'sizes.json')
const FOLDERS = ['src', 'demo', 'scripts']

/**
 * Everything that is wrong with the sizes of files and functions, one line each.
 * @param {Record<string, string>} sources path → text
 * @param {Known} known
 * @returns {string[]}
 */
export function checkSizes(sources, { kept, toShorten }) {
  const excess = Object.entries(sources).flatMap(([path, text]) => excessOf(path, text))
  const ids = new Set(excess.map(({ id }) => id))
  const listed = [...kept, ...toShorten]
  return [
    ...excess.filter(({ id }) => !listed.includes(id)).map(({ problem }) => problem),
    ...listed.filter((id) => !ids.has(id)).map((id) => `${id} is within the limits: take it out of scripts/sizes.json`),
    ...kept
      .filter((id) => !/Kept whole: \S/.test(sources[fileOf(id)] ?? ''))
      .map(
        (id) => `${id} is kept whole, but its file does not say why: write a comment that begins with "Kept whole:"`,
      ),
  ]
}

/** @param {string} id */
const fileOf = (id) => /** @type {string} */ (id.split('#')[0])

/** The files that have limits: no tests, which are lists of cases. @returns {Record<string, string>} */
export function readSources() {
  const paths = FOLDERS.flatMap((folder) => listFiles(join(ROOT, folder)).map((path) => `${folder}/${path}`))
  const code = paths.filter((path) => /\.(js|ts)$/.test(path) && !/\.test\.ts$/.test(path))
  return Object.fromEntries(code.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]))
}

/** @returns {Known} */
export const readKnown = () => JSON.parse(readFileSync(KNOWN, 'utf8'))

/** Takes out what is within the limits by now. Nothing is ever added. @param {Record<string, string>} sources @param {Known} known */
function prune(sources, { kept, toShorten }) {
  const ids = new Set(Object.entries(sources).flatMap(([path, text]) => excessOf(path, text).map(({ id }) => id)))
  const rest = { kept: kept.filter((id) => ids.has(id)), toShorten: toShorten.filter((id) => ids.has(id)) }
  writeFileSync(KNOWN, `${JSON.stringify(rest, null, 2)}\n`)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const sources = readSources()
  if (process.argv.includes('--prune')) prune(sources, readKnown())
  const known = readKnown()
  const problems = checkSizes(sources, known)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0)
    console.error(
      `Limits: ${LIMITS.file} lines a file, ${LIMITS.function} a function, ${LIMITS.parameters} parameters.`,
    )
  console.log(`${Object.keys(sources).length} files, ${known.toShorten.length} to shorten, ${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
