import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listFiles } from '../../scripts/lib/files.js'

const HOOK = /^(?:(?:export )?const .*= )?(?:use[A-Z]\w*|beforeAll|beforeEach|afterAll|afterEach)\(/m

it('modules that tests share call no hook when they are loaded: files of one process load them once', () => {
  const root = join(import.meta.dirname, '..')
  const shared = listFiles(root).filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  expect(shared.length).toBeGreaterThan(50)
  expect(shared.filter((path) => HOOK.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
})
