import { readFileSync } from 'node:fs'
import type { JsonObject } from '../../../src/index.ts'

/** The input of a hook. The names are those of the files in `inputs`, most of which were recorded: see its README. */
export function inputOf(name: string, changes: JsonObject = {}): JsonObject {
  const text = readFileSync(new URL(`./inputs/${name}.json`, import.meta.url), 'utf8')
  return { ...(JSON.parse(text) as JsonObject), ...changes }
}
