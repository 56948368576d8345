import { describe, expect, it } from 'vitest'
import type { ChannelHarness } from '../../src/testing/channel-suite/channel-case.ts'
import { channelConformance, runChannelConformance } from '../../src/testing/channel-suite/conformance.ts'
import { brokenChannels } from './broken-channels.ts'
import { harnesses } from './harnesses.ts'

describe.each(Object.entries(harnesses))('%s', (_, harness) => {
  it.each(channelConformance.map((each) => [`${each.guarantee}: ${each.name}`, each] as const))('%s', (_name, each) =>
    each.run(harness()),
  )
})

describe('the channel suite', () => {
  it.concurrent.each(brokenChannels.map((broken) => [broken.name, broken] as const))(
    'rejects a channel that %s',
    async (_, broken) => {
      const cases = channelConformance.filter(({ name }) => broken.rejectedBy.includes(name))
      expect(cases.map(({ name }) => name).sort()).toEqual([...broken.rejectedBy].sort())
      for (const { name, run } of cases) {
        await expect(run(broken.harness()), name).rejects.toMatchObject({ name: 'AssertionError' })
      }
    },
  )

  it('has a broken channel for each guarantee that its cases name', () => {
    const rejecting = new Set(brokenChannels.flatMap((broken) => broken.rejectedBy))
    const covered = channelConformance.filter(({ name }) => rejecting.has(name)).map(({ guarantee }) => guarantee)
    expect([...new Set(covered)].sort()).toEqual(['C1', 'C2', 'C3', 'C4', 'C5'])
  })

  it('has cases with different names', () => {
    expect(new Set(channelConformance.map(({ name }) => name)).size).toBe(channelConformance.length)
  })

  it('reports what failed, goes on, leaves out what is skipped with a reason, and refuses an unknown skip', async () => {
    const [first, ...rest] = channelConformance
    const harness: ChannelHarness = {
      create: () => Promise.reject(new Error('no line')),
      skips: [{ reason: 'not today', cases: [first!.name] }],
    }
    const report = await runChannelConformance(harness)
    expect(report.skipped).toEqual([{ name: first!.name, reason: 'not today' }])
    expect(report.passed).toEqual([])
    expect(report.failed.map(({ name }) => name)).toEqual(rest.map(({ name }) => name))
    const unknown = { ...harness, skips: [{ reason: 'old', cases: ['renamed'] }] }
    await expect(runChannelConformance(unknown)).rejects.toThrow('renamed')
  })

  it('passes a channel as a whole', async () => {
    const report = await runChannelConformance(harnesses['the in-memory channel']!())
    expect(report.failed).toEqual([])
    expect(report.passed).toHaveLength(channelConformance.length)
  })
})
