import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { withLock } from './lock.js'
import { nodeOf } from './nodes.js'
import { ROOT } from './root.js'
import { Failure } from './run.js'

/**
 * A program that tests need and npm does not install: a description, its package name in the system, and a function that returns its path.
 * If an `optional` program is missing, the tests that need it are skipped with a reason.
 * @typedef {{ what: string, name: string, optional?: boolean, find: () => string | undefined }} Program
 */

/** @param {string[]} more */
const folders = (...more) => [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', ...more]

/** @param {string[]} names @param {string[]} more */
const firstOf = (names, ...more) =>
  folders(...more)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path))

/** Newest first. */
function postgresFolders() {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  return versions.map((version) => join(root, version, 'bin'))
}

const CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

/** Finds a system library by the name under which programs load it. @param {string} name */
const library = (name) =>
  ['/usr/lib', `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

/** `find` returns the path of the program; for Postgres, the folder of its programs. */
export const PROGRAMS = {
  chromium: {
    what: 'Chromium',
    name: 'chromium',
    find: () =>
      firstOf(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'], '/snap/bin') ??
      (existsSync(CHROME) ? CHROME : undefined),
  },
  postgres: {
    what: 'a Postgres server (14 or newer)',
    name: 'postgresql',
    find: () =>
      folders(...postgresFolders()).find((folder) =>
        ['postgres', 'initdb'].every((name) => existsSync(join(folder, name))),
      ),
  },
  redis: {
    what: 'a Redis server (6.2 or newer)',
    name: 'redis-server',
    find: () => firstOf(['redis-server', 'valkey-server'], '/opt/homebrew/bin'),
  },
  pgbouncer: {
    what: 'PgBouncer',
    name: 'pgbouncer',
    optional: true,
    find: () => firstOf(['pgbouncer'], '/usr/sbin'),
  },
  strace: { what: 'strace', name: 'strace', optional: true, find: () => firstOf(['strace']) },
  eatmydata: {
    what: 'libeatmydata',
    name: 'libeatmydata1',
    optional: true,
    find: () => library('libeatmydata.so.1') ?? library('libeatmydata.so'),
  },
}

/** Returns the path of a program. Throws if it is missing, and says what to install. @param {Program} program */
export function requireProgram({ what, name, find }) {
  const found = find()
  if (found === undefined) throw new Error(`This needs ${what}: install it, for example with apt-get install ${name}.`)
  return found
}

/**
 * Installs missing programs where possible, before tests with timeouts need them. If a program cannot be installed, only the tests that need it
 * fail, and they say why.
 */
export async function ensurePrograms() {
  await fetchNode()
  const missing = () =>
    Object.values(/** @type {Record<string, Program>} */ (PROGRAMS)).filter(({ find }) => find() === undefined)
  if (missing().length === 0 || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  await withLock(ROOT, 'programs', () => {
    const absent = missing()
    if (absent.length === 0) return
    console.error(`holdpoint: installing ${absent.map(({ name }) => name).join(', ')} for the tests …`)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    /** @param {string[]} args */
    const aptGet = (...args) => {
      const apt = spawnSync('apt-get', args, { env, encoding: 'utf8' })
      if (apt.status !== 0) console.error(`holdpoint: apt-get ${args[0]} failed:\n${apt.stderr}`)
    }
    /** @param {Program[]} programs */
    const install = (programs) => {
      if (programs.length > 0) aptGet('install', '-y', '--no-install-recommends', ...programs.map(({ name }) => name))
    }
    aptGet('update')
    install(absent.filter(({ optional }) => !optional))
    // One by one: an unknown package would make the whole installation fail.
    for (const program of absent.filter(({ optional }) => optional)) install([program])
  })
}

/** What needs Node 22 is tested on Node 20, too: the AI SDK 7. */
async function fetchNode() {
  try {
    await nodeOf('22')
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    console.error(`holdpoint: ${error.message}`)
  }
}
