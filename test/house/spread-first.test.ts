import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listFiles } from '../../scripts/lib/files.js'
import { ROOT } from '../../scripts/lib/root.js'
import { rewriteSpreads } from '../../scripts/lib/spread-first.js'
import { soak } from '../support/soak.ts'

/** What an expression evaluates to, with the order of its keys, and the order in which its parts were evaluated. */
function evaluated(code: string): { json: string | undefined; seen: unknown[] } {
  const seen: unknown[] = []
  const see = (value: unknown) => {
    seen.push(JSON.stringify(value))
    return value
  }
  return { json: JSON.stringify(runInNewContext(`(${code})`, { see })), seen }
}

const key = fc.constantFrom('a', 'b', 'c', '"d e"', '["f" + 1]')
const { literal } = fc.letrec<{ literal: string; item: string; value: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.constantFrom('1', 'undefined', '`x`', '[1]'), tie('literal')),
  item: fc.oneof(
    fc.tuple(key, tie('value')).map(([name, value]) => `${name}: see(${value})`),
    tie('literal').map((value) => `...see(${value})`),
    tie('literal').map((value) => `...(see(0) ? {} : ${value})`),
    fc.constantFrom('...null', '...undefined', '...(see(1) && false)', 'm() { return 1 }'),
  ),
  // A key that a literal names twice is out of order in Node 20 by itself, and lint refuses it.
  literal: fc
    .uniqueArray(tie('item'), {
      maxLength: 4,
      selector: (item) => (item.startsWith('...') ? item : item.split(':')[0]),
    })
    .map((items) => `{ ${items.join(', ')} }`),
}))

describe('object literals that begin with a spread', () => {
  it('mean the same after they are rewritten', () => {
    fc.assert(
      fc.property(literal, (code) => {
        expect(evaluated(rewriteSpreads(`(${code})`))).toEqual(evaluated(code))
      }),
      soak.runs(200, 5000),
    )
  })

  it('are rewritten wherever they are nested, with trailing commas and comments', () => {
    const code = 'const x = { ...a, // first\n  b: { ...c, d, }, ...e, f: [{ ...g, h() { return { ...i, j } } }] }'
    expect(rewriteSpreads(code)).toBe(
      'const x = Object.assign({}, a, // first\n  { b: Object.assign({}, c, { d, }) }, e, { f: [Object.assign({}, g, { h() { return Object.assign({}, i, { j }) } })] })',
    )
  })

  it('stay as they are where Object.assign would mean something else or is not needed', () => {
    for (const code of [
      '({ ...a })',
      '({ b, ...a })',
      '({ ...a, get b() { return 1 } })',
      '({ ...a, __proto__: b })',
      'const { b, ...a } = c',
    ])
      expect(rewriteSpreads(code)).toBe(code)
  })

  it('are gone from what the build writes', () => {
    const files = listFiles(join(ROOT, 'dist')).filter((file) => file.endsWith('.js') && !file.startsWith('inbox/'))
    expect(files.length).toBeGreaterThan(10)
    for (const file of files) {
      const code = readFileSync(join(ROOT, 'dist', file), 'utf8')
      expect(rewriteSpreads(code) === code, file).toBe(true)
    }
  })
})
