import { describe, expect, it } from 'vitest'
import { brokenStreams } from '../../src/testing/broken-streams/all.ts'
import { breakStreams } from '../../src/testing/broken-streams/broken-streams.ts'
import { runStreamsConformance, streamsConformance } from '../../src/testing/streams-suite/conformance.ts'
import { memoryStreamsHarness } from '../../src/testing/streams-suite/memory-harness.ts'

describe('the streams suite', () => {
  it.concurrent('accepts the streams that the broken ones are made from', async () => {
    const report = await runStreamsConformance(breakStreams(() => ({}))())
    expect(report.failed).toEqual([])
    expect(report.passed.length + report.skipped.length).toBe(streamsConformance.length)
  })

  it.concurrent.each(brokenStreams.map((broken) => [broken.name, broken] as const))(
    'rejects streams that %s',
    async (_, broken) => {
      const cases = streamsConformance.filter(({ name }) => broken.rejectedBy.includes(name))
      expect(cases.map(({ name }) => name).sort()).toEqual([...broken.rejectedBy].sort())
      await Promise.all(
        cases.map(({ name, run }) =>
          expect(run(broken.harness()), name).rejects.toMatchObject({ name: 'AssertionError' }),
        ),
      )
    },
  )

  it('has broken streams for each guarantee that its cases name', () => {
    const rejecting = new Set(brokenStreams.flatMap((broken) => broken.rejectedBy))
    const covered = streamsConformance.filter(({ name }) => rejecting.has(name)).map(({ guarantee }) => guarantee)
    expect([...new Set(covered)].sort()).toEqual([...new Set(streamsConformance.map((each) => each.guarantee))].sort())
  })

  it('has cases with different names', () => {
    expect(new Set(streamsConformance.map(({ name }) => name)).size).toBe(streamsConformance.length)
  })

  it('refuses a skip that names no case', async () => {
    const skips = [{ reason: 'old', cases: ['a case that was renamed'] }]
    await expect(runStreamsConformance({ ...memoryStreamsHarness(), skips })).rejects.toThrow('a case that was renamed')
  })
})
