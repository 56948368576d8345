import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../../scripts/lib/ensure.js'
import { ROOT } from '../../scripts/lib/root.js'

const BUDGET = 150 * 1024
const PAGE = join(ROOT, 'dist', 'inbox')

/** The scripts and styles that a browser loads before it shows anything: what the page names, and what these import at once. */
function firstLoad(): string[] {
  const html = readFileSync(join(PAGE, 'index.html'), 'utf8')
  const found = new Set<string>()
  const visit = (file: string): void => {
    if (found.has(file)) return
    found.add(file)
    if (!file.endsWith('.js')) return
    const text = readFileSync(join(PAGE, file), 'utf8')
    for (const [, name] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g))
      visit(join('assets', name as string))
  }
  for (const [, file] of html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)) visit(file as string)
  return [...found]
}

describe('the page as it is built', () => {
  beforeAll(() => ensureBuilt(), 120_000)

  it('first loads less than 150 KB, gzipped', () => {
    const sizes = firstLoad().map((file) => [file, gzipSync(readFileSync(join(PAGE, file))).length] as const)
    const sum = sizes.reduce((all, [, size]) => all + size, 0)
    expect(sizes.length).toBeGreaterThan(1)
    expect(sum, JSON.stringify(Object.fromEntries(sizes))).toBeLessThan(BUDGET)
    expect(sum).toBeGreaterThan(60 * 1024)
  })

  it.each([
    'decisions-view',
    'grants-view',
    'figures-view',
    'thread-view',
    'settings-view',
    'validate',
    'preview-body',
    'zh',
  ])('loads %s when it is first needed', (name) => {
    const [file] = readdirSync(join(PAGE, 'assets')).filter(
      (each) => each.startsWith(`${name}-`) && each.endsWith('.js'),
    )
    expect(file).toBeDefined()
    expect(firstLoad()).not.toContain(join('assets', file as string))
  })

  it('has no inline code and names no other host', () => {
    const html = readFileSync(join(PAGE, 'index.html'), 'utf8')
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>/)
    expect(html).not.toMatch(/<style|\bstyle=|\son\w+=/)
    expect(html).not.toMatch(/https?:\/\//)
  })
})
