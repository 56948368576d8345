import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cloneJson, isWellFormed, type JsonValue, jsonEqual, jsonProblem, parseArgsText, wellFormed } from './json.ts'

const accepted = (text: string) => {
  const read = parseArgsText(text)
  return read.ok ? read.args : read.problem
}
const problem = (text: string) => {
  const read = parseArgsText(text)
  return read.ok ? `accepted ${JSON.stringify(read.args)}` : read.problem
}

test('arguments are read when every number in them is held exactly', () => {
  expect(accepted('{"n": 1.0}')).toEqual({ n: 1 })
  expect(accepted('{"n": 1}')).toEqual({ n: 1 })
  expect(accepted('{"n": 100e-2}')).toEqual({ n: 1 })
  expect(accepted('{"n": [0, 0.0, 0e7, 1E2, 1e+2, -5, 0.1, 1.10, 9007199254740991, 1e21, 5e-324]}')).toEqual({
    n: [0, 0, 0, 100, 100, -5, 0.1, 1.1, 9007199254740991, 1e21, 5e-324],
  })
  expect(accepted('{"n": 1.7976931348623157e308}')).toEqual({ n: Number.MAX_VALUE })
  expect(accepted('{}')).toEqual({})
})

test('a number that cannot be held exactly is a problem, not a rounding', () => {
  for (const number of [
    '9007199254740993',
    '12345678901234567890',
    '0.1000000000000000055',
    '1e400',
    '-1e400',
    '1e-400',
    '4.9e-324',
    '-0',
    '-0.0',
    '-0e5',
  ])
    expect(problem(`{"a": [1, {"n": ${number}}]}`)).toBe(
      `the number ${number} cannot be held exactly; send it as a string`,
    )
})

test('digits inside strings and keys are not numbers', () => {
  expect(accepted('{"12345678901234567890": "1e400 \\" 9007199254740993", "k\\\\": "-0"}')).toEqual({
    '12345678901234567890': '1e400 " 9007199254740993',
    'k\\': '-0',
  })
})

test('a value that is not a JSON object is a problem', () => {
  for (const text of ['', ' ', '{', '{"a":}', "{'a': 1}", '{"a": 01}', '{"a": NaN}', 'undefined', '{"a": 1,}'])
    expect(problem(text)).toMatch(/not JSON/)
  for (const text of ['null', '1', '"x"', '[]', '[{}]', 'true'])
    expect(problem(text)).toBe('the arguments are not a JSON object')
})

test('a lone surrogate is a problem, in values and in keys; a pair is none', () => {
  expect(problem('{"a": "\\ud83d"}')).toContain('lone surrogate')
  expect(problem('{"a": "\\ude00\\ud83d"}')).toContain('lone surrogate')
  expect(problem('{"\\ud83d": 1}')).toContain('lone surrogate')
  expect(accepted('{"a": "\\ud83d\\ude00"}')).toEqual({ a: '😀' })
})

test('deep nesting and long strings do not overflow the stack', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
  expect(parseArgsText(nested(150)).ok).toBe(true)
  expect(problem(nested(250))).toContain('levels deep')
  expect(problem(nested(50_000))).toContain('levels deep')
  const large = 'x\\n'.repeat(8_000_000)
  expect(parseArgsText(`{"a": "${large}", "n": 1}`).ok).toBe(true)
})

test('keys that are special to JavaScript are plain keys', () => {
  const args = accepted('{"__proto__": {"x": 1}, "constructor": 2}') as object
  expect(Object.keys(args)).toEqual(['__proto__', 'constructor'])
  expect(Object.getPrototypeOf(args)).toBe(Object.prototype)
  const copy = cloneJson(args as JsonValue) as object
  expect(Object.keys(copy)).toEqual(['__proto__', 'constructor'])
  expect(jsonEqual(copy as JsonValue, args as JsonValue)).toBe(true)
  expect(jsonEqual(copy as JsonValue, { constructor: 2 } as never)).toBe(false)
  expect(jsonEqual(JSON.parse('{"__proto__": {}}') as JsonValue, { a: {} })).toBe(false)
})

test('plain JSON is what reads back equal, and anything else is named by its place', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const text = JSON.stringify(value)
      const plain = JSON.parse(text) as JsonValue
      expect(jsonProblem(plain)).toBeUndefined()
      expect(jsonEqual(cloneJson(plain), plain)).toBe(true)
      expect(JSON.stringify(cloneJson(plain))).toBe(JSON.stringify(plain))
    }),
  )
  const sparse = [1]
  sparse[2] = 3
  for (const [value, place] of [
    [{ a: { b: [1, undefined] } }, '$.a.b[1]'],
    [{ a: Number.NaN }, '$.a'],
    [{ a: -0 }, '$.a'],
    [sparse, '$[1]'],
    [{ when: new Date() }, '$.when'],
    [{ f() {} }, '$.f'],
    [{ m: new Map() }, '$.m'],
    [{ n: 1n }, '$.n'],
    [{ [Symbol.iterator]: 1 }, '$'],
    ['\ud800', '$'],
    [Object.create({ inherited: 1 }), '$'],
  ] as [unknown, string][])
    expect(jsonProblem(value)).toContain(`${place} `)
  expect(jsonProblem(Object.create(null))).toBeUndefined()
})

test('equality does not depend on the order of keys, and on everything else', () => {
  expect(jsonEqual({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true)
  for (const other of [
    { a: 1 },
    { a: 1, b: [{ c: null }, 1] },
    { a: '1', b: [1, { c: null }] },
    { a: 1, b: [1, { c: 0 }] },
    { a: 1, b: { 0: 1, 1: { c: null } } },
    null,
    [],
  ] as JsonValue[])
    expect(jsonEqual({ a: 1, b: [1, { c: null }] }, other)).toBe(false)
  expect(jsonEqual(undefined, undefined)).toBe(true)
  expect(jsonEqual(undefined, null)).toBe(false)
  expect(jsonEqual([], {})).toBe(false)
})

test('a string is made well-formed by replacing lone surrogates alone', () => {
  expect(wellFormed('a\ud83db😀\ude00')).toBe('a\ufffdb😀\ufffd')
  expect(wellFormed('plain ✓')).toBe('plain ✓')
  expect([isWellFormed('😀'), isWellFormed('\ud83d'), isWellFormed('\ude00\ud83d')]).toEqual([true, false, false])
})
