import { mixedScripts, punycodeReading } from '../../../../src/core/display/punycode.ts'
import type { JsonValue } from '../../../../src/protocol/json/json.ts'

/** A string that may read as something else than it is. */
export interface LookAlike {
  /** How its Punycode reads. `undefined`: it has none. */
  reading: string | undefined
  /** The scripts whose letters are mixed in one word of it. */
  scripts: string[]
}

/** So many are told of one argument. */
const MOST = 3

/** Host names in Punycode and words of several scripts, anywhere in a value. */
export function lookAlikes(value: JsonValue | undefined): LookAlike[] {
  const found: LookAlike[] = []
  const visit = (each: JsonValue | undefined): void => {
    if (found.length >= MOST || each === null || each === undefined) return
    if (typeof each === 'object') {
      for (const inner of Object.values(each)) visit(inner)
      return
    }
    if (typeof each !== 'string') return
    const reading = punycodeReading(each)
    const scripts = mixedScripts(reading ?? each)
    if (reading !== undefined || scripts.length > 0) found.push({ reading, scripts })
  }
  visit(value)
  return found
}
