import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, hmacSha256, macEqual, sha256 } from './canonical.ts'
import type { JsonObject, JsonValue } from './json.ts'

test('the canonical form is that of RFC 8785', () => {
  // Section 3.2.2 of the RFC.
  const example = JSON.parse(String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`) as JsonValue
  expect(canonicalJson(example)).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  )
  // Section 3.2.3: keys are sorted by their UTF-16 code units.
  const keys = {
    '\u20ac': 'Euro',
    '\r': 'CR',
    '\ufb33': 'Dalet',
    '1': 'One',
    '\ud83d\ude00': 'Smiley',
    '\u0080': 'Control',
    '\u00f6': 'o',
  }
  expect(Object.values(JSON.parse(canonicalJson(keys)) as JsonObject)).toEqual([
    'One',
    'CR',
    'Control',
    'o',
    'Euro',
    'Smiley',
    'Dalet',
  ])
})

test('numbers are written as RFC 8785 says', () => {
  // Appendix B of the RFC, from IEEE 754 bits.
  const vectors: [string, string][] = [
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
  ]
  for (const [bits, text] of vectors) expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text)
})

test('equal values have one canonical form, whatever the order of their keys', () => {
  const shuffle = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(shuffle)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, item]) => [key, shuffle(item)]),
    )
  }
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as JsonValue
      expect(canonicalJson(shuffle(plain))).toBe(canonicalJson(plain))
      expect(canonicalJson(JSON.parse(canonicalJson(plain)) as JsonValue)).toBe(canonicalJson(plain))
    }),
  )
})

test('a key called __proto__ counts like any other', () => {
  const odd = JSON.parse('{"__proto__": {"x": 1}, "a": 2}') as JsonValue
  expect(canonicalJson(odd)).toBe('{"__proto__":{"x":1},"a":2}')
})

test('hashes and MACs are the known ones', () => {
  expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  expect(sha256(new TextEncoder().encode('abc'))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
  expect(hmacSha256('Jefe', 'what do ya want for nothing?')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
  expect(hmacSha256('ü', '€')).toBe(createHmac('sha256', 'ü').update('€').digest('hex'))
})

test('MACs are equal only when every character is', () => {
  expect(macEqual('abcd', 'abcd')).toBe(true)
  for (const other of ['abce', 'abc', 'abcde', '', 'ABCD', 'äbcd']) expect(macEqual('abcd', other)).toBe(false)
})
