import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { listFiles } from '../../scripts/lib/files.js'
import { until } from '../support/until.ts'

const root = join(import.meta.dirname, '..')
const HOOK = /^(?:(?:export )?const .*= )?(?:use[A-Z]\w*|beforeAll|beforeEach|afterAll|afterEach)\(/m

it('modules that tests share call no hook when they are loaded: files of one process load them once', () => {
  const shared = listFiles(root).filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  expect(shared.length).toBeGreaterThan(50)
  expect(shared.filter((path) => HOOK.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
})

const LIBRARY = /^ *(?:import .* from |const .*\)\()'(?:libsql|node:sqlite|better-sqlite3)'/m
/** They open files that no store of their process opens, or run in a process of their own. */
const APART = ['chaos/effects.js', 'store/children/locker.js', 'store/sqlite/node-sqlite.js']

it('files of stores are opened with the library that the store has, by openFile()', () => {
  const named = listFiles(root).filter((path) => LIBRARY.test(readFileSync(join(root, path), 'utf8')))
  expect(named.sort()).toEqual(APART)
})

it.each(['SIGTERM', 'SIGKILL'] as const)('the folders of a process are gone after %s', async (signal) => {
  const module = pathToFileURL(join(root, 'support/own-folder.js')).href
  const script = `const { ownFolder } = await import('${module}')
    console.log(JSON.stringify([ownFolder('gone'), ownFolder('gone')]))
    setInterval(() => undefined, 60_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const folders = JSON.parse(String(line)) as string[]
  expect(folders.map((folder) => existsSync(folder))).toEqual([true, true])
  child.kill(signal)
  await until(() => !folders.some((folder) => existsSync(folder)))
})
