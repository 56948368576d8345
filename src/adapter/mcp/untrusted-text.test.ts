import { expect, test } from 'vitest'
import { revealed, revealedSchema } from './untrusted-text.ts'

test('invisible characters are shown, and visible ones are unchanged', () => {
  expect(revealed('a\u200bb\u202ec\u{E0041}\u00a0\u0007')).toBe('a‹U+200B›b‹U+202E›c‹U+E0041›‹U+00A0›‹U+0007›')
  expect(revealed('Zeile 1\n\tZeile 2: äöü 漢字')).toBe('Zeile 1\n\tZeile 2: äöü 漢字')
})

test('the same holds for every string of a schema', () => {
  const schema = {
    type: 'object',
    properties: { a: { description: 'x\u200b', enum: ['\u200b'] } },
    allOf: [{ title: '\u200b' }],
  }
  expect(revealedSchema(schema)).toEqual({
    type: 'object',
    properties: { a: { description: 'x‹U+200B›', enum: ['\u200b'] } },
    allOf: [{ title: '‹U+200B›' }],
  })
})
