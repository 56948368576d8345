import { describe, expect, it } from 'vitest'
import { type KnownGrant, ownGrants } from '../../src/core/grants.ts'
import { type JudgedAnswer, type JudgedCall, planAnswer } from '../../src/core/plan/answer.ts'
import type { Grant } from '../../src/protocol/grant.ts'
import { ANN, GRANT, Journal, key, make, NOW, RUN } from './journal.ts'

type Free = Extract<JudgedCall, { asSent: boolean }>

const call = (kind: 'allow' | 'review', more: Partial<Free> = {}): JudgedCall => ({
  verdict: { kind },
  args: { n: 0 },
  asSent: true,
  definition: 'd1',
  digest: 'x',
  allowedDecisions: ['approve', 'reject'],
  resumable: false,
  ...more,
})
const free = (more: Partial<Free> = {}) => call('allow', more)
const held = (more: Partial<Free> = {}) => call('review', more)

/** What an answer of the root with these calls adds. */
function plan(
  calls: readonly JudgedCall[],
  more: Partial<JudgedAnswer> = {},
  journal = new Journal().add(make.opened()),
) {
  const { state } = journal
  const run = state.run!
  const toolCalls = calls.map((_, n) => ({ id: `c${n}`, name: 'pay', args: { n } }))
  let ids = 0
  return planAnswer(state, run, {
    frame: run.frames.get(RUN)!,
    message: { role: 'assistant', content: 'hm', ...(calls.length > 0 ? { toolCalls } : {}) },
    read: 0,
    calls,
    definitions: new Map(),
    newId: () => `id${ids++}`,
    refusals: [],
    grants: [],
    now: NOW,
    ...more,
  })
}

const judged = (index: number, kind: 'allow' | 'review', more: object = {}) => ({
  v: 1,
  type: 'call.judged',
  call: key(index),
  verdict: { kind },
  definition: 'd1',
  digest: 'x',
  asRun: true,
  ...more,
})
const released = (index: number, more: object = {}) => ({
  v: 1,
  type: 'call.released',
  call: key(index),
  digest: 'x',
  by: { kind: 'policy', id: 'allow' },
  ...more,
})
const started = (index: number, more: object = {}) => ({
  v: 1,
  type: 'call.started',
  call: key(index),
  attempt: 1,
  ...more,
})
const opened = (index: number, id: string, more: object = {}) => ({
  v: 1,
  type: 'request.opened',
  id,
  questionId: `c${index}`,
  kind: 'approve',
  run: RUN,
  call: key(index),
  agent: 'agent',
  path: ['agent'],
  toolName: 'pay',
  toolCallId: `c${index}`,
  args: { n: 0 },
  asRun: true,
  definition: 'd1',
  digest: 'x',
  allowedDecisions: ['approve', 'reject'],
  ...more,
})

describe('an answer without calls', () => {
  const said = { v: 1, type: 'model.answered', frame: RUN, turn: 1, message: { role: 'assistant', content: 'hm' } }
  const settled = { v: 1, type: 'run.settled', run: RUN, status: 'completed' }

  it('ends the run, with what it cost', () => {
    expect(plan([])).toStrictEqual({ entries: [said, settled], grants: [] })
    const usage = { inputTokens: 1, outputTokens: 2 } as never
    expect(plan([], { usage }).entries[0]).toStrictEqual({ ...said, usage })
  })

  it('does not end it while there is input that it has not read', () => {
    const input = () =>
      new Journal().add(make.opened(), {
        v: 1,
        type: 'input.added',
        run: RUN,
        input: [{ role: 'user', content: 'wait' }],
      })
    expect(plan([], {}, input()).entries).toStrictEqual([said])
    expect(plan([], { read: 1 }, input()).entries).toStrictEqual([{ ...said, read: 1 }, settled])
  })

  it('is the next turn of its frame', () => {
    const journal = new Journal().add(
      make.opened(),
      make.said(['pay']),
      make.judged(key(0)),
      make.released(key(0)),
      make.started(key(0)),
      make.finished(key(0)),
    )
    expect(plan([], {}, journal).entries[0]).toMatchObject({ turn: 2 })
  })

  it('waits at a gate, which shows what would be said', () => {
    const gate = { allowedDecisions: ['approve' as const], description: 'Look' }
    expect(plan([], { gate }).entries).toStrictEqual([
      said,
      {
        v: 1,
        type: 'request.opened',
        id: 'id0',
        questionId: 'id0',
        kind: 'approve',
        run: RUN,
        gate: true,
        agent: 'agent',
        path: ['agent'],
        reason: 'final_answer',
        preview: 'hm',
        ...gate,
      },
    ])
  })

  it('of a nested run finishes its call, or waits at a gate that names its frame', () => {
    const frame = { agent: { id: 'inner', name: 'inner' }, input: [], maxTurns: 3 }
    const journal = new Journal().add(
      make.opened(),
      make.said(['pay']),
      make.judged(key(0)),
      make.released(key(0)),
      make.started(key(0), 1, { frame }),
    )
    const nested = { frame: journal.state.run!.frames.get(key(0))!, result: { content: 'ok' } }
    expect(plan([], nested, journal).entries[1]).toStrictEqual(make.finished(key(0)))
    expect(plan([], { ...nested, gate: { allowedDecisions: ['approve'] } }, journal).entries[1]).toMatchObject({
      frame: key(0),
      agent: 'inner',
      path: ['agent', 'inner'],
    })
  })
})

