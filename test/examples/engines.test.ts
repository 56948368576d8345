import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ROOT } from '../../scripts/lib/root.js'
import { TSC } from '../../scripts/lib/tsc.js'
import { snippetsOf } from './snippets.ts'

const PAGE = 'docs/guides/durable-engines.md'

/** The blocks that need packages which are not installed, by the name in their first line. */
function recipes(): Map<string, string> {
  const text = readFileSync(join(ROOT, PAGE), 'utf8')
  const blocks = [...text.matchAll(/^```typescript\n\/\/ ([\w.-]+\.ts)\n([\s\S]*?)^```$/gm)]
  return new Map(blocks.map(([, file = '', code = '']) => [file, code]))
}

/** Compiles the recipes of the page, each as a module beside the others. Returns what the compiler said. */
function compile(files: ReadonlyMap<string, string>): string {
  // Inside of the package, so that `import 'holdpoint'` means dist/, as package.json says.
  const folder = join(ROOT, '.build', `engines-${process.pid}`)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(folder, { recursive: true })
  for (const [file, code] of files) writeFileSync(join(folder, file), code)
  copyFileSync(join(ROOT, 'test/examples/engines.d.ts'), join(folder, 'engines.d.ts'))
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: { noEmit: true },
    include: ['*.ts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const done = spawnSync(process.execPath, [...TSC, '-p', folder, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  })
  return `${done.stdout}${done.stderr}`
}

const shared = () => snippetsOf(PAGE).find(({ file }) => file === 'approval.ts')?.code ?? ''

it('the recipes for durable engines compile as they stand, against the types that they use of each engine', () => {
  const found = recipes()
  expect([...found.keys()]).toEqual([
    ...['restate.ts', 'activities.ts', 'workflows.ts', 'wake.ts', 'inngest.ts', 'trigger.ts'],
  ])
  expect(compile(new Map([...found, ['approval.ts', shared()]]))).toBe('')
})

it('a recipe that uses what an engine does not have does not compile', () => {
  const code = recipes().get('trigger.ts')!.replace('wait.forToken', 'wait.forTokens')
  expect(
    compile(
      new Map([
        ['trigger.ts', code],
        ['approval.ts', shared()],
      ]),
    ),
  ).toContain('forTokens')
})
