import { describe, expect, it } from 'vitest'
import { inProcessHarness } from '../../src/testing/queue-suite/in-process-harness.ts'
import { queueSuite, runQueueSuite } from '../../src/testing/queue-suite/suite.ts'
import { type BrokenQueue, breakQueue, brokenQueues } from './broken.ts'

describe('the queue suite', () => {
  it.concurrent('accepts the queue that the broken ones are made from', async () => {
    const report = await runQueueSuite(breakQueue(() => ({}))())
    expect(report.failed).toEqual([])
    expect(report.passed.length + report.skipped.length).toBe(queueSuite.length)
  })

  it.concurrent.each(brokenQueues.map((broken): [string, BrokenQueue] => [broken.name, broken]))(
    'rejects a queue that %s',
    async (_, broken) => {
      const cases = queueSuite.filter(({ name }) => broken.rejectedBy.includes(name))
      expect(cases.map(({ name }) => name).sort()).toEqual([...broken.rejectedBy].sort())
      await Promise.all(
        cases.map(({ name, run }) =>
          expect(run(broken.harness()), name).rejects.toMatchObject({ name: 'AssertionError' }),
        ),
      )
    },
  )

  it('has a broken queue for each guarantee', () => {
    const rejecting = new Set(brokenQueues.flatMap((broken) => broken.rejectedBy))
    const covered = queueSuite.filter(({ name }) => rejecting.has(name)).map(({ guarantee }) => guarantee)
    expect([...new Set(covered)].sort()).toEqual(['Q1', 'Q2', 'Q3', 'Q4', 'Q5', 'Q6', 'Q7'])
  })

  it('has cases with different names', () => {
    expect(new Set(queueSuite.map(({ name }) => name)).size).toBe(queueSuite.length)
  })

  it('refuses a skip that names no case', async () => {
    const skips = [{ reason: 'old', cases: ['a case that was renamed'] }]
    await expect(runQueueSuite({ ...inProcessHarness(), skips })).rejects.toThrow('a case that was renamed')
  })
})
