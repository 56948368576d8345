import { describe, expect, it } from 'vitest'
import { planAskAgain } from '../../src/core/plan/ask-again.ts'
import {
  planAbort,
  planFinish,
  planNotBegun,
  planRefusals,
  planRefuseAll,
  planReopen,
  planRetry,
  planStart,
} from '../../src/core/plan/calls.ts'
import type { Release } from '../../src/core/state.ts'
import type { EntryOf } from '../../src/protocol/entries/entry.ts'
import { ANN, asking, calling, Journal, key, make, NOW, RUN } from './journal.ts'

const APPROVE = { type: 'approve' } as const
const SYSTEM = { kind: 'system', id: 'holdpoint' }
const started = (more: Parameters<typeof make.started>[2] = {}) =>
  calling(['pay', 'b']).add(make.released(key(0)), make.started(key(0), 1, more))
const releaseOf = (journal: Journal): Release => {
  const { phase } = journal.call(key(0))
  if (phase.at !== 'started' && phase.at !== 'released') throw new Error(phase.at)
  return phase.release
}

describe('starting and finishing', () => {
  it('a start is the next attempt, and says how it can go on', () => {
    const call = calling(['pay']).call(key(0))
    expect(planStart(call, { resumable: false })).toStrictEqual([make.started(key(0), 1)])
    const frame = { agent: { id: 'a' }, input: [], maxTurns: 1 }
    expect(planStart(call, { resumable: true, frame })).toStrictEqual([
      make.started(key(0), 1, { resumable: true, frame }),
    ])
    expect(planStart(started().call(key(0)), { resumable: false })).toStrictEqual([make.started(key(0), 2)])
  })

  it('an attempt is finished once, by itself alone, and what its body still asks is closed', () => {
    const done = { attempt: 1, result: { content: 'ok' } }
    const waiting = started().add(make.asked('w', { call: key(0), kind: 'confirm', ordinal: 0 }))
    const over = { status: 'superseded', by: SYSTEM, reason: 'the call is over' }
    expect(planFinish(waiting.state, key(0), done)).toStrictEqual([
      { v: 1, type: 'request.closed', id: 'w', call: key(0), version: 2, ...over },
      make.finished(key(0)),
    ])
    expect(planFinish(started().state, key(0), done)).toStrictEqual([make.finished(key(0))])
    expect(planFinish(started().state, key(0), { ...done, attempt: 2 })).toStrictEqual([])
    expect(planFinish(started().state, key(9), done)).toStrictEqual([])
    expect(planFinish(started().add(make.finished(key(0))).state, key(0), done)).toStrictEqual([])
  })

  it('who reports late closes the question about it, and is not heard where it was never started', () => {
    const done = { attempt: 1, result: { content: 'ok' } }
    const unknown = started().add(make.asked('u', { call: key(0) }))
    expect(planFinish(unknown.state, key(0), done)).toMatchObject([
      { type: 'request.closed', id: 'u', status: 'superseded', reason: 'the outcome became known', by: SYSTEM },
      { type: 'call.finished' },
    ])
    unknown.add(make.decided('u', APPROVE, { call: key(0) }), make.released(key(0)))
    expect(planFinish(unknown.state, key(0), done)).toStrictEqual([make.finished(key(0))])
    const never = { ...done, attempt: 0 }
    expect(planFinish(asking(['pay']).state, key(0), never)).toStrictEqual([])
    expect(planFinish(calling(['pay']).add(make.released(key(0))).state, key(0), never)).toStrictEqual([])
    expect(planFinish(calling(['pay']).state, key(0), never)).toStrictEqual([])
  })

  it('a release is given back only if its attempt left no trace and may run nowhere else', () => {
    expect(planNotBegun(started().state, key(0), 1)).toMatchObject([
      { type: 'call.released', call: key(0), digest: 'x', by: { ...ANN, via: 'retry' } },
    ])
    const frame = { agent: { id: 'a' }, input: [], maxTurns: 1 }
    const others = [
      started({ resumable: true }),
      started({ frame }),
      started().add(make.asked('w', { call: key(0), kind: 'confirm' })),
      started().add({ v: 1, type: 'step.started', call: key(0), name: 's' }),
      started().add(make.finished(key(0))),
      calling(['pay']).add(make.released(key(0))),
    ]
    for (const journal of others) expect(planNotBegun(journal.state, key(0), 1)).toStrictEqual([])
    expect(planNotBegun(started().state, key(0), 2)).toStrictEqual([])
    expect(planNotBegun(started().state, key(8), 1)).toStrictEqual([])
  })

  it('a retry releases exactly the same once more, an edited call with its edit', () => {
    const journal = started()
    expect(planRetry(journal.call(key(0)), releaseOf(journal), { resumable: false })).toStrictEqual([
      make.released(key(0), { by: { ...ANN, via: 'retry' } }),
      make.started(key(0), 2),
    ])
    const other = calling(['pay']).add(
      make.released(key(0), { tool: 'other', definition: 'd2', args: { n: 1 }, facts: { preview: 1 } }),
      make.started(key(0)),
    )
    expect(planRetry(other.call(key(0)), releaseOf(other), { resumable: false })[0]).toStrictEqual(
      make.released(key(0), {
        by: { ...ANN, via: 'retry' },
        tool: 'other',
        definition: 'd2',
        args: { n: 1 },
        facts: { preview: 1 },
      }),
    )
  })
})

