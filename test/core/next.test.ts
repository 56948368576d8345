import { describe, expect, it } from 'vitest'
import type { KnownGrant } from '../../src/core/grants.ts'
import { type Circumstances, grantedCalls, isPast, next, people, type Step } from '../../src/core/next.ts'
import type { Decision } from '../../src/protocol/decision.ts'
import type { Grant } from '../../src/protocol/grant.ts'
import type { CallKey } from '../../src/protocol/ids.ts'
import { ANN, asking, calling, GRANT, Journal, key, make, NOW, RUN } from './journal.ts'

/** The next step in short: what, and for which calls, requests or frame, or until when. */
function step(journal: Journal, more: Partial<Circumstances> = {}): unknown[] {
  const found: Step = next(journal.state, { now: NOW, running: new Set<CallKey>(), ...more })
  switch (found.do) {
    case 'refuse':
    case 'start':
    case 'resolve-unknown':
    case 're-enter':
    case 'check-edits':
      return [found.do, ...found.calls.map((call) => call.key)]
    case 'expire':
      return [found.do, ...found.requests.map(({ opened }) => opened.id)]
    case 'await-people':
      return [found.do, ...found.requests.map(({ opened }) => opened.id), found.until]
    case 'await-time':
      return [found.do, found.until]
    case 'stop-at-limit':
      return [found.do, found.frame.key, found.maxTurns]
    case 'ask-model':
    case 'pass-gate':
      return [found.do, found.frame.key]
    default:
      return [found.do]
  }
}

const running = (...keys: CallKey[]) => ({ running: new Set(keys) })
const EDIT: Decision = { type: 'edit', args: { n: 7 } }
const REJECT: Decision = { type: 'reject' }

describe('a run that is not open', () => {
  it('needs nothing: there is none, or it is over', () => {
    expect(step(new Journal())).toEqual(['nothing'])
    const over = new Journal().add(make.opened(), make.said([]), {
      v: 1,
      type: 'run.settled',
      run: RUN,
      status: 'completed',
    })
    expect(step(over)).toEqual(['nothing'])
  })
})

describe('a frame without open calls', () => {
  it('asks its model, unless it is being asked already', () => {
    const journal = new Journal().add(make.opened())
    expect(step(journal)).toEqual(['ask-model', RUN])
    expect(step(journal, { thinking: new Set() })).toEqual(['ask-model', RUN])
    expect(step(journal, { thinking: new Set(['other']) })).toEqual(['ask-model', RUN])
    expect(step(journal, { thinking: new Set([RUN]) })).toEqual(['await-bodies'])
  })

  it('stops at the limit of its run, which the driver may override; null means no limit', () => {
    const limited = (maxTurns: number | null) => new Journal().add(make.opened({ maxTurns }), make.said([]))
    expect(step(limited(1))).toEqual(['stop-at-limit', RUN, 1])
    expect(step(limited(2))).toEqual(['ask-model', RUN])
    expect(step(limited(null))).toEqual(['ask-model', RUN])
    expect(step(limited(1), { maxTurns: 2 })).toEqual(['ask-model', RUN])
    expect(step(limited(1), { maxTurns: null })).toEqual(['ask-model', RUN])
    expect(step(limited(2), { maxTurns: 1 })).toEqual(['stop-at-limit', RUN, 1])
  })

  it('has its own limit when it is nested, which the driver does not override', () => {
    const nested = (maxTurns: number | null) =>
      calling(['scout']).add(
        make.released(key(0)),
        make.started(key(0), 1, { frame: { agent: { id: 'scout' }, input: [], maxTurns } }),
        make.said([], { frame: key(0) }),
      )
    expect(step(nested(1), { maxTurns: 9 })).toEqual(['stop-at-limit', key(0), 1])
    expect(step(nested(2), { maxTurns: 1 })).toEqual(['ask-model', key(0)])
    expect(step(nested(null), { maxTurns: 1 })).toEqual(['ask-model', key(0)])
  })
})

describe('an answer behind a gate', () => {
  const gated = () => new Journal().add(make.opened(), make.said([]), make.asked('g', { gate: true }))

  it('waits for a person, then passes; inside of its undo window it waits for time', () => {
    expect(step(gated())).toEqual(['await-people', 'g', undefined])
    expect(step(gated().add(make.decided('g', REJECT)))).toEqual(['pass-gate', RUN])
    const undo = gated().add(make.decided('g', REJECT, { undoMs: 500 }))
    expect(step(undo)).toEqual(['await-time', NOW + 500])
    expect(step(undo, { now: NOW + 499 })).toEqual(['await-time', NOW + 500])
    expect(step(undo, { now: NOW + 500 })).toEqual(['pass-gate', RUN])
  })

  it('passes at once when its question was closed', () => {
    expect(step(gated().add(make.closed('g')))).toEqual(['pass-gate', RUN])
  })
})

