import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkTree } from '../../scripts/boundaries.js'
import { ENTRIES, INDEX_LOADS, LAYOUT } from '../../scripts/layout.js'
import { findCycles } from '../../scripts/lib/cycles.js'
import { ROOT } from '../../scripts/lib/root.js'
import { readTree, treeOf } from '../../scripts/lib/tree.js'

const check = (sources: Record<string, string>) => checkTree(treeOf(sources))

describe('the layout of src/', () => {
  it('keeps the import table, has no cycles and no unknown folders', () => {
    const tree = readTree()
    expect(tree.files.size).toBeGreaterThan(10)
    expect(checkTree(tree)).toEqual([])
  })

  it('is itself free of cycles', () => {
    const entryFiles = Object.fromEntries(Object.keys(ENTRIES).map((entry) => [`${entry}.ts`, entry]))
    const rows = Object.entries(LAYOUT).filter(([, { folders = [] }]) => !folders.includes('*'))
    const graph = new Map(rows.map(([folder, rule]) => [folder, [...(rule.folders ?? []), ...(rule.types ?? [])]]))
    expect(findCycles(graph)).toEqual([])
    for (const folder of [...graph.values(), ...Object.values(ENTRIES)].flat())
      expect({ ...LAYOUT, ...entryFiles }).toHaveProperty([folder])
  })

  it("loads no driver, HTTP or telemetry package with import 'holdpoint'", () => {
    const loaded = modulesLoadedBy('index.js')
    const outside = loaded.filter((url) => !url.startsWith('file:') || url.includes('/node_modules/'))
    const names = outside.map((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? url)
    const allowed = [...INDEX_LOADS.packages, ...INDEX_LOADS.node.map((name) => `node:${name}`)]
    expect([...new Set(names)].filter((name) => !allowed.includes(name.replace(/^(node:[^/]+).*/, '$1')))).toEqual([])
    expect(loaded.length).toBeGreaterThan(1)
  })
})

describe('the boundary check', () => {
  const reports: [string, Record<string, string>, string][] = [
    [
      'a forbidden folder',
      { 'core/a.ts': "import '../runtime/loop/b.ts'", 'runtime/loop/b.ts': '' },
      'core may not import runtime/loop',
    ],
    [
      'a type from one',
      { 'core/a.ts': "import type { B } from '../desk/b.ts'", 'desk/b.ts': '' },
      'core may not import desk',
    ],
    ['a re-export', { 'core/a.ts': "export { b } from '../desk/b.ts'", 'desk/b.ts': '' }, 'core may not import desk'],
    ['import()', { 'core/a.ts': "await import('../desk/b.ts')", 'desk/b.ts': '' }, 'core may not import desk'],
    [
      'an import type',
      { 'core/a.ts': "type B = import('../desk/b.ts').B", 'desk/b.ts': '' },
      'core may not import desk',
    ],
    [
      'one store in another',
      { 'store/memory/a.ts': "import '../sqlite/b.ts'", 'store/sqlite/b.ts': '' },
      'store/sqlite',
    ],
    [
      'a value where only types may',
      { 'client/a.ts': "import { b } from '../protocol/b.ts'", 'protocol/b.ts': '' },
      'only its types',
    ],
    ['a package', { 'runtime/loop/a.ts': "import { z } from 'zod/v4'" }, "runtime/loop may not import 'zod/v4'"],
    [
      'a module of Node',
      { 'core/a.ts': "import { readFile } from 'node:fs/promises'" },
      "core may not import 'node:fs/promises'",
    ],
    ['a driver loaded at once', { 'store/sqlite/a.ts': "import Database from 'libsql'" }, 'use import()'],
    ['a module of Node loaded at once', { 'store/sqlite/a.ts': "import 'node:sqlite'" }, 'use import()'],
    [
      'a store in what renders',
      { 'cli/render/a.ts': "import type { B } from '../store/b.ts'", 'cli/store/b.ts': '' },
      'cli/render may not import cli/store',
    ],
    [
      'a command in what parses',
      { 'cli/command-line/a.ts': "import '../commands/b.ts'", 'cli/commands/b.ts': '' },
      'cli/command-line may not import cli/commands',
    ],
    [
      'a room of a room in an earlier one',
      {
        'adapter/mcp-proxy/pins/a.ts': "import '../client/b.ts'",
        'adapter/mcp-proxy/client/b.ts': '',
      },
      'adapter/mcp-proxy/pins may not import adapter/mcp-proxy/client',
    ],
    [
      'code of an entry point where only types may',
      { 'cli/render/a.ts': "import { b } from '../../index.ts'", 'index.ts': '' },
      'may not import the entry point index.ts (../../index.ts), only its types',
    ],
    ['a computed import', { 'core/a.ts': "const x = 'y'\nawait import(x)" }, "core may not import '<computed>'"],
    ['an import of a test', { 'core/a.ts': "import './b.test.ts'", 'core/b.test.ts': '' }, 'imports the test'],
    ['a missing file', { 'core/a.ts': "import './b.ts'" }, 'is not a file'],
    [
      'a cycle',
      { 'core/a.ts': "import './b.ts'", 'core/b.ts': "import { a } from './a.ts'" },
      'import cycle: core/a.ts → core/b.ts → core/a.ts',
    ],
    ['a cycle by import()', { 'core/a.ts': "import './b.ts'", 'core/b.ts': "await import('./a.ts')" }, 'import cycle'],
    [
      'a cycle of folders',
      {
        'core/a.ts': "import '../ports/b.ts'",
        'ports/b.ts': '',
        'ports/c.ts': "import type { D } from '../core/d.ts'",
        'core/d.ts': '',
      },
      'folder cycle: core → ports → core',
    ],
    ['an unknown folder', { 'utils/a.ts': '' }, "'utils' is not in"],
    [
      'an unknown entry point',
      { 'extra.ts': "export { a } from './core/a.ts'", 'core/a.ts': '' },
      'not an entry point',
    ],
    [
      'export * in an entry point',
      { 'index.ts': "export * from './core/a.ts'", 'core/a.ts': '' },
      "instead of 'export *'",
    ],
    ['code in an entry point', { 'index.ts': 'export const a = 1' }, 'only re-exports'],
    [
      'an entry point used inside',
      { 'core/a.ts': "import '../index.ts'", 'index.ts': '' },
      'may not import the entry point',
    ],
    [
      'a cycle of types only',
      { 'core/a.ts': "import './b.ts'", 'core/b.ts': "import type { A } from './a.ts'" },
      'import cycle: core/a.ts → core/b.ts → core/a.ts',
    ],
    [
      'a driver behind the main entry',
      { 'index.ts': "export { a } from './store/sqlite/a.ts'", 'store/sqlite/a.ts': "import 'libsql'" },
      "loading 'holdpoint' would load 'libsql'",
    ],
  ]

  it.each(reports)('reports %s', (_, sources, message) => {
    expect(check(sources).join('\n')).toContain(message)
  })

  const passes: [string, Record<string, string>][] = [
    ['imports in comments and strings', { 'core/a.ts': "// import 'pg'\nexport const a = `import 'pg'`" }],
    ['a driver loaded late', { 'store/sqlite/a.ts': "export const open = () => import('libsql')" }],
    [
      'a driver required late',
      {
        'store/sqlite/a.ts':
          "import { createRequire } from 'node:module'\nexport const open = () => createRequire(import.meta.url)('node:sqlite')",
      },
    ],
    [
      'a test that imports anything',
      { 'core/a.test.ts': "import '../runtime/loop/b.ts'\nimport 'fast-check'", 'runtime/loop/b.ts': '' },
    ],
  ]

  it.each(passes)('lets pass %s', (_, sources) => {
    expect(check(sources)).toEqual([])
  })
})

/** Loads a built entry point in a process of its own, with a hook that writes down every module. */
function modulesLoadedBy(entry: string): string[] {
  const hook = `export async function load(url, context, next) { console.log(url); return next(url, context) }`
  const setup = `import { register } from 'node:module'; register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(hook))})`
  const args = ['--import', `data:text/javascript,${encodeURIComponent(setup)}`, join(ROOT, 'dist', entry)]
  const output = execFileSync(process.execPath, args, { encoding: 'utf8' })
  return output.split('\n').filter((line) => line !== '')
}
