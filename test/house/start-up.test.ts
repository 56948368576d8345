import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listFiles } from '../../scripts/lib/files.js'
import { parseModule } from '../../scripts/lib/imports.js'
import { ROOT } from '../../scripts/lib/root.js'

const { dependencies, exports, peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const entries = Object.keys(exports).filter((name) => name !== './package.json')

const asModule = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`
const hooks = asModule(`import { writeSync } from 'node:fs'
  export async function load(url, context, next) { writeSync(2, url + '\\n'); return next(url, context) }`)
const watched = asModule(`import { register } from 'node:module'; register(${JSON.stringify(hooks)})`)

/** The files of dist/ and the packages that a process really loads. */
function loadedBy(...args: string[]): { files: string[]; packages: string[] } {
  return loadedWith('', ...args)
}

/** The same, with this on its standard input. */
function loadedWith(input: string, ...args: string[]): { files: string[]; packages: string[] } {
  const options = { cwd: ROOT, encoding: 'utf8', timeout: 60_000, input } as const
  const { status, stderr } = spawnSync(process.execPath, ['--import', watched, ...args], options)
  expect(status, stderr).toBe(0)
  const paths = stderr.split('\n').flatMap((line) => (line.startsWith('file:') ? [fileURLToPath(line)] : []))
  const packages = paths.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])
  const files = paths.map((path) => relative(ROOT, path)).filter((path) => path.startsWith('dist/'))
  return { files, packages: [...new Set(packages)].sort() }
}

const parsed = new Map<string, string[]>()
function staticImports(file: string): string[] {
  const known = parsed.get(file)
  if (known) return known
  const { imports } = parseModule(file, readFileSync(join(ROOT, file), 'utf8'))
  const found = imports.filter(({ kind }) => kind === 'static').map(({ specifier }) => specifier)
  parsed.set(file, found)
  return found
}

/** The files of dist/ and the packages that a file imports, directly or not. */
function importsOf(file: string): { files: string[]; packages: string[] } {
  const files = new Set([file])
  const packages = new Set<string>()
  for (const each of files) {
    for (const specifier of staticImports(each)) {
      if (specifier.startsWith('.')) files.add(join(dirname(each), specifier))
      else if (!specifier.startsWith('node:')) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0])
    }
  }
  return { files: [...files], packages: [...packages] }
}

describe('start-up', () => {
  it("import 'holdpoint' loads three files, zod and canonicalize", () => {
    const { files, packages } = loadedBy('--input-type=module', '-e', "await import('holdpoint')")
    expect(files).toEqual(['dist/index.js', expect.stringContaining('core-'), expect.stringContaining('common-')])
    expect(packages).toEqual(['canonicalize', 'zod'])
  })

  // Building all of them would take as long as loading zod. Each is built when it is first used.
  it("import 'holdpoint' builds no schema", () => {
    const program = `import * as zod from 'zod'
      import { queryObjects } from 'node:v8'
      const { ZodArray, ZodCustom, ZodEnum, ZodLiteral, ZodNumber, ZodObject, ZodString, ZodUnion } = zod
      const kinds = [ZodArray, ZodCustom, ZodEnum, ZodLiteral, ZodNumber, ZodObject, ZodString, ZodUnion]
      const built = () => kinds.reduce((sum, kind) => sum + queryObjects(kind, { format: 'count' }), 0)
      const before = built()
      await import('holdpoint')
      const loaded = built() - before
      const kept = zod.string()
      console.log(JSON.stringify([loaded, built() - before, kept.type]))`
    const args = ['--no-warnings', '--input-type=module', '-e', program]
    const options = { cwd: ROOT, encoding: 'utf8', timeout: 60_000 } as const
    expect(JSON.parse(execFileSync(process.execPath, args, options))).toEqual([0, 1, 'string'])
  })

  it.each(entries)('importing %s loads a few files and no optional peer', (entry) => {
    const { files, packages } = importsOf(join(exports[entry].default))
    expect(files.length).toBeLessThanOrEqual(10)
    // Components are nothing without React, whose apps always have it.
    expect(packages.filter((name) => name in peerDependencies)).toEqual(entry === './react' ? ['react'] : [])
    expect(packages.filter((name) => !(name in peerDependencies) && !(name in dependencies))).toEqual([])
  })

  it('holdpoint --help loads no command and no package', () => {
    const { files, packages } = loadedBy('dist/cli/main.js', '--help')
    expect(packages).toEqual([])
    expect(files.length).toBeLessThanOrEqual(6)
    expect(files).not.toContain('dist/cli/commands/index.js')
  })

  // A coding agent runs it with each of its tool calls.
  it('holdpoint gate loads no other command, and nothing of the place that it is not at', () => {
    const call = { session_id: 's1', tool_name: 'Read', tool_input: {}, tool_use_id: 't1' }
    const input = JSON.stringify({ ...call, hook_event_name: 'PreToolUse' })
    const hook = ['dist/cli/main.js', 'gate', '--host', 'claude-code', '--wait', '1s']
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-start-up-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const policy = join(folder, 'policy.mjs')
    const index = pathToFileURL(join(ROOT, 'dist/index.js')).href
    const code = `import { humanInTheLoop } from ${JSON.stringify(index)}\nexport default humanInTheLoop({ interruptOn: {} })`
    writeFileSync(policy, code)
    const has = (files: string[], module: string) =>
      files.some((file) => readFileSync(join(ROOT, file), 'utf8').includes(`//#region src/${module}`))
    const atStore = loadedWith(input, ...hook, '--policy', policy, '--store', join(folder, 'holdpoint.db'))
    expect(has(atStore.files, 'gate/create-gate.ts')).toBe(true)
    const atGateway = loadedWith(input, ...hook, '--gateway', 'http://127.0.0.1:1', '--token-file', policy)
    expect(has(atGateway.files, 'cli/gate/gateway-gate.ts')).toBe(true)
    for (const { files } of [atStore, atGateway]) {
      expect(files).not.toContain('dist/cli/commands/index.js')
      expect(has(files, 'gateway/')).toBe(false)
    }
    for (const module of ['gate/create-gate.ts', 'store/sqlite/store.ts'])
      expect(has(atGateway.files, module)).toBe(false)
  })

  // Two copies of a class or of a symbol would not know each other's objects.
  it('the build has one copy of each module, whichever entry points share it', () => {
    const built = listFiles(join(ROOT, 'dist')).filter((path) => path.endsWith('.js') && !path.startsWith('inbox/'))
    const names = built.flatMap((path) => {
      const text = readFileSync(join(ROOT, 'dist', path), 'utf8')
      return [...text.matchAll(/^\/\/#region (src\/\S+)$/gm)].map(([, name]) => name)
    })
    expect(names.length).toBeGreaterThan(400)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it('entry points that export the same name export the same thing', () => {
    const program = `const found = new Map()
      for (const entry of process.argv.slice(1))
        for (const [name, value] of Object.entries(await import(entry)))
          found.set(name, (found.get(name) ?? new Set()).add(value))
      console.log(JSON.stringify([...found].map(([name, values]) => [name, values.size])))`
    const args = ['--input-type=module', '-e', program, ...entries.map((entry) => entry.replace('.', 'holdpoint'))]
    const options = { cwd: ROOT, encoding: 'utf8', timeout: 60_000 } as const
    const copies = new Map<string, number>(JSON.parse(execFileSync(process.execPath, args, options)))
    expect(copies.get('HoldpointError')).toBe(1)
    expect([...copies].filter(([, count]) => count > 1)).toEqual([])
  })
})