describe('a request whose time is over', () => {
  it('is expired before anything else, with all others that are', () => {
    const journal = calling(['pay', 'pay', 'pay']).add(
      make.asked('r0', { call: key(0), expiresAt: NOW }),
      make.asked('r1', { call: key(1), expiresAt: NOW + 1 }),
      make.asked('r2', { call: key(2), expiresAt: NOW - 1 }),
    )
    expect(step(journal)).toEqual(['expire', 'r0', 'r2'])
    expect(step(journal, { now: NOW - 1 })).toEqual(['expire', 'r2'])
    expect(step(journal, { now: NOW - 2 })).toEqual(['await-people', 'r0', 'r1', 'r2', NOW - 1])
  })

  it('stays open if it is to be kept or was passed on', () => {
    const kept = calling(['pay']).add(make.asked('r0', { call: key(0), expiresAt: 1, onTimeout: 'keep' }))
    expect(step(kept)).toEqual(['await-people', 'r0', undefined])
    const passed = calling(['pay']).add(
      make.asked('r0', { call: key(0), expiresAt: 1, onTimeout: 'escalate' }),
      make.escalated('r0', { call: key(0) }),
    )
    expect(step(passed)).toEqual(['await-people', 'r0', undefined])
    expect(isPast(people(passed.state).requests[0]!, NOW)).toBe(false)
  })
})

describe('a call that was decided', () => {
  it.each([
    ['a reject is refused', REJECT, ['refuse', key(0)]],
    ['an answer of its own is refused', { type: 'respond', message: 'done' }, ['refuse', key(0)]],
    ['an edit is checked', EDIT, ['check-edits', key(0)]],
  ] as [string, Decision, unknown[]][])('%s', (_, decision, expected) => {
    expect(step(asking(['pay']).add(make.decided('r0', decision, { call: key(0) })))).toEqual(expected)
  })

  it('and approved is left to the door that releases it', () => {
    const one = make.decided('r0', { type: 'approve' }, { call: key(0) })
    expect(step(asking(['pay', 'pay']).add(one))).toEqual(['await-people', 'r1', undefined])
  })

  it('or judged without anybody being asked about it is an error, never a wait for nobody', () => {
    const problem = /cannot be read: calls run\/1\.0 wait, and nobody is asked about them/
    expect(() => step(calling(['pay']))).toThrow(problem)
    expect(() => step(asking(['pay']).add(make.decided('r0', { type: 'approve' }, { call: key(0) })))).toThrow(problem)
    const two = calling(['pay', 'pay']).add(make.refused(key(1)))
    expect(() => step(two)).toThrow(problem)
  })

  it('takes effect when its undo window is over, and not before', () => {
    for (const [decision, what] of [
      [REJECT, 'refuse'],
      [EDIT, 'check-edits'],
    ] as const) {
      const journal = asking(['pay']).add(make.decided('r0', decision, { call: key(0), undoMs: 50 }))
      expect(step(journal)).toEqual(['await-time', NOW + 50])
      expect(step(journal, { now: NOW + 49 })).toEqual(['await-time', NOW + 50])
      expect(step(journal, { now: NOW + 50 })).toEqual([what, key(0)])
    }
  })

  it('is refused at once when its request was closed', () => {
    expect(step(asking(['pay']).add(make.closed('r0', { call: key(0) })))).toEqual(['refuse', key(0)])
  })

  it('is refused before others are checked or started, and edits are checked before others start', () => {
    const journal = asking(['a', 'b', 'c']).add(
      make.decided('r0', { type: 'approve' }, { call: key(0) }),
      make.released(key(0)),
      make.decided('r1', EDIT, { call: key(1) }),
    )
    expect(step(journal)).toEqual(['check-edits', key(1)])
    journal.add(make.decided('r2', REJECT, { call: key(2) }))
    expect(step(journal)).toEqual(['refuse', key(2)])
  })
})

