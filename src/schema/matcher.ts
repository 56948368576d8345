import { loadRe2 } from './load.ts'
import { toRe2 } from './to-re2.ts'

/** A compiled regular expression of a schema. */
export interface Matcher {
  test(text: string): boolean
  /** Whether matching takes time linear in the text. The native engine may take exponential time. */
  readonly linear: boolean
}

/** Compiles an ECMAScript regular expression, with linear-time matching where possible. Throws a SyntaxError for an invalid one. */
export function compilePattern(pattern: string): Matcher {
  const native = compileNative(pattern)
  const translated = toRe2(pattern)
  if (translated === undefined) return native
  try {
    const linear = loadRe2().compile(translated)
    return { test: (text) => linear.matcher(text).find(), linear: true }
  } catch {
    // For example repeats above 1000.
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
