import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../lib/root.js'
import { capture } from '../lib/run.js'
import { TSC } from '../lib/tsc.js'
import { examples, firstExample } from './readme.js'

/** Starts the demo without a terminal, ends it when it waits for a decision, and fails if it never does. */
const DEMO = `
  const { spawn } = require('node:child_process')
  const demo = spawn(process.execPath, [process.argv[1], 'demo'], { stdio: ['ignore', 'pipe', 'inherit'] })
  let shown = ''
  demo.stdout.on('data', (chunk) => { shown += chunk; if (shown.includes('Waiting.')) demo.kill() })
  demo.on('close', () => { console.log(shown); process.exit(shown.includes('Waiting.') ? 0 : 1) })
  setTimeout(() => demo.kill('SIGKILL'), 60_000).unref()
`

/** One file of each thing that the package brings. */
const EXPECTED = [
  'LICENSE',
  'README.md',
  'dist/index.js',
  'dist/cli/main.js',
  'dist/cli/outline.json',
  'dist/inbox/index.html',
  'demo/main.js',
  'docs/guides/approvals.md',
  'docs/reference/cli.md',
  'examples/README.md',
  'examples/pause-and-resume/main.ts',
]

/** Thrown inside the check by the first step that fails; carries what that step printed. */
class StepFailed extends Error {}

/**
 * Packs the package as it would be published and looks at it from outside: what is in it, how its exports and types
 * resolve, and whether README's snippets and an example of the package compile and run in an empty project that has only
 * the tarball and what README says to install.
 */
export async function checkPackage() {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-package-'))
  try {
    const tarball = pack(dir)
    step('publint', [process.execPath, join(ROOT, 'node_modules/publint/src/cli.js'), tarball, '--strict'])
    const attw = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js')
    step('attw', [process.execPath, attw, tarball, '--profile', 'esm-only', '--format', 'ascii', '--no-emoji'])
    runAsUser(dir, tarball)
    return { ok: true, output: '' }
  } catch (error) {
    if (error instanceof StepFailed) return { ok: false, output: error.message }
    throw error
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Runs a program and fails the check if it fails. @param {string} name @param {string[]} line command and arguments @param {string} [cwd] */
function step(name, [command = '', ...args], cwd = ROOT) {
  const done = capture(command, args, { cwd, shell: process.platform === 'win32' && command === 'npm' })
  if (!done.ok) throw new StepFailed(`${name}:\n${done.output}`)
  console.log(`  ${name}`)
  return done.stdout
}

/** What the package may contain. */
const SHIPPED = [
  /^dist\/.+\.(js|d\.ts)$/,
  /^dist\/cli\/outline\.json$/,
  /^dist\/inbox\/.+\.(html|js|css|svg)$/,
  /^demo\/.+\.(js|md)$/,
  /^deploy\/.+\.(yaml|md)$/,
  /^deploy\/(Dockerfile|\.dockerignore)$/,
  /^docs\/.+\.(md|png)$/,
  /^examples\/.+\.(tsx?|html|md)$/,
  /^(package\.json|LICENSE|README(\.\w+)?\.md|CHANGELOG\.md)$/,
]

/** @param {string} dir */
function pack(dir) {
  const report = step('npm pack', ['npm', 'pack', '--json', '--loglevel=error', '--pack-destination', dir])
  // npm 12 answers with an object by name instead of a list.
  const [packed] = Object.values(JSON.parse(report))
  /** @type {string[]} */
  const paths = packed.files.map((/** @type {{ path: string }} */ file) => file.path)
  const stray = paths.filter((path) => !SHIPPED.some((pattern) => pattern.test(path)))
  if (stray.length > 0) throw new StepFailed(`the package would contain ${stray.join(', ')}`)
  const missing = EXPECTED.filter((path) => !paths.includes(path))
  if (missing.length > 0) throw new StepFailed(`the package would lack ${missing.join(', ')}`)
  console.log(`  ${paths.length} files, ${Math.round(packed.size / 1024)} kB packed`)
  return join(dir, packed.filename)
}

/**
 * @param {string} dir
 * @param {string} tarball
 */
function runAsUser(dir, tarball) {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  if (firstExample(readme) === undefined)
    throw new StepFailed('README.md has no ```ts block after <!-- example: first -->')
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const extra = [`zod@${dependencies.zod}`, `libsql@${devDependencies.libsql}`]
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }))
  step(
    'install into an empty project',
    ['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', tarball, ...extra],
    dir,
  )
  const installed = join(dir, 'node_modules/holdpoint')
  const snippets = examples(readme).map((code, index) => ({ file: `readme-${index + 1}`, code }))
  const example = readFileSync(join(installed, 'examples/pause-and-resume/main.ts'), 'utf8')
  for (const { file, code } of [...snippets, { file: 'pause-and-resume', code: example }])
    writeFileSync(join(dir, `${file}.ts`), code)
  const compilerOptions = {
    target: 'ES2023',
    module: 'NodeNext',
    strict: true,
    outDir: 'out',
    // Declarations are checked too: a user without skipLibCheck must not see our mistakes.
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  }
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  step('snippets compile', [process.execPath, ...TSC, '-p', dir], dir)
  // A server runs until it is stopped: test/examples starts and stops those.
  const ending = snippets.filter(({ code }) => !code.includes('serve('))
  for (const { file } of ending) step(`${file} runs`, [process.execPath, join(dir, `out/${file}.js`)], dir)
  step('an example runs', [process.execPath, join(dir, 'out/pause-and-resume.js'), 'start'], dir)
  const command = join(installed, 'dist/cli/main.js')
  step('command runs', [process.execPath, command, '--help'], dir)
  step('demo stops and asks', [process.execPath, '-e', DEMO, command], dir)
}
