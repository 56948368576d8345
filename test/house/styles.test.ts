import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listFiles } from '../../scripts/lib/files.js'
import { ROOT } from '../../scripts/lib/root.js'

const SOURCE = join(ROOT, 'inbox', 'src')
/** Loaded with the page. Every other file of styles comes with a view, when it is first opened. */
const isEager = (file: string) => file.startsWith('styles/')

/** The selectors of a file, those inside of media queries, too. */
function selectorsOf(css: string): string[] {
  const plain = css.replace(/\/\*[\s\S]*?\*\//g, '')
  return [...plain.matchAll(/([^{}]+)\{/g)]
    .map(([, text = '']) => text.trim())
    .filter((text) => !text.startsWith('@') && !/^(from|to|[\d.]+%)$/.test(text))
    .flatMap((text) => text.split(/,(?![^(]*\))/))
    .map((text) => text.trim().replace(/\s+/g, ' '))
}

const sheets = listFiles(SOURCE)
  .filter((file) => file.endsWith('.css'))
  .map((file) => ({ file, selectors: selectorsOf(readFileSync(join(SOURCE, file), 'utf8')) }))

const classesOf = (selector: string) => selector.match(/\.[a-zA-Z][\w-]*/g) ?? []

describe('the styles of the inbox', () => {
  it('write each selector in one file', () => {
    const places = new Map<string, Set<string>>()
    for (const { file, selectors } of sheets)
      for (const selector of selectors) places.set(selector, (places.get(selector) ?? new Set()).add(file))
    expect([...places].filter(([, files]) => files.size > 1).map(([selector]) => selector)).toEqual([])
    expect(places.size).toBeGreaterThan(300)
  })

  it('of a view that loads later restyle nothing that was on the page before', () => {
    const eager = new Set(
      sheets.filter(({ file }) => isEager(file)).flatMap(({ selectors }) => selectors.flatMap(classesOf)),
    )
    const loose = sheets
      .filter(({ file }) => !isEager(file))
      .flatMap(({ file, selectors }) => selectors.map((selector) => ({ file, selector })))
      .filter(({ selector }) => classesOf(selector).every((name) => eager.has(name)))
    expect(loose).toEqual([])
  })
})
