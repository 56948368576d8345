import { execSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listFiles } from '../../scripts/lib/files.js'
import { ROOT } from '../../scripts/lib/root.js'
import { warningNames } from '../../src/ports/warnings.ts'
import { errorCodes } from '../../src/protocol/errors/error-base.ts'
import * as errors from '../../src/protocol/errors/errors.ts'

const pages = listFiles(ROOT).filter((path) =>
  /^(README[^/]*|CONTRIBUTING|CHANGELOG|docs\/.*|examples\/.*)\.md$/.test(path),
)
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

describe('the pages', () => {
  it.each(pages)('have no dead links: %s', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? '')
    expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([])
  })

  it.each(pages)('link to headings that are there: %s', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)]
    const dead = links.filter(([, path = '', anchor = '']) => {
      const target = path === '' ? page : join(dirname(page), path)
      return target.endsWith('.md') && !anchorsOf(read(target)).includes(anchor)
    })
    expect(dead.map(([link]) => link)).toEqual([])
  })

  it.each(
    pages.filter(
      (page) => page.startsWith('docs/') && /^```ts$/m.test(read(page)) && /npm install holdpoint/.test(read(page)),
    ),
  )('send a reader who starts with an empty folder to what it needs: %s', (page) => {
    expect(read(page)).toContain('(../../README.md#install)')
  })

  it.each(['README.md', 'README.zh.md', 'examples/README.md'])('make a folder in which modules run: %s', (page) => {
    const [, made = ''] = /^(npm init -y && npm pkg set type=module) /m.exec(read(page)) ?? []
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-new-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    execSync(made, { cwd: folder, stdio: 'ignore' })
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).type).toBe('module')
  })

  it('say in both READMEs where to read on, in the same order', () => {
    const linked = (page: string) => [...read(page).matchAll(/\]\((docs\/[^)#]+\.md)/g)].map(([, path]) => path)
    expect(linked('README.zh.md')).toEqual(linked('README.md'))
  })
})

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(markdown: string): string[] {
  const headings = [...markdown.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)]
  return headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe('the list of errors', () => {
  const rows = read('docs/reference/errors.md')
    .split('\n')
    .flatMap((line) => {
      const [, name = '', code = '', retry = ''] = /^\| `(\w+)` \| `(\w+)` \| (yes|no) \|/.exec(line) ?? []
      return code === '' ? [] : [{ name, code, retryable: retry === 'yes' }]
    })

  it('has every code, and says of each whether to try again', () => {
    const told = Object.fromEntries(rows.map(({ code, retryable }) => [code, retryable]))
    expect(told).toEqual(
      Object.fromEntries(Object.entries(errorCodes).map(([code, { retryable }]) => [code, retryable])),
    )
  })

  it('has every class', () => {
    const bases = ['HoldpointError', 'HitlError', 'HitlControlException']
    const classes = Object.keys(errors).filter((name) => /^[A-Z]/.test(name) && !bases.includes(name))
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(classes))
  })
})

describe('the list of warnings', () => {
  it('has every warning', () => {
    const rows = read('docs/reference/warnings.md').matchAll(/^\| `(\w+)` \|/gm)
    expect([...rows].map(([, name]) => name)).toEqual([...warningNames])
  })

  it('is complete: nothing else emits a warning', () => {
    const sources = listFiles(ROOT).filter((path) => path.startsWith('src/') && !path.startsWith('src/cli/'))
    expect(sources.filter((path) => read(path).includes('process.emitWarning('))).toEqual(['src/ports/warnings.ts'])
  })
})
