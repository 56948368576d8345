import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ENTRIES } from '../../scripts/layout.js'
import { apiReport } from '../../scripts/lib/api-report.js'
import { ensureBuilt } from '../../scripts/lib/ensure.js'
import { listFiles } from '../../scripts/lib/files.js'
import { ROOT } from '../../scripts/lib/root.js'

const entries = Object.keys(ENTRIES)
const nameOf = (entry: string) => `docs/api/${entry}.api.d.ts`

describe('the public surface', () => {
  it('is what docs/api says', { timeout: 200_000 }, async () => {
    await ensureBuilt()
    const read = (path: string) => readFileSync(join(ROOT, 'dist', path), 'utf8')
    const outdated = entries.filter((entry) => {
      const known = existsSync(join(ROOT, nameOf(entry))) ? readFileSync(join(ROOT, nameOf(entry)), 'utf8') : ''
      return known !== apiReport(entry, { entries, read })
    })
    const message = `${outdated.map(nameOf).join(', ')} out of date: run \`npm run api\`, and check the diff`
    expect(outdated, message).toEqual([])
    expect(listFiles(join(ROOT, 'docs/api')).sort()).toEqual(entries.map((entry) => `${entry}.api.d.ts`).sort())
  })

  it('shadows no global, of browsers and of Node', async () => {
    const dom = readFileSync(domLibrary(), 'utf8')
    const globals = new Set([...dom.matchAll(/^declare (?:var|function) (\w+)/gm)].map((match) => match[1]))
    expect(globals).toContain('Response')
    const exported = entries.flatMap((entry) => {
      const report = readFileSync(join(ROOT, nameOf(entry)), 'utf8')
      return [...report.matchAll(/^export (?:declare )?(?:abstract )?\w+ (\w+)/gm)].map((match) => match[1] ?? '')
    })
    expect(exported).toContain('Agent')
    expect(exported.filter((name) => globals.has(name) || name in globalThis)).toEqual([])
  })
})

/** TypeScript 7 keeps its libraries in the package of the platform. */
function domLibrary(): string {
  const dirs = ['typescript/lib', `@typescript/typescript-${process.platform}-${process.arch}/lib`]
  const found = dirs.map((dir) => join(ROOT, 'node_modules', dir, 'lib.dom.d.ts')).find((path) => existsSync(path))
  if (!found) throw new Error(`lib.dom.d.ts is in none of ${dirs.join(', ')}`)
  return found
}

describe('an API report', () => {
  const report = (names: string[]) =>
    apiReport('index', { entries: names, read })
      .split('\n')
      .filter((line) => line !== '')
  let files: Record<string, string> = {}
  const read = (path: string) => {
    const text = files[path]
    if (text === undefined) throw new Error(`no ${path}`)
    return text
  }

  it('has one declaration for each export, sorted, without comments and private members', () => {
    files = {
      'index.d.ts': "export { b } from './x/b.ts';\nexport { A } from './x/a.ts';\n",
      'x/a.d.ts': [
        'export declare class A {',
        '    #private;',
        '    /** Says it. */',
        '    private said;',
        '    say(): string;',
        '}',
      ].join('\n'),
      'x/b.d.ts': 'export declare function b(x: string): string;\nexport declare function b(x: number): number;\n',
    }
    expect(report(['index'])).toEqual([
      '// holdpoint: 2 exports. Written by `npm run api`; do not edit.',
      'export declare class A {',
      '    say(): string;',
      '}',
      'export declare function b(x: string): string;',
      'export declare function b(x: number): number;',
    ])
  })

  it('shows what is mentioned: from another entry point, or as not exported', () => {
    files = {
      'index.d.ts': "export { make } from './make.ts';\n",
      'ports.d.ts': "export type { Port } from './port.ts';\n",
      'port.d.ts': 'export interface Port {\n    open(): void;\n}\n',
      'make.d.ts':
        'import type { Port } from \'./port.ts\';\ninterface Options {\n    port: Port;\n}\nexport declare function make(options: Options): import("./made.ts").Made;\n',
      'made.d.ts': 'export type Made = string;\n',
    }
    expect(report(['index', 'ports'])).toEqual([
      '// holdpoint: 1 exports. Written by `npm run api`; do not edit.',
      "import type { Port } from 'holdpoint/ports'",
      'export declare function make(options: Options): Made;',
      '// Not exported, and part of the declarations above.',
      'type Made = string;',
      'interface Options {',
      '    port: Port;',
      '}',
    ])
  })

  it('leaves out the constructor of a class that is exported as a type', () => {
    files = {
      'index.d.ts': "export type { A } from './a.ts';\n",
      'a.d.ts':
        "import type { Inside } from './inside.ts';\nexport declare class A {\n    constructor(inside: Inside);\n    say(): string;\n}\n",
      'inside.d.ts': 'export interface Inside {\n    x: 1;\n}\n',
    }
    expect(report(['index']).join('\n')).not.toContain('nside')
  })
})