describe('asking again', () => {
  const again = (journal: Journal, reason: 'unknown_outcome' | 'changed' | 'grant_gone', more: object = {}) =>
    planAskAgain(journal.state.run!, journal.call(key(0)), {
      id: 'r9',
      release: releaseOf(journal),
      digest: 'y',
      definition: 'd2',
      facts: { preview: 'p' },
      now: NOW + 100,
      reason,
      ...more,
    }) as EntryOf<'request.opened'>

  it('shows what would run now, as it was asked the first time, with as much time', () => {
    const opened = {
      expiresAt: NOW + 30,
      onTimeout: 'escalate' as const,
      reviewers: ['ann'],
      risk: 'high' as const,
      description: 'why',
    }
    const journal = calling(['pay']).add(
      make.asked('r0', { call: key(0), ...opened, argsSchema: { type: 'object' }, allowedDecisions: ['approve'] }),
      make.decided('r0', APPROVE, { call: key(0) }),
      make.released(key(0)),
    )
    expect(again(journal, 'changed', { details: { a: 1 } })).toStrictEqual({
      v: 1,
      type: 'request.opened',
      id: 'r9',
      questionId: 'c0',
      kind: 'approve',
      run: RUN,
      call: key(0),
      agent: 'agent',
      path: ['agent'],
      toolName: 'pay',
      toolCallId: 'c0',
      args: { n: 0 },
      definition: 'd2',
      digest: 'y',
      preview: 'p',
      reason: 'changed',
      details: { a: 1 },
      supersedes: 'r0',
      allowedDecisions: ['approve'],
      argsSchema: { type: 'object' },
      ...opened,
      expiresAt: NOW + 130,
    })
    expect(again(journal, 'unknown_outcome').allowedDecisions).toStrictEqual(['approve', 'respond', 'reject'])
  })

  it('asks about what nobody was asked about before with everything allowed, or as the grant that is gone would have', () => {
    const free = calling(['pay']).add(make.released(key(0)))
    const asked = again(free, 'changed')
    expect(asked.allowedDecisions).toStrictEqual(['approve', 'edit', 'reject', 'respond'])
    for (const absent of [
      'supersedes',
      'expiresAt',
      'reviewers',
      'risk',
      'description',
      'details',
      'onTimeout',
      'argsSchema',
    ])
      expect(asked).not.toHaveProperty(absent)
    const review = { allowedDecisions: ['reject' as const], reviewers: ['bob'] }
    const granted = new Journal().add(
      make.opened(),
      make.said(['pay']),
      make.judged(key(0), { review }),
      make.released(key(0)),
    )
    expect(again(granted, 'grant_gone')).toMatchObject({ ...review, reason: 'grant_gone' })
    expect(again(granted, 'grant_gone')).not.toHaveProperty('supersedes')
  })
})