describe('a call that may run', () => {
  it('starts beside calls that wait, unless all of a turn are to be settled first', () => {
    const two = (start: 'cleared' | 'settled') =>
      asking(['a', 'b'], { start }).add(
        make.decided('r0', { type: 'approve' }, { call: key(0) }),
        make.released(key(0)),
      )
    expect(step(two('cleared'))).toEqual(['start', key(0)])
    expect(step(two('settled'))).toEqual(['await-people', 'r1', undefined])
    const both = two('settled').add(make.decided('r1', { type: 'approve' }, { call: key(1) }), make.released(key(1)))
    expect(step(both)).toEqual(['start', key(0), key(1)])
  })

  it('counts calls that run, are settled or hand over as settled', () => {
    const journal = calling(['a', 'b', 'c'], { start: 'settled' }).add(
      make.released(key(0)),
      make.started(key(0)),
      make.refused(key(1), { cause: 'denied' }),
      make.released(key(2)),
    )
    expect(step(journal, running(key(0)))).toEqual(['start', key(2)])
    const handing = new Journal().add(
      make.opened({ start: 'settled' }),
      make.said(['a', 'over']),
      make.judged(key(0)),
      make.judged(key(1), { handoff: true }),
      make.released(key(0)),
      make.released(key(1)),
    )
    expect(step(handing)).toEqual(['start', key(0)])
    // Inside its undo window the approval of the hand-off may still be withdrawn.
    const undoable = new Journal().add(
      make.opened({ start: 'settled' }),
      make.said(['a', 'over']),
      make.judged(key(0)),
      make.judged(key(1), { handoff: true }),
      make.released(key(0)),
      make.released(key(1), { delayMs: 20 }),
    )
    expect(step(undoable)).toEqual(['await-time', NOW + 20])
    expect(step(undoable, { now: NOW + 20 })).toEqual(['start', key(0)])
  })

  it('waits until its release may be spent', () => {
    const journal = calling(['a', 'b']).add(
      make.released(key(0), { delayMs: 30 }),
      make.released(key(1), { delayMs: 20 }),
    )
    expect(step(journal)).toEqual(['await-time', NOW + 20])
    expect(step(journal, { now: NOW + 20 })).toEqual(['start', key(1)])
    expect(step(journal, { now: NOW + 30 })).toEqual(['start', key(0), key(1)])
  })

  it('is waited for though others wait for people, unless all of a turn are to be settled first', () => {
    const held = (start: 'cleared' | 'settled') =>
      calling(['a', 'b'], { start }).add(make.released(key(0), { delayMs: 30 }), make.asked('r1', { call: key(1) }))
    expect(step(held('cleared'))).toEqual(['await-time', NOW + 30])
    expect(step(held('settled'))).toEqual(['await-people', 'r1', undefined])
  })

  it('hands over last: when every other call of its turn is settled', () => {
    const journal = new Journal().add(
      make.opened(),
      make.said(['over', 'a', 'over']),
      make.judged(key(0), { handoff: true }),
      make.judged(key(1)),
      make.judged(key(2), { handoff: true }),
      make.released(key(0)),
      make.released(key(1)),
      make.started(key(1)),
    )
    expect(step(journal, running(key(1)))).toEqual(['await-bodies'])
    expect(step(journal.add(make.finished(key(1))))).toEqual(['start', key(0)])
  })
})

describe('a call that was started', () => {
  const started = (more: Parameters<typeof make.started>[2] = {}) =>
    calling(['a']).add(make.released(key(0)), make.started(key(0), 1, more))

  it('is waited for where it runs, and unknown where nobody runs it', () => {
    expect(step(started(), running(key(0)))).toEqual(['await-bodies'])
    expect(step(started())).toEqual(['resolve-unknown', key(0)])
    expect(step(started(), running(key(5)))).toEqual(['resolve-unknown', key(0)])
  })

  it('is entered again if it may be, but not with a step that has no end', () => {
    expect(step(started({ resumable: true }))).toEqual(['re-enter', key(0)])
    const dangling = started({ resumable: true }).add({ v: 1, type: 'step.started', call: key(0), name: 's' })
    expect(step(dangling)).toEqual(['resolve-unknown', key(0)])
    dangling.add({ v: 1, type: 'step.finished', call: key(0), name: 's' })
    expect(step(dangling)).toEqual(['re-enter', key(0)])
  })

  it('is entered again when everything that it asked was answered', () => {
    const waiting = started().add(make.asked('w', { call: key(0), kind: 'confirm', ordinal: 0 }))
    expect(step(waiting)).toEqual(['await-people', 'w', undefined])
    expect(step(waiting.add(make.answered('w', { call: key(0) })))).toEqual(['re-enter', key(0)])
  })

  it('is refused when a question of its body was closed, unless the body runs here and hears it', () => {
    const closed = started().add(
      make.asked('w', { call: key(0), kind: 'confirm', ordinal: 0 }),
      make.closed('w', { call: key(0) }),
    )
    expect(step(closed)).toEqual(['refuse', key(0)])
    expect(step(closed, running(key(0)))).toEqual(['await-bodies'])
  })

  it('goes on in its own frame when it is nested', () => {
    const nested = started({ frame: { agent: { id: 'scout' }, input: [], maxTurns: 5 } })
    expect(step(nested)).toEqual(['ask-model', key(0)])
    const thinking = { thinking: new Set([key(0) as string]) }
    expect(step(nested, thinking)).toEqual(['await-bodies'])
    nested.add(make.said(['look'], { frame: key(0) }), make.judged(key(0, 1, key(0))))
    nested.add(make.asked('n', { call: key(0, 1, key(0)), expiresAt: NOW + 9 }))
    expect(step(nested)).toEqual(['await-people', 'n', NOW + 9])
  })
})

