import { loadRe2 } from './load.ts'
import { toRe2 } from './to-re2.ts'

/** A regular expression of a schema. */
export interface Matcher {
  test(text: string): boolean
  /** Whether matching takes time linear in the text. The native engine may take exponential time. */
  readonly linear: boolean
}

/** Compiles a regular expression of ECMAScript, in linear time where it can be had. Throws what the language throws for what is none. */
export function compilePattern(pattern: string): Matcher {
  const native = compileNative(pattern)
  const translated = toRe2(pattern)
  if (translated === undefined) return native
  try {
    const linear = loadRe2().compile(translated)
    return { test: (text) => linear.matcher(text).find(), linear: true }
  } catch {
    // Repeats above 1000, say.
    return native
  }
}

/** Schemas are written for the flag `u`, and some only work without it (`[\w-.]`). */
function compileNative(pattern: string): Matcher {
  const expression = (flags: string): Matcher => {
    const regex = new RegExp(pattern, flags)
    return { test: (text) => regex.test(text), linear: false }
  }
  try {
    return expression('u')
  } catch {
    return expression('')
  }
}
