import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/lib/root.js'
import { TSC } from '../../scripts/lib/tsc.js'
import type { Snippet } from './snippets.ts'

/** Snippets that were compiled. */
export interface Built {
  /** What the compiler said. */
  output: string
  /** The folder of a page, as its reader would have it: all snippets side by side, ready to run. */
  folderOf(page: string): string
  remove(): void
}

/** Compiles snippets against dist/, each as a module of its own, with nothing added to it. */
export function buildSnippets(snippets: readonly Snippet[]): Built {
  // Inside of the package, so that `import 'holdpoint'` means dist/, as package.json says.
  const dir = join(ROOT, '.build', `snippets-${process.pid}`)
  for (const { page, file, code } of snippets) {
    // JavaScript is run as it is; TypeScript is compiled into the folder beside it.
    const folder = join(dir, /\.tsx?$/.test(file) ? '' : 'out', nameOf(page))
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, file), code)
  }
  const compilerOptions = {
    // Nothing is lowered: what is emitted runs only if Node could run the snippet itself, without its types.
    target: 'ESNext',
    jsx: 'react-jsx',
    rootDir: '.',
    outDir: 'out',
    moduleDetection: 'force',
    noUnusedLocals: false,
    noUnusedParameters: false,
  }
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions,
    include: ['*/*.ts', '*/*.tsx'],
    exclude: ['out'],
  }
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config))
  mkdirSync(join(dir, 'out'), { recursive: true })
  writeFileSync(join(dir, 'out/vitest.config.js'), 'export default {}')
  const done = spawnSync(process.execPath, [...TSC, '-p', dir, '--pretty', 'false'], { cwd: dir, encoding: 'utf8' })
  return {
    output: `${done.stdout}${done.stderr}`,
    folderOf: (page) => join(dir, 'out', nameOf(page)),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

function nameOf(page: string): string {
  return page.replace(/\.md$/, '').replaceAll('/', '-')
}