describe('several frames', () => {
  it('wait for the first of their times, and one that can act goes first', () => {
    const scouts = calling(['scout', 'scout']).add(
      ...[0, 1].flatMap((n) => [
        make.released(key(n)),
        make.started(key(n), 1, { frame: { agent: { id: 'scout' }, input: [], maxTurns: 5 } }),
        make.said(['look'], { frame: key(n) }),
        make.judged(key(0, 1, key(n))),
        make.released(key(0, 1, key(n)), { delayMs: 50 - n * 10 }),
      ]),
    )
    expect(step(scouts)).toEqual(['await-time', NOW + 40])
    expect(step(scouts, { now: NOW + 40 })).toEqual(['start', key(0, 1, key(1))])
    expect(step(scouts, running(key(0, 1, key(0))))).toEqual(['await-bodies'])
  })
})

describe('standing decisions', () => {
  const grant = (more: Partial<Grant> = {}): Grant => ({
    id: 'g1',
    effect: 'allow',
    run: RUN,
    agent: 'agent',
    tool: 'pay',
    definition: 'd1',
    request: 'r',
    by: ANN,
    ...more,
  })
  const known = (more: Partial<KnownGrant> = {}): KnownGrant => ({
    grant: grant(),
    threadId: 't',
    from: 0,
    until: null,
    uses: null,
    used: 0,
    cap: null,
    spent: 0,
    ...more,
  })
  const used = (journal: Journal, ...grants: KnownGrant[]) =>
    grantedCalls(journal.state, grants, NOW).map(({ call, asked, use }) => [call.key, asked.opened.id, use.grant.id])

  it('decide held calls in call order, before anything starts', () => {
    const journal = asking(['pay', 'other', 'pay'])
    expect(step(journal, { grants: [known()] })).toEqual(['use-grants'])
    expect(step(journal, { grants: [known({ until: NOW })] })).toEqual(['await-people', 'r0', 'r1', 'r2', undefined])
    expect(used(journal, known())).toEqual([
      [key(0), 'r0', 'g1'],
      [key(2), 'r2', 'g1'],
    ])
    expect(used(journal)).toEqual([])
  })

  it('count what released calls have not spent yet, but not what another actor released', () => {
    const journal = asking(['pay', 'pay'])
    const once = known({ uses: 1 })
    expect(used(journal, once)).toEqual([[key(0), 'r0', 'g1']])
    journal.add(
      make.decided('r0', { type: 'approve' }, { call: key(0), by: GRANT }),
      make.released(key(0), { by: GRANT }),
    )
    expect(used(journal, once)).toEqual([])
    const byAnn = asking(['pay', 'pay']).add(
      make.decided('r0', { type: 'approve' }, { call: key(0) }),
      make.released(key(0)),
    )
    expect(used(byAnn, once)).toEqual([[key(1), 'r1', 'g1']])
  })

  it('never decide a call whose outcome is unknown, nor what is not about a call of this run', () => {
    const unknown = calling(['pay']).add(
      make.released(key(0)),
      make.started(key(0)),
      make.asked('u', { call: key(0), reason: 'unknown_outcome' }),
    )
    expect(used(unknown, known())).toEqual([])
    for (const missing of ['toolName', 'run'] as const) {
      const { [missing]: _gone, ...opened } = make.asked('r0', { call: key(0) }) as Record<string, unknown>
      expect(used(calling(['pay']).add(opened as never), known())).toEqual([])
    }
  })

  it('cover what the request shows: tool, definition, agent, run, thread, who may decide', () => {
    const journal = asking(['pay'])
    expect(used(journal, known())).toHaveLength(1)
    for (const other of [
      { tool: 'other' },
      { definition: 'd2' },
      { agent: 'other' },
      { run: 'other' },
      { args: { n: 1 } },
    ])
      expect(used(journal, known({ grant: grant(other) }))).toEqual([])
    expect(used(journal, known({ threadId: 'other' }))).toEqual([])
    const reviewed = calling(['pay']).add(make.asked('r0', { call: key(0), reviewers: ['bob'] }))
    expect(used(reviewed, known())).toEqual([])
    const notApprovable = calling(['pay']).add(make.asked('r0', { call: key(0), allowedDecisions: ['reject'] }))
    expect(used(notApprovable, known())).toEqual([])
  })
})
