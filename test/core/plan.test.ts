import { describe, expect, it } from 'vitest'
import { type GivenContext, planContext } from '../../src/core/plan/context.ts'
import { deadlineOf, planDeadline } from '../../src/core/plan/deadline.ts'
import { type CheckedDecision, planDecision } from '../../src/core/plan/decide.ts'
import { planAgentChange, planFrameEnd } from '../../src/core/plan/frames.ts'
import { passedGate, planGatePassed } from '../../src/core/plan/gate.ts'
import { editedResult } from '../../src/core/plan/results.ts'
import { planAnswered, planClosed } from '../../src/core/plan/waits.ts'
import type { Decision } from '../../src/protocol/decision.ts'
import type { Entry, EntryOf } from '../../src/protocol/entries/entry.ts'
import { ANN, asking, calling, Journal, key, make, RUN } from './journal.ts'

const APPROVE = { type: 'approve' } as const
const asOpened = (id: string, more: Parameters<typeof make.asked>[1] = {}) =>
  make.asked(id, more) as EntryOf<'request.opened'>
const started = (more: Parameters<typeof make.started>[2] = {}) =>
  calling(['pay', 'b']).add(make.released(key(0)), make.started(key(0), 1, more))

describe('deciding', () => {
  const plan = (
    decision: Decision,
    more: Partial<CheckedDecision> = {},
    opened: Parameters<typeof make.asked>[1] = {},
  ) =>
    planDecision({
      opened: asOpened('r0', { call: key(0), digest: 'x', ...opened }),
      version: 1,
      decision,
      by: ANN,
      ...more,
    })

  it('an approval is released with it, after its undo window, with what it takes of a grant', () => {
    const release = { v: 1, type: 'call.released', call: key(0), by: ANN, request: 'r0', digest: 'x' }
    expect(plan(APPROVE)).toStrictEqual([make.decided('r0', APPROVE, { call: key(0) }), release])
    expect(plan(APPROVE, { undoMs: 5, comment: 'c', amount: 7 })).toStrictEqual([
      make.decided('r0', APPROVE, { call: key(0), undoMs: 5, comment: 'c' }),
      { ...release, delayMs: 5, amount: 7 },
    ])
  })

  it.each([[{ type: 'reject' }], [{ type: 'respond', message: 'm' }], [{ type: 'edit', args: {} }]] as [Decision][])(
    'nothing is released by %o alone',
    (decision) => {
      expect(plan(decision)).toStrictEqual([make.decided('r0', decision, { call: key(0) })])
    },
  )

  it('the key under which it was sent is kept with it', () => {
    const idempotency = { key: 'k', content: 'c' }
    expect(plan({ type: 'reject' }, { idempotency })[0]).toMatchObject({ idempotency })
  })

  it('a checked edit is released as it was checked', () => {
    const edited = { tool: 'other', args: { n: 1 }, definition: 'd2', digest: 'y' }
    expect(plan({ type: 'edit', args: { n: 1 } }, { edited, undoMs: 3 })[1]).toStrictEqual({
      v: 1,
      type: 'call.released',
      call: key(0),
      by: ANN,
      request: 'r0',
      ...edited,
      asRun: true,
      delayMs: 3,
    })
  })

  it('what was asked again is released as it was shown', () => {
    const shown = { toolName: 'other', args: { n: 4 }, definition: 'd3', preview: 1, preconditions: 2 }
    for (const reason of ['changed', 'unknown_outcome', 'grant_gone'])
      expect(plan(APPROVE, {}, { reason, ...shown })[1]).toMatchObject({
        tool: 'other',
        args: { n: 4 },
        definition: 'd3',
        facts: { preview: 1, preconditions: 2 },
      })
    expect(plan(APPROVE, {}, { reason: 'rejected_before', ...shown })[1]).not.toHaveProperty('tool')
    expect(plan(APPROVE, {}, { reason: 'changed' })[1]).toMatchObject({ facts: {} })
  })

  it('the answer to a question of a body, a gate, or what has no digest lets nothing run', () => {
    expect(plan(APPROVE, {}, { ordinal: 0 })).toHaveLength(1)
    const gate = asOpened('g', { gate: true, digest: 'x' })
    expect(planDecision({ opened: gate, version: 1, decision: APPROVE, by: ANN })).toStrictEqual([
      make.decided('g', APPROVE),
    ])
    const { digest: _digest, ...bare } = asOpened('r0', { call: key(0), digest: 'x' })
    expect(planDecision({ opened: bare, version: 1, decision: APPROVE, by: ANN })).toHaveLength(1)
  })

  it('a standing decision is given with it, and counts when it can no longer be withdrawn', () => {
    const given = { run: RUN, agent: 'agent', tool: 'pay', definition: 'd1', request: 'r0', by: ANN }
    expect(plan(APPROVE, { grant: { id: 'g', uses: 2 } })[2]).toStrictEqual({
      v: 1,
      type: 'grant.created',
      grant: { id: 'g', uses: 2, effect: 'allow', ...given },
    })
    expect(plan({ type: 'reject', message: 'no' }, { grant: { id: 'g' }, undoMs: 4 })[1]).toStrictEqual({
      v: 1,
      type: 'grant.created',
      grant: { id: 'g', effect: 'deny', message: 'no', delayMs: 4, ...given },
    })
    expect(plan({ type: 'respond', message: 'x' }, { grant: { id: 'g' } })).toHaveLength(1)
    expect(plan({ type: 'edit', args: {} }, { grant: { id: 'g' } })).toHaveLength(1)
    for (const missing of ['run', 'toolName', 'definition'] as const) {
      const { [missing]: _gone, ...opened } = asOpened('r0', { call: key(0) })
      expect(
        planDecision({
          opened: opened as EntryOf<'request.opened'>,
          version: 1,
          decision: { type: 'reject' },
          by: ANN,
          grant: { id: 'g' },
        }),
      ).toHaveLength(1)
    }
  })
})

