import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled } from './lib/ensure.js'
import { ROOT } from './lib/root.js'
import { Failure, main } from './lib/run.js'
import { ensureSqliteDriver } from './lib/sqlite-driver.js'
import { runTests } from './lib/vitest.js'

const FOLDER = join(ROOT, '.build', 'drivers', process.versions.modules)

/**
 * Runs the tests of the SQLite store with better-sqlite3. It is no dependency of this repository, because most of its installations compile for minutes:
 * it is installed into .build/, where the tests find it through NODE_PATH.
 */
await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  const { peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  mkdirSync(FOLDER, { recursive: true })
  const dependencies = { 'better-sqlite3': peerDependencies['better-sqlite3'] }
  writeFileSync(join(FOLDER, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  const npm = spawnSync('npm', args, { cwd: FOLDER, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  if (npm.status !== 0) throw new Failure('npm could not install better-sqlite3 (see above).')
  await ensureSqliteDriver(FOLDER)
  const named = process.argv.slice(2)
  const env = { ...process.env, NODE_PATH: join(FOLDER, 'node_modules') }
  return runTests(['--config', 'vitest.drivers.config.ts', ...named], { env })
})
