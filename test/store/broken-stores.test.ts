import { describe, expect, it } from 'vitest'
import { brokenStores } from '../../src/testing/broken-stores/all.ts'
import { breakStore } from '../../src/testing/broken-stores/broken-store.ts'
import { runStoreConformance, storeConformance } from '../../src/testing/store-suite/conformance.ts'
import { memoryHarness } from '../../src/testing/store-suite/memory-harness.ts'
import type { StoreHarness } from '../../src/testing/store-suite/store-case.ts'

describe('the store suite', () => {
  it('accepts the store that the broken ones are made from', async () => {
    const report = await runStoreConformance(breakStore(() => ({}))())
    expect(report.failed).toEqual([])
    expect(report.passed.length + report.skipped.length).toBe(storeConformance.length)
  })

  it.each(brokenStores.map((broken) => [broken.name, broken] as const))(
    'rejects a store that %s',
    async (_, broken) => {
      const cases = storeConformance.filter(({ name }) => broken.rejectedBy.includes(name))
      expect(cases.map(({ name }) => name).sort()).toEqual([...broken.rejectedBy].sort())
      for (const { name, run } of cases) {
        await expect(run(broken.harness()), name).rejects.toMatchObject({ name: 'AssertionError' })
      }
    },
  )

  it('has a broken store for each guarantee that its cases name', () => {
    const rejecting = new Set(brokenStores.flatMap((broken) => broken.rejectedBy))
    const covered = storeConformance.filter(({ name }) => rejecting.has(name)).map(({ guarantee }) => guarantee)
    expect([...new Set(covered)].sort()).toEqual([...new Set(storeConformance.map((each) => each.guarantee))].sort())
  })

  it('has cases with different names', () => {
    expect(new Set(storeConformance.map(({ name }) => name)).size).toBe(storeConformance.length)
  })

  it('reports what failed and why, and goes on', async () => {
    const harness: StoreHarness = {
      ...memoryHarness(),
      create: () => Promise.reject(new Error('no disk')),
    }
    const report = await runStoreConformance(harness)
    expect(report.passed).toEqual([])
    expect(report.failed.length + report.skipped.length).toBe(storeConformance.length)
    expect(report.failed[0]).toMatchObject({ name: storeConformance[0]!.name, error: { message: 'no disk' } })
  })

  it('does not run what a backend skips, and says why', async () => {
    const name = storeConformance[0]!.name
    const skips = [...(memoryHarness().skips ?? []), { reason: 'not today', cases: [name] }]
    const report = await runStoreConformance({ ...memoryHarness(), skips })
    expect(report.skipped).toContainEqual({ name, reason: 'not today' })
    expect(report.passed).not.toContain(name)
  })

  it('refuses a skip that names no case', async () => {
    const skips = [{ reason: 'old', cases: ['a case that was renamed'] }]
    await expect(runStoreConformance({ ...memoryHarness(), skips })).rejects.toThrow('a case that was renamed')
  })

  it('fails, rather than skips, what needs a second handle when a backend has none and does not say so', async () => {
    const { skips: _, ...silent } = memoryHarness()
    const report = await runStoreConformance(silent)
    const skipped = memoryHarness().skips?.flatMap(({ cases }) => cases)
    expect(report.failed.map(({ name }) => name).sort()).toEqual(skipped?.sort())
  })
})
