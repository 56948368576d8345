import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../scripts/lib/sizes.js'
import { checkSizes, readKnown, readSources } from '../../scripts/sizes.js'

const NOTHING = { kept: [], toShorten: [] }
const lines = (count: number) => Array.from({ length: count }, (_, index) => `  use(${index})`).join('\n')

describe('sizes', () => {
  it('of files, functions and parameter lists are within the limits, or on a list that only gets shorter', () => {
    expect(checkSizes(readSources(), readKnown())).toEqual([])
  })

  it('a function counts with everything inside of it', () => {
    const inner = `function inner() {\n${lines(LIMITS.function - 2)}\n}`
    expect(checkSizes({ 'a.ts': inner }, NOTHING)).toEqual([])
    const found = checkSizes({ 'a.ts': `const make = () => {\n${inner}\n}` }, NOTHING)
    expect(found).toEqual([expect.stringContaining(`a.ts:1: make has ${LIMITS.function + 2} lines`)])
  })

  it.each([
    ['a function', 'function f(a, b, c, d) {}', 'f has 4 parameters'],
    ['a method', 'class A { m(a: 1, b: 2, c: 3, d: 4) {} }', 'm has 4 parameters'],
    ['a constructor', 'class A { constructor(a, b, c, d) {} }', 'constructor has 4 parameters'],
    ['a file', lines(LIMITS.file + 1), `a.ts has ${LIMITS.file + 1} lines`],
  ])('%s over a limit is reported', (_, text, problem) => {
    expect(checkSizes({ 'a.ts': text }, NOTHING)).toEqual([expect.stringContaining(problem)])
  })

  it('an entry that is within the limits by now must leave the list', () => {
    const known = { kept: [], toShorten: ['a.ts#f'] }
    expect(checkSizes({ 'a.ts': 'function f() {}' }, known)).toEqual([expect.stringContaining('a.ts#f is within')])
  })

  it('what is kept whole must say why in its file', () => {
    const text = `function f() {\n${lines(LIMITS.function)}\n}`
    const known = { kept: ['a.ts#f'], toShorten: [] }
    expect(checkSizes({ 'a.ts': text }, known)).toEqual([expect.stringContaining('does not say why')])
    expect(checkSizes({ 'a.ts': `// Kept whole: it is one table.\n${text}` }, known)).toEqual([])
  })
})
