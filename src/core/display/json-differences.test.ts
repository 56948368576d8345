import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JsonValue, jsonEqual } from '../../protocol/json/json.ts'
import { jsonDifferences } from './json-differences.ts'

const between = (from: JsonValue | undefined, to: JsonValue | undefined, arrays: 'whole' | 'each' = 'whole') =>
  jsonDifferences({ path: 'args', from, to }, arrays)

describe('the differences of two values', () => {
  it('names what came, went and changed by its path', () => {
    expect(between({ a: 1, b: { c: 'x', d: null }, e: true }, { a: 2, b: { c: 'x' }, f: [] })).toEqual([
      { path: 'args.a', from: 1, to: 2 },
      { path: 'args.b.d', from: null },
      { path: 'args.e', from: true },
      { path: 'args.f', to: [] },
    ])
    expect(between(undefined, { a: 1 })).toEqual([{ path: 'args', to: { a: 1 } }])
    expect(jsonDifferences({ path: '', from: { a: { b: 1 } }, to: { a: { b: 2 } } }, 'whole')).toEqual([
      { path: 'a.b', from: 1, to: 2 },
    ])
  })

  it('compares arrays whole, or element by element', () => {
    const [from, to] = [{ to: ['a', { n: 1 }, 'c'] }, { to: ['a', { n: 2 }] }]
    expect(between(from, to)).toEqual([{ path: 'args.to', from: from.to, to: to.to }])
    expect(between(from, to, 'each')).toEqual([
      { path: 'args.to.1.n', from: 1, to: 2 },
      { path: 'args.to.2', from: 'c' },
    ])
  })

  it('takes a list, an object and nothing for different things, and inherited names for absent', () => {
    expect(between([], {})).toEqual([{ path: 'args', from: [], to: {} }])
    expect(between({ a: null }, {})).toEqual([{ path: 'args.a', from: null }])
    expect(between({}, { constructor: 1 })).toEqual([{ path: 'args.constructor', to: 1 }])
  })

  it('finds none exactly if the values are equal, whatever the order of their keys', () => {
    const values = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>
    fc.assert(
      fc.property(values, values, fc.constantFrom('whole' as const, 'each' as const), (from, to, arrays) => {
        expect(between(from, to, arrays).length === 0).toBe(jsonEqual(from, to))
        expect(between(from, structuredClone(from), arrays)).toEqual([])
      }),
    )
    expect(between([{ a: 1, b: 2 }], [{ b: 2, a: 1 }])).toEqual([])
  })
})
