import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { listFiles } from '../../scripts/lib/files.js'
import { ROOT } from '../../scripts/lib/root.js'
import { warningNames } from '../../src/ports/warnings.ts'
import { errorCodes } from '../../src/protocol/error-base.ts'
import * as errors from '../../src/protocol/errors.ts'
import { snippetsOf, toModule } from './snippets.ts'

const pages = listFiles(ROOT).filter((path) => /^(README[^/]*|CONTRIBUTING|docs\/.*|examples\/.*)\.md$/.test(path))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

describe('the pages', () => {
  const dir = join(ROOT, '.build', `snippets-${process.pid}`)
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  it('have TypeScript that compiles against the package', () => {
    const snippets = pages.flatMap(snippetsOf)
    expect(snippets.length).toBeGreaterThan(20)
    mkdirSync(dir, { recursive: true })
    for (const snippet of snippets) writeFileSync(join(dir, `${snippet.name}.ts`), toModule(snippet))
    const compilerOptions = {
      noEmit: true,
      noUnusedLocals: false,
      noUnusedParameters: false,
      verbatimModuleSyntax: false,
    }
    const include = ['*.ts', join(ROOT, 'test/examples/given.d.ts')]
    const config = { extends: join(ROOT, 'tsconfig.base.json'), compilerOptions, include }
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const done = spawnSync(process.execPath, [tsc, '-p', dir, '--pretty', 'false'], { cwd: dir, encoding: 'utf8' })
    expect(`${done.stdout}${done.stderr}`).toBe('')
    expect(done.status).toBe(0)
  })

  it.each(pages)('have no dead links: %s', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? '')
    expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([])
  })
})

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