describe('refusing', () => {
  it('each call gets its one result, and what its body asks is closed first', () => {
    const journal = started().add(make.asked('w', { call: key(0), kind: 'confirm' }))
    const result = { content: 'no', isError: true }
    expect(planRefusals([{ call: journal.call(key(0)), cause: 'denied', result }])).toMatchObject([
      { type: 'request.closed', id: 'w' },
      { type: 'call.refused', call: key(0), cause: 'denied', result },
    ])
  })

  it('all that is open is refused, inner calls first, and of a call that was started nobody says that it did not run', () => {
    const why = { status: 'aborted', by: ANN, text: 'stop', unknownText: (name: string) => `${name}?` } as const
    const journal = calling(['pay', 'b', 'c', 'd']).add(
      make.released(key(0)),
      make.started(key(0)),
      make.asked('r1', { call: key(1) }),
      make.refused(key(2)),
      make.released(key(3)),
      make.started(key(3), 1, { frame: { agent: { id: 'a' }, input: [], maxTurns: 1 } }),
      make.said(['in'], { frame: key(3) }),
      make.judged(key(0, 1, key(3))),
    )
    const closed = {
      v: 1,
      type: 'request.closed',
      id: 'r1',
      call: key(1),
      version: 2,
      status: 'aborted',
      by: ANN,
      reason: 'stop',
    }
    const refused = (call: string, cause: string, content: string) => ({
      v: 1,
      type: 'call.refused',
      call,
      cause,
      result: { content, isError: true },
    })
    expect(planRefuseAll(journal.state, why)).toStrictEqual([
      refused(key(0, 1, key(3)), 'aborted', 'stop'),
      refused(key(0), 'unknown', 'pay?'),
      closed,
      refused(key(1), 'aborted', 'stop'),
      refused(key(3), 'aborted', 'stop'),
    ])
    const { unknownText: _none, ...silent } = why
    expect(planRefuseAll(journal.state, silent)[1]).toStrictEqual(refused(key(0), 'aborted', 'stop'))
    const waiting = started().add(make.asked('w', { call: key(0), kind: 'confirm' }))
    expect(planRefuseAll(waiting.state, why).slice(0, 2)).toMatchObject([
      { type: 'request.closed', id: 'w' },
      { cause: 'aborted' },
    ])
  })

  it('an aborted run ends with a last message, and an open gate is closed', () => {
    const journal = new Journal().add(make.opened(), make.said([]), make.asked('g', { gate: true }))
    expect(planAbort(journal.state, journal.state.run!, { by: ANN, reason: 'enough' })).toStrictEqual([
      { v: 1, type: 'request.closed', id: 'g', version: 2, status: 'aborted', by: ANN, reason: 'aborted: enough' },
      {
        v: 1,
        type: 'run.settled',
        run: RUN,
        status: 'aborted',
        by: ANN,
        reason: 'enough',
        message: { role: 'assistant', content: '', stopReason: 'aborted' },
      },
    ])
    journal.add(make.decided('g', APPROVE))
    expect(planAbort(journal.state, journal.state.run!, { by: ANN, reason: 'enough' })).toHaveLength(1)
  })

  it('a request opens again only where it was answered', () => {
    const why = { cause: 'edit_refused' as const, by: ANN, problems: ['p'] }
    const answered = asking(['pay']).add(make.decided('r0', APPROVE, { call: key(0) }))
    expect(planReopen(answered.call(key(0)), why)).toStrictEqual([make.reopened('r0', { call: key(0), ...why })])
    answered.add(make.released(key(0)))
    expect(planReopen(answered.call(key(0)), why)).toHaveLength(1)
    expect(planReopen(asking(['pay']).call(key(0)), why)).toStrictEqual([])
    expect(
      planReopen(
        calling(['pay'])
          .add(make.released(key(0)))
          .call(key(0)),
        why,
      ),
    ).toStrictEqual([])
    expect(planReopen(started().call(key(0)), why)).toStrictEqual([])
  })
})
