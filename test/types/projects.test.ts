import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ensureBuilt } from '../../scripts/lib/ensure.js'
import { ROOT } from '../../scripts/lib/root.js'
import { capture } from '../../scripts/lib/run.js'
import { TSC } from '../../scripts/lib/tsc.js'

// A compiler takes minutes on a busy machine.
vi.setConfig({ testTimeout: 200_000, hookTimeout: 200_000 })

const projects = join(ROOT, 'test/types/projects')
const dir = mkdtempSync(join(tmpdir(), 'holdpoint-types-'))

/** What a user's compiler is told; declarations of the package are checked too. */
const strict = {
  target: 'ES2023',
  module: 'NodeNext',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  declaration: true,
  outDir: 'out',
}
const node = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] }

// The package as it is published, in a project of its own: packages of this repository are found, its sources are not.
beforeAll(async () => {
  await ensureBuilt()
  const modules = join(dir, 'node_modules')
  mkdirSync(join(modules, 'holdpoint'), { recursive: true })
  cpSync(join(ROOT, 'dist'), join(modules, 'holdpoint/dist'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(modules, 'holdpoint/package.json'))
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.') && name !== 'holdpoint')
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  cpSync(projects, dir, { recursive: true })
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }))
})

afterAll(() => rmSync(dir, { recursive: true, force: true }))

function compile(file: string, compilerOptions: object): string {
  const config = `${file}.json`
  writeFileSync(
    join(dir, config),
    JSON.stringify({ compilerOptions: { ...strict, ...compilerOptions }, files: [file] }),
  )
  return capture(process.execPath, [...TSC, '-p', config], { cwd: dir }).output
}

test('types are inferred from end to end, and wrong uses are refused', () => {
  expect(compile('inference.ts', node)).toBe('')
})

test('whatever a user exports has a type that can be named in declarations', () => {
  expect(compile('declarations.ts', node)).toBe('')
})

test('a stream of text is an async iterable in a browser, without the types of Node', () => {
  expect(compile('browser.ts', { lib: ['ES2023', 'DOM'], types: [], skipLibCheck: true })).toBe('')
})

test('gated tools fit both versions of the AI SDK, and keep their types', () => {
  // The declarations of the SDK itself do not pass without.
  expect(compile('ai-sdk.ts', { ...node, skipLibCheck: true })).toBe('')
})
