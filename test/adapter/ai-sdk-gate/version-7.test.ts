import { beforeAll, describe, expect, test } from 'vitest'
import { version7Results } from '../version-7-results.ts'
import { cases } from './cases.ts'
import { casesOf, loops } from './harness.ts'
import type { Sdk } from './host.ts'
import { hostileCases } from './hostile-cases.ts'

describe('a gate for the AI SDK 7', () => {
  let results: Record<string, string> = {}

  beforeAll(async () => {
    results = await version7Results(import.meta.url)
  }, 300_000)

  test.each(Object.keys({ ...cases, ...hostileCases }))('%s', (name) => {
    expect(results[name]).toBe('passed')
  })

  describe.each(loops)('in the conformance suite of adapters, through %s', (loop) => {
    test.each(casesOf({} as Sdk, loop))('$name', ({ name }) => {
      expect(results[`${loop}: ${name}`]).toBe('passed')
    })
  })
})
