import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { hashFiles, listFiles, readText } from './files.js'
import { withLock } from './lock.js'
import { ROOT } from './root.js'
import { Failure } from './run.js'
import { TSC } from './tsc.js'

/** Throws a clear error if Node is too old. */
export function ensureNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new Failure(`Node.js 20.19 or newer is needed, and this is ${version}. Get it from https://nodejs.org`)
}

/**
 * Installs a folder's dependencies unless they match its package.json and package-lock.json.
 * @param {string} [dir]
 * @param {{ scripts?: boolean }} [options] whether packages may run their install scripts
 */
export async function ensureInstalled(dir = ROOT, { scripts = true } = {}) {
  ensureNode()
  const stamp = join(dir, 'node_modules', '.holdpoint-stamp')
  const wanted = () => hashFiles(dir, ['package.json', 'package-lock.json', '.npmrc'])
  if (readText(stamp) === wanted()) return
  await withLock(dir, 'install', () => {
    if (readText(stamp) === wanted()) return
    console.error('holdpoint: installing dependencies …')
    // Not `npm ci`, which removes node_modules first. --no-save keeps the lock file as it is;
    // --include=dev because NODE_ENV=production would leave out the compiler.
    const flags = ['--no-save', '--no-audit', '--no-fund', '--include=dev', '--loglevel=error']
    const args = ['install', ...flags, ...(scripts ? [] : ['--ignore-scripts'])]
    const npm = spawnSync('npm', args, { cwd: dir, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
    if (npm.error) throw new Failure(`npm did not start: ${npm.error.message}`)
    if (npm.status !== 0) {
      throw new Failure(`npm could not install the dependencies (see above). Check the network, then run it again.`)
    }
    writeFileSync(stamp, wanted())
  })
}

/** Compiles src/ and inbox/ into dist/ unless dist/ was built from exactly these sources. */
export async function ensureBuilt({ force = false } = {}) {
  const stamp = join(ROOT, '.build', 'dist.hash')
  const wanted = () => {
    const sources = listFiles(join(ROOT, 'src')).filter((path) => !path.endsWith('.test.ts'))
    return hashFiles(ROOT, [
      ...sources.map((path) => `src/${path}`),
      ...listFiles(join(ROOT, 'inbox')).map((path) => `inbox/${path}`),
      'tsconfig.base.json',
      'tsconfig.build.json',
      'scripts/lib/bundle.js',
      'scripts/lib/shared-files.js',
      'package-lock.json',
    ])
  }
  const fresh = () => existsSync(join(ROOT, 'dist')) && readText(stamp) === wanted()
  linkCommand()
  if (!force && fresh()) return
  await withLock(ROOT, 'build', async () => {
    if (!force && fresh()) return
    console.error('holdpoint: building dist/ …')
    const hash = wanted()
    await compile()
    writeFileSync(stamp, hash)
  })
}

/**
 * Makes `npx holdpoint` run this clone. npx finds a package's own command, but if it ran before the first build, it remembers that there was none.
 */
function linkCommand() {
  const link = join(ROOT, 'node_modules', '.bin', 'holdpoint')
  if (process.platform === 'win32' || lstatSync(link, { throwIfNoEntry: false })) return
  mkdirSync(join(ROOT, 'node_modules', '.bin'), { recursive: true })
  symlinkSync(join('..', '..', 'dist', 'cli', 'main.js'), link)
}

/** Compiles into a temporary folder and renames it, so that no process loads a partial build. */
async function compile() {
  const next = join(ROOT, '.build', `dist-${process.pid}`)
  const old = `${next}-old`
  mkdirSync(next, { recursive: true })
  try {
    const args = [...TSC, '-p', join(ROOT, 'tsconfig.build.json'), '--outDir', next, '--noEmitOnError']
    const done = spawnSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 2, 2] })
    if (done.status !== 0) throw new Failure('src/ does not compile (see above).')
    // Loaded when it is needed: before the first install there is no bundler.
    const { bundle } = await import('./bundle.js')
    await bundle(next)
    await writeOutline(join(next, 'cli'))
    makeExecutable(join(next, 'cli', 'main.js'))
    buildPage(join(next, 'inbox'))
    if (existsSync(join(ROOT, 'dist'))) renameSync(join(ROOT, 'dist'), old)
    renameSync(next, join(ROOT, 'dist'))
  } finally {
    rmSync(next, { recursive: true, force: true })
    rmSync(old, { recursive: true, force: true })
  }
}

/**
 * Writes down what help says about the commands, so that it can be printed without loading them.
 * @param {string} folder
 */
async function writeOutline(folder) {
  const { commandGroups } = await import(pathToFileURL(join(folder, 'commands', 'index.js')).href)
  writeFileSync(join(folder, 'outline.json'), JSON.stringify(commandGroups))
}

/**
 * Builds the web page.
 * @param {string} outDir
 */
function buildPage(outDir) {
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js')
  const args = [vite, 'build', '--config', join(ROOT, 'inbox', 'vite.config.ts'), '--outDir', outDir]
  const done = spawnSync(process.execPath, [...args, '--emptyOutDir', '--logLevel', 'warn'], {
    cwd: join(ROOT, 'inbox'),
    // Tests set another NODE_ENV, with which the page would get the development build of React.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 2, 2],
  })
  if (done.status !== 0) throw new Failure('The page does not build (see above).')
}

/** @param {string} file */
function makeExecutable(file) {
  if (!existsSync(file)) return
  const text = readFileSync(file, 'utf8')
  if (!text.startsWith('#!')) writeFileSync(file, `#!/usr/bin/env node\n${text}`)
  chmodSync(file, 0o755)
}
