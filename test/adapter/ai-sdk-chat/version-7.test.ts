import { beforeAll, describe, expect, test } from 'vitest'
import { version7Results } from '../version-7-results.ts'
import { cases } from './cases.ts'
import { historyCases } from './history-cases.ts'
import { hostileCases } from './hostile-cases.ts'
import { kindCases } from './kind-cases.ts'
import { threadCases } from './thread-cases.ts'

describe('a run on a page of the AI SDK 7', () => {
  let results: Record<string, string> = {}

  beforeAll(async () => {
    results = await version7Results(import.meta.url)
  }, 300_000)

  test.each(Object.keys({ ...cases, ...historyCases, ...hostileCases, ...kindCases, ...threadCases }))('%s', (name) => {
    expect(results[name]).toBe('passed')
  })
})
