import { expect, test } from 'vitest'
import { expandedSize } from './pattern-size.ts'

test.each([
  ['abc', 3],
  ['a{10}', 10],
  ['a{2,10}', 10],
  ['a{2,}', 3],
  ['a{0}', 1],
  ['(ab){10}', 30],
  ['((a{10}){10}){10}', 1110],
  ['\\d{5}', 5],
  ['[a-z{3}\\]]{5}', 5],
  ['\\{3}', 3],
])('%s has the size %i with its repeats written out', (pattern, size) => {
  expect(expandedSize(pattern)).toBe(size)
})
