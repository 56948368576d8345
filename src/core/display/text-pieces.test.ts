import { expect, test } from 'vitest'
import { textPieces } from './text-pieces.ts'

const RLO = { mark: 'RLO', code: 'U+202E' }

test('plain text is one piece, with its line ends and tabs', () => {
  expect(textPieces('Refund €12.00 to Zoë\n\tnow\n\nbye')).toEqual(['Refund €12.00 to Zoë\n\tnow\n\nbye'])
  expect(textPieces('')).toEqual([])
})

test('what cannot be seen is a piece of its own, and what is beside it stays whole', () => {
  expect(textPieces('pay \u202eevil ümlaut 東京')).toEqual(['pay ', RLO, 'evil ümlaut 東京'])
  expect(textPieces('\u202e\u202e')).toEqual([RLO, RLO])
})

test('four line ends or more are their number, also with blanks between them', () => {
  expect(textPieces('a\n\n\nb')).toEqual(['a\n\n\nb'])
  expect(textPieces('a\n \r\n\t\n\nb\u202e')).toEqual(['a', { lineEnds: 4 }, 'b', RLO])
})