describe('deadlines', () => {
  const by = { kind: 'time', id: 'deadline' }
  const at = (onTimeout?: 'reject' | 'escalate' | 'allow' | 'keep') =>
    planDeadline({
      opened: asOpened('r0', { call: key(0), digest: 'x', ...(onTimeout ? { onTimeout } : {}) }),
      version: 1,
    })

  it('apply onTimeout, and reject by default', () => {
    const expired = { v: 1, type: 'request.closed', id: 'r0', call: key(0), version: 2, status: 'expired', by }
    expect(at()).toStrictEqual([expired])
    expect(at('reject')).toStrictEqual([expired])
    expect(at('escalate')).toStrictEqual([make.escalated('r0', { call: key(0) })])
    expect(planDeadline({ opened: asOpened('q', { onTimeout: 'escalate' }), version: 4 })).toStrictEqual([
      make.escalated('q', { version: 5 }),
    ])
    expect(at('allow')).toMatchObject([
      { decision: APPROVE, by },
      { type: 'call.released', by },
    ])
    expect(at('keep')).toStrictEqual([])
  })

  it('are when the request says, unless it is kept or was passed on', () => {
    expect(deadlineOf(asOpened('r', { expiresAt: 5 }), false)).toBe(5)
    expect(deadlineOf(asOpened('r', { expiresAt: 5 }), true)).toBeUndefined()
    expect(deadlineOf(asOpened('r', { expiresAt: 5, onTimeout: 'keep' }), false)).toBeUndefined()
    expect(deadlineOf(asOpened('r'), false)).toBeUndefined()
  })
})

