import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { fetchedNode } from '../../../scripts/lib/nodes.js'
import { cases } from './cases.ts'
import { historyCases } from './history-cases.ts'
import { hostileCases } from './hostile-cases.ts'
import { kindCases } from './kind-cases.ts'
import { threadCases } from './thread-cases.ts'

// The AI SDK 7 needs Node 22, which also runs TypeScript as it is.
describe('a run on a page of the AI SDK 7', () => {
  let results: Record<string, string> = {}

  beforeAll(async () => {
    const program = fileURLToPath(new URL('version-7.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(fetchedNode('22'), [program], { timeout: 240_000 })
    results = JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, string>
  }, 300_000)

  test.each(Object.keys({ ...cases, ...historyCases, ...hostileCases, ...kindCases, ...threadCases }))('%s', (name) => {
    expect(results[name]).toBe('passed')
  })
})
