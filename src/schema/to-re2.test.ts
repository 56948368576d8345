import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compilePattern } from './matcher.ts'
import { toRe2 } from './to-re2.ts'

const atom = fc.constantFrom(
  ...['a', 'b', 'Z', '0', ' ', '-', '_', '/', '😀', 'é', '.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\.', '\\/'],
  ...[
    '\\t',
    '\\n',
    '\\x41',
    '\\u0041',
    '\\u00e9',
    '\\ud83d\\ude00',
    '\\cJ',
    '\\0',
    '\\p{L}',
    '\\P{Lu}',
    '\\b',
    '^',
    '$',
  ],
  ...[
    '[ab]',
    '[^ab]',
    '[a-z0-9]',
    '[\\s\\d]',
    '[^\\S]',
    '[\\w.-]',
    '[]',
    '[^]',
    '[\\u0061-\\u0063]',
    '[\\b]',
    '[[]',
    '[^\\]\\\\]',
  ],
)
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '{0,}', '*?', '+?')
const piece = fc.tuple(atom, quantifier).map(([a, q]) => (['^', '$', '\\b'].includes(a) ? a : a + q))
const pattern: fc.Arbitrary<string> = fc.letrec((tie) => ({
  all: fc.oneof({ depthSize: 'small', maxDepth: 3 }, piece, tie('joined'), tie('either'), tie('group')),
  // `\\0` before a digit would be another escape, which no Unicode pattern has.
  joined: fc.tuple(tie('all'), tie('all')).map(([a, b]) => `${a}${`${a}`.endsWith('\\0') ? `(?:${b})` : b}`),
  either: fc.tuple(tie('all'), tie('all')).map(([a, b]) => `(?:${a}|${b})`),
  group: fc.tuple(tie('all'), fc.constantFrom('(', '(?:'), quantifier).map(([a, open, q]) => `${open}${a})${q}`),
})).all as fc.Arbitrary<string>

const text = fc.array(
  fc.constantFrom(
    ...[
      'a',
      'b',
      'c',
      'Z',
      '0',
      ' ',
      '-',
      '_',
      '/',
      '.',
      '\n',
      '\r',
      '\t',
      '\u00a0',
      '\u2028',
      '\0',
      'é',
      '😀',
      ']',
      '\b',
    ],
  ),
  { maxLength: 6 },
)

test('RE2 matches the same strings as ECMAScript, in linear time', () => {
  let linear = 0
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 8 }), (source, texts) => {
      const native = new RegExp(source, 'u')
      const matcher = compilePattern(source)
      if (matcher.linear) linear++
      for (const characters of texts) {
        const one = characters.join('')
        expect([source, one, matcher.test(one)]).toEqual([source, one, native.test(one)])
      }
    }),
    { numRuns: 2000 },
  )
  expect(linear).toBeGreaterThan(1000)
})

test.each(['(?=a)', '(?!a)', '(?<=a)', '(?<!a)', '(a)\\1', '(?<n>a)\\k<n>', '(?i:a)', '\\p{Script=Greek}', '\\ud800'])(
  '%s is not translated: no linear form is known to be equivalent',
  (source) => {
    expect(toRe2(source)).toBeUndefined()
  },
)

test('repeats that RE2 refuses are matched natively', () => {
  const matcher = compilePattern('^a{1001}$')
  expect([matcher.linear, matcher.test('a'.repeat(1001)), matcher.test('a'.repeat(1000))]).toEqual([false, true, false])
})