describe('answers, gates, frames and contexts', () => {
  it('an answer and a closing say whose question it was, and the next version', () => {
    const opened = asOpened('q', { call: key(0) })
    expect(planAnswered({ opened, version: 3 }, { value: 1, by: ANN, comment: 'c' })).toStrictEqual(
      make.answered('q', { call: key(0), version: 4, answer: 1, comment: 'c' } as never),
    )
    expect(planAnswered({ opened: asOpened('q'), version: 1 }, { value: true, by: ANN })).toStrictEqual(
      make.answered('q'),
    )
    expect(planClosed({ opened: asOpened('q'), version: 1 }, { status: 'cancelled', by: ANN })).toStrictEqual(
      make.closed('q', { status: 'cancelled', by: ANN }),
    )
  })

  const gated = (answer: Parameters<Journal['add']>[0], more: Parameters<Journal['add']> = []) => {
    const journal = new Journal().add(make.opened(), make.said([]), make.asked('g', { gate: true }), ...more, answer)
    return passedGate(journal.state.run!, journal.state.run!.frames.get(RUN)!)
  }
  const goesOn = (reason: string) => ({
    kind: 'goes-on',
    entries: [
      {
        v: 1,
        type: 'input.added',
        run: RUN,
        input: [{ role: 'system', content: `A person did not let your last answer through: ${reason}. Answer again.` }],
        note: true,
      },
    ],
  })

  it('a gate lets the answer end the run, puts a person’s words in its place, or sends it back with the reason', () => {
    expect(gated(make.decided('g', APPROVE))).toStrictEqual({ kind: 'ends', text: '', replaced: false })
    expect(gated(make.decided('g', { type: 'respond', message: 'mine' }))).toStrictEqual({
      kind: 'ends',
      text: 'mine',
      replaced: true,
    })
    expect(gated(make.decided('g', { type: 'reject', message: 'wrong' }))).toStrictEqual(goesOn('wrong'))
    expect(gated(make.decided('g', { type: 'reject' }))).toStrictEqual(goesOn('no reason was given'))
    expect(gated(make.decided('g', { type: 'edit', args: {} }))).toStrictEqual(goesOn('an answer cannot be edited'))
    expect(gated(make.closed('g'))).toStrictEqual(goesOn('nobody let it through in time'))
    expect(gated(make.closed('g', { status: 'cancelled' }))).toStrictEqual(goesOn('it was withdrawn'))
    expect(gated(make.closed('g', { status: 'cancelled', reason: 'why' }))).toStrictEqual(goesOn('why'))
    const input: Entry = { v: 1, type: 'input.added', run: RUN, input: [{ role: 'user', content: 'wait' }] }
    expect(gated(make.decided('g', APPROVE), [input])).toStrictEqual({ kind: 'goes-on', entries: [] })
    expect(gated(input)).toBeUndefined()
  })

  it('entries about a frame name it unless it is the root', () => {
    const frame = { agent: { id: 'a' }, input: [], maxTurns: 1 }
    const { run } = started({ frame }).state
    expect(planGatePassed(run!, run!.frames.get(RUN)!)).toStrictEqual({ v: 1, type: 'gate.passed', run: RUN })
    expect(planGatePassed(run!, run!.frames.get(key(0))!)).toStrictEqual({
      v: 1,
      type: 'gate.passed',
      run: RUN,
      frame: key(0),
    })
  })

  it('the root ends the run; a nested frame finishes its call, with a result', () => {
    const { state } = started({ frame: { agent: { id: 'a' }, input: [], maxTurns: 1 } })
    const [root, inner] = [...state.run!.frames.values()]
    expect(planFrameEnd(state, { run: state.run!, frame: root! }, undefined)).toStrictEqual([
      { v: 1, type: 'run.settled', run: RUN, status: 'completed' },
    ])
    expect(planFrameEnd(state, { run: state.run!, frame: inner! }, { content: 'ok' })).toStrictEqual([
      make.finished(key(0)),
    ])
    expect(() => planFrameEnd(state, { run: state.run!, frame: inner! }, undefined)).toThrow(/has no result/)
  })

  it('what the next agent is shown is stored as positions where the conversation has it', () => {
    const of = ['a', 'b', 'c', 'a'].map((content) => ({ role: 'user', content }) as const)
    const extra = { role: 'user', content: 'x' } as const
    const changed = (shown: (typeof extra | (typeof of)[number])[]) =>
      planAgentChange(RUN, { agent: { id: 'n' }, filtered: { of, shown } })
    const base = { v: 1, type: 'agent.changed', frame: RUN, agent: { id: 'n' } }
    expect(planAgentChange(RUN, { agent: { id: 'n' } })).toStrictEqual(base)
    expect(changed([of[0]!, of[1]!, extra, { ...of[3]! }])).toStrictEqual({
      ...base,
      shown: [{ from: 0, to: 2 }, extra, { from: 3, to: 4 }],
    })
    expect(changed([of[0]!, of[2]!])).toStrictEqual({
      ...base,
      shown: [
        { from: 0, to: 1 },
        { from: 2, to: 3 },
      ],
    })
  })

  it('merging a context writes only what differs, and replacing it withdraws what was not acted on', () => {
    const journal = asking(['pay', 'b']).add(make.granted(), make.decided('r0', APPROVE, { call: key(0) }))
    journal.add(make.closed('r1', { call: key(1) }))
    const plan = (given: GivenContext, revokes = true) =>
      planContext(journal.state, journal.state.run!, { ...given, revokes: () => revokes })
    const by = { kind: 'system', id: 'context' }
    const replaced = { v: 1, type: 'context.replaced', run: RUN }
    expect(plan({ strategy: 'merge' })).toStrictEqual([])
    expect(plan({ strategy: 'merge', context: 1 })).toStrictEqual([{ ...replaced, strategy: 'merge', context: 1 }])
    expect(plan({ strategy: 'merge', toolInput: 1 })).toHaveLength(1)
    expect(plan({ strategy: 'replace' })).toStrictEqual([
      { ...replaced, strategy: 'replace' },
      { v: 1, type: 'grant.revoked', id: 'g1', by },
      make.reopened('r0', { call: key(0), by } as never),
    ])
    expect(plan({ strategy: 'replace' }, false)).toHaveLength(2)
    journal.add({ ...replaced, strategy: 'merge', context: { a: 1 }, toolInput: 2 } as never)
    expect(plan({ strategy: 'merge', context: { a: 1 } })).toStrictEqual([])
    expect(plan({ strategy: 'merge' })).toStrictEqual([{ ...replaced, strategy: 'merge', toolInput: 2 }])
  })

  it('replacing a context reopens a decided gate, keeps what was revoked, and writes the usage that it is given', () => {
    const usage = { requests: 1, inputTokens: 2, outputTokens: 3, totalTokens: 5 }
    const gate = new Journal().add(make.opened(), make.said([]), make.asked('g', { gate: true }), make.granted())
    const plan = (given: GivenContext) =>
      planContext(gate.state, gate.state.run!, { ...given, revokes: ({ id }) => id === 'g1' })
    const by = { kind: 'system', id: 'context' }
    const replaced = { v: 1, type: 'context.replaced', run: RUN, strategy: 'replace' }
    const revoked = { v: 1, type: 'grant.revoked', id: 'g1', by }
    expect(plan({ strategy: 'merge', usage })).toStrictEqual([{ ...replaced, strategy: 'merge', usage }])
    expect(plan({ strategy: 'replace', toolInput: 1 })).toStrictEqual([{ ...replaced, toolInput: 1 }, revoked])
    gate.add(make.decided('g', APPROVE))
    expect(plan({ strategy: 'replace' })).toStrictEqual([replaced, revoked, make.reopened('g', { by } as never)])
    gate.add({ v: 1, type: 'grant.revoked', id: 'g1', by: ANN })
    expect(plan({ strategy: 'replace' })).toHaveLength(2)
    const closed = new Journal().add(make.opened(), make.said([]), make.asked('g', { gate: true }), make.closed('g'))
    expect(planContext(closed.state, closed.state.run!, { strategy: 'replace', revokes: () => true })).toHaveLength(1)
  })

  it('the result of an edited call says what ran, and why', () => {
    const ran = { tool: 'pay', args: { n: 1 }, by: { ...ANN, via: 'cli' }, editMessage: 'too much' }
    const note = '[A person changed this call before it ran. What ran: pay {"n":1} Why: too much]'
    const edited = { toolName: 'pay', args: { n: 1 }, by: ANN, message: 'too much' }
    expect(editedResult({ content: 'ok' }, ran)).toStrictEqual({ content: `${note}\nok`, data: { edited } })
    expect(editedResult({ content: [{ type: 'text', text: 'ok' }], data: 5 }, ran)).toStrictEqual({
      content: [
        { type: 'text', text: note },
        { type: 'text', text: 'ok' },
      ],
      data: { edited, result: 5 },
    })
    expect(editedResult({ content: 'ok' }, { ...ran, editMessage: undefined }).content).not.toContain('Why')
  })
})