describe('an answer with calls', () => {
  it('is judged, asked, cleared and started in one append', () => {
    const { entries, grants } = plan([free(), held()])
    expect(entries.slice(1)).toStrictEqual([
      judged(0, 'allow'),
      judged(1, 'review'),
      released(0),
      opened(1, 'id0'),
      started(0),
    ])
    expect(grants).toEqual([])
  })

  it('starts nothing while one is held, where the run starts all together', () => {
    const together = () => new Journal().add(make.opened({ start: 'settled' }))
    expect(plan([free(), held()], {}, together()).entries.map(({ type }) => type)).not.toContain('call.started')
    expect(plan([free(), free()], {}, together()).entries.slice(-2)).toStrictEqual([started(0), started(1)])
  })

  it('says of a call what its body gets, and how it can be started', () => {
    const policies = [{ id: 'p', version: '1' }] as never
    const given = { asSent: false, args: { n: 5 }, argsInput: { n: '5' }, facts: { preview: 1 }, policies }
    const [, first, , begun] = plan([free({ ...given, resumable: true, handoff: true, by: ANN })]).entries
    expect(first).toStrictEqual(
      judged(0, 'allow', { args: { n: 5 }, argsInput: { n: '5' }, facts: { preview: 1 }, policies, handoff: true }),
    )
    expect(begun).toStrictEqual(started(0, { resumable: true }))
    expect(plan([free({ by: ANN })]).entries[2]).toStrictEqual(released(0, { by: ANN }))
    expect(plan([free({ deferred: true })]).entries.slice(2)).toStrictEqual([released(0)])
    expect(plan([free({ facts: {}, policies: [] })]).entries[1]).toStrictEqual(judged(0, 'allow'))
  })

  it('asks with everything that the rules, the tool and the hooks say', () => {
    const ask = { description: 'Pay?', expiresAt: 9, reviewers: ['ann'], risk: 'high', reason: 'rule' } as never
    const given = { args: { n: 5 }, argsInput: { n: '5' }, facts: { preview: 1, preconditions: 2 }, ask }
    expect(plan([held(given)]).entries[2]).toStrictEqual(
      opened(0, 'id0', {
        args: { n: 5 },
        argsInput: { n: '5' },
        preview: 1,
        preconditions: 2,
        description: 'Pay?',
        expiresAt: 9,
        reviewers: ['ann'],
        risk: 'high',
        reason: 'rule',
      }),
    )
  })

  it('refuses what does not fit or is denied, and says by whom', () => {
    const refusal = { content: 'no', isError: true }
    const refused = { v: 1, type: 'call.refused', result: refusal }
    const { entries } = plan([
      { verdict: { kind: 'invalid', problems: ['n'] } as never, refusal },
      { verdict: { kind: 'deny', reason: 'r' } as never, refusal, by: ANN, definition: 'd1', digest: 'x' },
    ])
    expect(entries.slice(1)).toStrictEqual([
      { v: 1, type: 'call.judged', call: key(0), verdict: { kind: 'invalid', problems: ['n'] } },
      {
        v: 1,
        type: 'call.judged',
        call: key(1),
        verdict: { kind: 'deny', reason: 'r' },
        definition: 'd1',
        digest: 'x',
      },
      { ...refused, call: key(0), cause: 'invalid' },
      { ...refused, call: key(1), cause: 'denied', by: ANN },
    ])
  })

  it('defines each tool once in a thread', () => {
    const tool = { name: 'pay', description: 'pay', parameters: {} } as never
    const definitions = new Map([['d1', tool]])
    const journal = new Journal().add(make.opened())
    const [, defined] = plan([free()], { definitions }, journal).entries
    expect(defined).toStrictEqual({ v: 1, type: 'tool.defined', definition: 'd1', ...(tool as object) })
    journal.add(defined!)
    expect(plan([free()], { definitions }, journal).entries[1]).toStrictEqual(judged(0, 'allow'))
  })
})

