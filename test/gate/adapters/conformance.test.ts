import { describe, expect, test } from 'vitest'
import { adapterConformance, runAdapterConformance } from '../../../src/testing.ts'
import { bareHarness } from './bare-host.ts'
import { brokenAdapters } from './broken-adapters.ts'

describe('a host with nothing between its calls and the gate', () => {
  test.each(adapterConformance)('$guarantee: $name', ({ run }) => run(bareHarness()))
})

describe('a host without call ids', () => {
  const harness = bareHarness({
    // A replay of it cannot be told from a new call.
    answers: undefined,
    toForeign: ({ conversation: threadId }, { toolName, args }) => ({ threadId, toolName, args }),
  })
  test.each(adapterConformance)('$guarantee: $name', ({ run }) => run(harness))
})

describe('the suite rejects an adapter that', () => {
  test.each(brokenAdapters)('$name', async ({ harness, rejectedBy }) => {
    const { failed } = await runAdapterConformance(harness)
    expect(failed.map(({ name }) => name)).toEqual(expect.arrayContaining([...rejectedBy]))
  })

  test('breaks any of its guarantees', () => {
    const rejecting = new Set(brokenAdapters.flatMap(({ rejectedBy }) => rejectedBy))
    const proven = adapterConformance.filter(({ name }) => rejecting.has(name)).map(({ guarantee }) => guarantee)
    expect(new Set(proven)).toEqual(new Set(adapterConformance.map(({ guarantee }) => guarantee)))
  })
})
