import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hiddenCount, hiddenIn, toAtoms } from './hidden.ts'
import { visible, visibleBrief } from './visible.ts'

describe('hidden characters', () => {
  it.each([
    ['a change of direction', 'a\u202eb\u2066c\u200fd', 'a‹RLO›b‹LRI›c‹RLM›d', 3],
    ['zero width', 'a\u200bb\u200cc\u2060d\ufeffe', 'a‹ZWSP›b‹ZWNJ›c‹WJ›d‹BOM›e', 4],
    ['controls', 'a\u001b[2Jb\u0000', 'a‹U+001B›[2Jb‹U+0000›', 2],
    ['tags', 'hi\u{e0041}\u{e0042}', 'hi‹U+E0041›‹U+E0042›', 2],
    ['selectors that carry data', '😀\u{e0101}\u{e0102}a\ufe0f', '😀‹U+E0101›‹U+E0102›a‹U+FE0F›', 3],
    ['a joiner outside of emoji', 'a\u200db', 'a‹ZWJ›b', 1],
    ['drawn as nothing', 'a\u3164b\u2800c', 'a‹U+3164›b‹U+2800›c', 2],
    ['heaps of accents', `a${'\u0301'.repeat(6)}`, `a${'\u0301'.repeat(4)}‹U+0301›‹U+0301›`, 2],
  ])('%s are marked and counted', (_, text, shown, count) => {
    expect(visible(text)).toBe(shown)
    expect(hiddenIn(text)).toBe(count)
  })

  it.each([
    ['emoji with joiners, tones and selectors', '👩🏽‍💻 ❤️ 1️⃣ 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['letters of any script', 'Grüße, здравствуйте, שלום, नमस्ते, 您好'],
  ])('%s are shown as they are', (_, text) => {
    expect(visible(text)).toBe(text)
    expect(hiddenIn(text)).toBe(0)
  })

  it('line ends, tabs and wide blanks are marked in a line, and hide nothing', () => {
    expect(visible('a\nb\tc\u3000d')).toBe('a\\nb\\tc‹U+3000›d')
    expect(hiddenIn('a\r\nb\tc\u3000d\u00a0e')).toBe(0)
  })

  it('are counted in every value and key, however deep', () => {
    expect(hiddenCount({ a: ['\u202e', { 'k\u200b': 'x', n: 1, z: null }], b: true })).toBe(2)
  })

  it('nothing hidden is left in a line, and a line that has none keeps every character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        const shown = visible(text)
        for (const atom of toAtoms(shown)) expect(typeof atom).toBe('string')
        expect(shown).not.toMatch(/\p{Cc}|[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/u)
        if (hiddenIn(text) === 0 && !/[\n\r\t\p{Zs}‹]/u.test(text)) expect(shown).toBe(text)
      }),
    )
  })

  it('a long string is cut with its length', () => {
    expect(visibleBrief('x'.repeat(1500), 10)).toBe('xxxxxxxxxx… (1,500 characters)')
    expect(visibleBrief('short', 10)).toBe('short')
  })
})
