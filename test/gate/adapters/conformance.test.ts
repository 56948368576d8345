import { beforeAll, describe, expect, test } from 'vitest'
import { adapterConformance, adapterSkipReasons, runAdapterConformance } from '../../../src/testing.ts'
import { bareHarness } from './bare-host.ts'
import { brokenAdapters } from './broken-adapters.ts'
import { describeAdapter } from './describe-adapter.ts'

// A replay of a call without an id cannot be told from a new call.
const withoutIds = bareHarness({
  answers: undefined,
  toForeign: ({ conversation: threadId }, { toolName, args }) => ({ threadId, toolName, args }),
})

describeAdapter('a host with nothing between its calls and the gate', bareHarness())
describeAdapter('a host without call ids', withoutIds)

describe('the suite rejects an adapter that', () => {
  const failures = new Map<string, string[]>()
  beforeAll(async () => {
    for (const { name, harness } of brokenAdapters) {
      const { failed } = await runAdapterConformance(harness)
      failures.set(
        name,
        failed.map((one) => one.name),
      )
    }
  })

  test.each(brokenAdapters)('$name', ({ name, rejectedBy }) => {
    expect(failures.get(name)).toEqual(expect.arrayContaining([...rejectedBy]))
  })

  test('breaks any of its cases: none passes whatever the adapter does', () => {
    const rejecting = new Set([...failures.values()].flat())
    expect(adapterConformance.map(({ name }) => name).filter((name) => !rejecting.has(name))).toEqual([])
  })
})

describe('a case that needs an answer at the host', () => {
  const needing = adapterConformance.filter(({ answer }) => answer !== undefined)

  test('is reported as skipped, with the reason, if nobody can give it', async () => {
    expect(needing.length).toBeGreaterThan(0)
    const { passed, failed, skipped } = await runAdapterConformance(withoutIds)
    expect([passed.length, failed]).toEqual([adapterConformance.length - needing.length, []])
    expect(skipped).toEqual(
      needing.map(({ name, answer }) => ({ name, reason: `nobody can answer '${answer}' at this host` })),
    )
    expect([...adapterSkipReasons({ answers: ['approve', 'edit'] }).keys()]).toEqual(
      needing.filter(({ answer }) => answer === 'reject').map(({ name }) => name),
    )
  })

  test.each(needing)('fails if it is run all the same: $name', async ({ run, answer }) => {
    await expect(run(withoutIds)).rejects.toThrow(`nobody can answer '${answer}' at this host: skip this case`)
  })
})