describe('a standing decision', () => {
  const granted = (more: Partial<Grant> = {}): readonly KnownGrant[] =>
    ownGrants(new Journal().add(make.opened(), make.granted(more)).state)

  it('clears a call that would be held, is spent with its start, and the record says how people would have been asked', () => {
    const ask = { description: 'Pay?', reviewers: ['ann'], expiresAt: 9, onTimeout: 'keep' } as never
    const { entries, grants } = plan([held({ ask })], { grants: granted() })
    expect(entries.slice(1)).toStrictEqual([judged(0, 'review'), released(0, { by: GRANT }), started(0)])
    expect(grants).toStrictEqual([{ op: 'spend', id: 'g1' }])
    const later = plan([held({ ask, deferred: true })], { grants: granted() })
    expect(later.entries.slice(1)).toStrictEqual([
      judged(0, 'review', {
        review: { allowedDecisions: ['approve', 'reject'], description: 'Pay?', reviewers: ['ann'] },
      }),
      released(0, { by: GRANT }),
    ])
    expect(later.grants).toEqual([])
  })

  it('covers no more calls than it has uses, and no more than its cap', () => {
    const { entries, grants } = plan([held(), held()], { grants: granted({ uses: 1 }) })
    expect(entries.map(({ type }) => type).slice(3)).toEqual(['call.released', 'request.opened', 'call.started'])
    expect(grants).toHaveLength(1)
    const capped = plan([held({ args: { n: 3 } })], { grants: granted({ cap: { field: 'n', max: 5 } }) })
    expect(capped.entries[2]).toStrictEqual(released(0, { by: GRANT, amount: 3 }))
    expect(capped.grants).toStrictEqual([{ op: 'spend', id: 'g1', amount: 3 }])
  })

  it('is not spent where nothing starts yet', () => {
    const together = new Journal().add(make.opened({ start: 'settled' }))
    const other = held({ definition: 'd2' })
    const { entries, grants } = plan([held(), other], { grants: granted() }, together)
    expect(entries[1]).toStrictEqual(judged(0, 'review', { review: { allowedDecisions: ['approve', 'reject'] } }))
    expect([grants, entries.some(({ type }) => type === 'call.started')]).toEqual([[], false])
  })

  it('does not answer for people who have a reason to be asked, or who are others than who gave it', () => {
    for (const ask of [{ reason: 'rejected_before' }, { reviewers: ['bob'] }] as never[])
      expect(plan([held({ ask })], { grants: granted() })).toMatchObject({
        entries: [{}, {}, { type: 'request.opened' }],
        grants: [],
      })
  })

  it('counts from its time on alone', () => {
    expect(plan([held()], { grants: granted({ delayMs: 1 }) }).entries[2]).toMatchObject({ type: 'request.opened' })
    expect(plan([held()], { grants: granted({ delayMs: 1 }), now: NOW + 1 }).grants).toHaveLength(1)
  })

  it('that denies stops also what the rules let through, in its own words or those of the tool', () => {
    const refused = (content: string) => ({
      v: 1,
      type: 'call.refused',
      call: key(0),
      cause: 'rejected',
      by: GRANT,
      result: { content, isError: true },
    })
    for (const judgedCall of [free(), held()]) {
      const own = plan([judgedCall], {
        grants: granted({ effect: 'deny', message: 'never' }),
        refusals: [{ content: 'tool', isError: true }],
      })
      expect(own.entries[2]).toStrictEqual(refused('never'))
      expect([own.entries.length, own.grants]).toEqual([3, [{ op: 'spend', id: 'g1' }]])
      expect(
        plan([judgedCall], { grants: granted({ effect: 'deny' }), refusals: [{ content: 'tool', isError: true }] })
          .entries[2],
      ).toStrictEqual(refused('tool'))
    }
    expect(plan([free()], { grants: granted() }).entries[2]).toStrictEqual(released(0))
  })
})
