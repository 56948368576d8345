import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ENTRIES } from '../../scripts/layout.js'
import { exportsOf } from '../../scripts/lib/exports.js'
import { listFiles } from '../../scripts/lib/files.js'
import { ROOT } from '../../scripts/lib/root.js'
import { readTree, treeOf } from '../../scripts/lib/tree.js'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
// In a worktree `.git` is a file with the path of the repository.
const files = listFiles(ROOT).filter((path) => path !== '.git')
const manifest = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>
  exports: Record<string, string | { types: string; default: string }>
  bin: Record<string, string>
}

describe('the repository', () => {
  it("has every npm command that the README's name", () => {
    const readmes = files.filter((path) => /^README.*\.md$/.test(path))
    expect(readmes).toContain('README.md')
    const named = readmes.flatMap((path) => [...read(path).matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)])
    const commands = new Set(named.map((match) => match[1] ?? match[2] ?? ''))
    expect([...commands].filter((command) => !(command in manifest.scripts))).toEqual([])
    expect([...commands]).toEqual(expect.arrayContaining(['start', 'test']))
  })

  it('runs npm test and the soak on the server', () => {
    expect(read('.ci/run')).toMatch(/^npm test\nnpm run soak$/m)
    expect(statSync(join(ROOT, '.ci/run')).mode & 0o111).toBe(0o111)
  })

  it('exports each entry point of the layout, and nothing else', () => {
    const subpaths = Object.keys(manifest.exports).filter((subpath) => subpath !== './package.json')
    const names = subpaths.map((subpath) => (subpath === '.' ? 'index' : subpath.slice(2)))
    expect(names.sort()).toEqual(Object.keys(ENTRIES).sort())
    for (const name of names) expect(files).toContain(`src/${name}.ts`)
    for (const target of Object.values(manifest.bin)) {
      expect(files).toContain(target.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))
    }
  })

  it('has lock files without addresses', () => {
    const locks = files.filter((path) => path.endsWith('package-lock.json'))
    expect(locks).toContain('package-lock.json')
    expect(locks.filter((path) => /"resolved":\s*"[a-z+]+:/.test(read(path)))).toEqual([])
  })

  it('has no file in src/ over 400 lines', () => {
    const long = files.filter((path) => path.startsWith('src/') && read(path).split('\n').length > 401)
    expect(long).toEqual([])
  })

  it('names no path of the machine that it was made on', () => {
    const pattern = new RegExp(`(?<![\\w.-])/(${['work', 'farm'].join('|')})/`)
    const text = files.filter((path) => /\.([cm]?[jt]sx?|json|md|ya?ml|sql|html|css|txt)$|^[^.]+$|^\.[^/]+$/.test(path))
    expect(text.filter((path) => pattern.test(read(path)))).toEqual([])
  })
})

describe('the public names', () => {
  const tree = readTree()

  it.each(Object.keys(ENTRIES))('of src/%s.ts are all documented where they are declared', (entry) => {
    expect([...tree.files.keys()]).toContain(`${entry}.ts`)
    const found = exportsOf(tree, `${entry}.ts`, (path) => read(`src/${path}`))
    expect(found.length).toBeGreaterThan(0)
    expect(found.filter((each) => !each.documented).map(({ name, file }) => `${name} (${file})`)).toEqual([])
  })

  it('are seen as undocumented when they are', () => {
    const sources: Record<string, string> = {
      'index.ts':
        "export { a, b } from './core/x.ts'\nexport type { C, D } from './core/x.ts'\nexport { e as f } from './core/x.ts'",
      'core/x.ts':
        '/** Yes. */\nexport const a = 1\n// no\nexport function b() {}\n/** Yes. */\n// and a note\nexport interface C {}\n' +
        "export type { D } from './y.ts'\n/** Yes. */\nclass e {}\nexport { e }",
      'core/y.ts': '/** Of another. */\nconst x = 1\nexport type D = typeof x',
    }
    const found = exportsOf(treeOf(sources), 'index.ts', (path) => sources[path] ?? '')
    expect(found.filter((each) => !each.documented).map((each) => each.name)).toEqual(['b', 'D'])
  })
})
