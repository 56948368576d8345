import { describe, expect, it } from 'vitest'
import type { Entry } from '../../src/protocol/entries/entry.ts'
import { ANN, asking, calling, GRANT, Journal, key, make, NOW, RUN } from './journal.ts'

const APPROVE = { type: 'approve' } as const
const invalid = (problem: RegExp) =>
  expect.objectContaining({ name: 'JournalInvalid', message: expect.stringMatching(problem) })

/** Insists that these entries cannot follow. */
function refuses(journal: Journal, entry: Entry, problem: RegExp): void {
  expect(() => journal.add(entry)).toThrow(invalid(problem))
}

describe('G4: requests', () => {
  it('change one version at a time, and only the one that is open', () => {
    refuses(asking(['a']), make.decided('r0', APPROVE, { call: key(0), version: 3 }), /not open at version 2/)
    refuses(asking(['a']), make.decided('r9', APPROVE, { call: key(0) }), /r9 is not open/)
    const decided = asking(['a']).add(make.decided('r0', APPROVE, { call: key(0), undoMs: 5 }))
    expect(decided.call(key(0)).phase).toMatchObject({
      at: 'answered',
      request: { version: 2 },
      answer: { kind: 'decision', decision: APPROVE, by: ANN, at: NOW, effectiveAt: NOW + 5 },
    })
    refuses(decided, make.decided('r0', APPROVE, { call: key(0), version: 3 }), /not open/)
    refuses(calling(['a']), make.decided('r0', APPROVE, { call: key(0) }), /not open/)
  })

  it('open again after a decision that was withdrawn or refused, with what was wrong', () => {
    const decided = () => asking(['a']).add(make.decided('r0', APPROVE, { call: key(0) }))
    const again = decided().add(make.reopened('r0', { call: key(0), cause: 'edit_refused', problems: ['no'] }))
    expect(again.call(key(0)).phase).toMatchObject({ at: 'held', request: { version: 3, problems: ['no'] } })
    refuses(decided(), make.reopened('r0', { call: key(0), version: 2 }), /cannot open again/)
    refuses(decided(), make.reopened('r9', { call: key(0) }), /cannot open again/)
    refuses(asking(['a']), make.reopened('r0', { call: key(0), version: 2 }), /cannot open again/)
    refuses(calling(['a']), make.reopened('r0', { call: key(0) }), /cannot open again/)
    const released = decided().add(make.released(key(0)))
    expect(released.add(make.reopened('r0', { call: key(0) })).call(key(0)).phase.at).toBe('held')
  })

  it('are closed without an answer, unless the call has its result already', () => {
    const closed = asking(['a']).add(make.closed('r0', { call: key(0), reason: 'late' }))
    expect(closed.call(key(0)).phase).toMatchObject({
      at: 'answered',
      request: { version: 2 },
      answer: { kind: 'closed', status: 'expired', reason: 'late' },
    })
    refuses(asking(['a']), make.closed('r0', { call: key(0), version: 1 }), /not open/)
    refuses(calling(['a']), make.closed('r0', { call: key(0) }), /not open/)
    const done = calling(['a', 'b']).add(make.refused(key(0)))
    expect(done.add(make.closed('r0', { call: key(0) })).call(key(0)).phase.at).toBe('refused')
  })

  it('are passed on once', () => {
    const journal = asking(['a']).add(make.escalated('r0', { call: key(0) }))
    expect(journal.call(key(0)).phase).toMatchObject({ request: { escalated: true, version: 2 } })
    refuses(journal, make.escalated('r0', { call: key(0) }), /not open/)
    refuses(journal, make.escalated('r1', { version: 2 }), /not open/)
  })

  it('are about calls that can be asked about, and keep what is not known', () => {
    refuses(asking(['a']), make.asked('r1', { call: key(0) }), /cannot be asked about/)
    refuses(
      asking(['a']).add(make.decided('r0', APPROVE, { call: key(0) })),
      make.asked('r1', { call: key(0) }),
      /cannot/,
    )
    const unknown = calling(['a']).add(make.released(key(0)), make.started(key(0)), make.asked('u', { call: key(0) }))
    expect(unknown.call(key(0)).phase).toMatchObject({ at: 'held', unknown: { digest: 'x' } })
    unknown.add(make.decided('u', APPROVE, { call: key(0) }), make.released(key(0)))
    expect(unknown.call(key(0)).phase).toMatchObject({ at: 'released', unknown: { digest: 'x' } })
    unknown.add(make.asked('u2', { call: key(0) }))
    expect(unknown.call(key(0)).phase).toMatchObject({
      at: 'held',
      request: { opened: { id: 'u2' } },
      unknown: { digest: 'x' },
    })
    const known = calling(['a']).add(make.released(key(0)), make.asked('r', { call: key(0) }))
    expect(known.call(key(0)).phase).not.toHaveProperty('unknown')
    expect(asking(['a']).call(key(0)).phase).not.toHaveProperty('unknown')
    refuses(calling(['a']), make.asked('r', { call: key(7) }), /there is no call/)
  })
})

describe('questions of bodies, gates and applications', () => {
  const waiting = () =>
    calling(['a']).add(
      make.released(key(0)),
      make.started(key(0)),
      make.asked('w', { call: key(0), kind: 'confirm' }),
      make.asked('h', { call: key(0), ordinal: 1 }),
    )

  it('a body may wait for several at once; each is answered by itself', () => {
    const journal = waiting().add(make.answered('w', { call: key(0) }))
    expect(journal.call(key(0)).waits).toMatchObject([
      { request: { version: 2 }, answer: { kind: 'answered', value: true, by: ANN } },
      { answer: undefined },
    ])
    journal.add(make.decided('h', { type: 'reject' }, { call: key(0) }))
    expect(journal.call(key(0)).waits[1]).toMatchObject({
      request: { version: 2 },
      answer: { value: { type: 'reject' } },
    })
    const second = waiting().add(make.decided('h', APPROVE, { call: key(0) }))
    expect(second.call(key(0)).waits.map(({ answer }) => answer?.kind)).toEqual([undefined, 'answered'])
    refuses(journal, make.answered('w', { call: key(0), version: 3 }), /not open/)
    refuses(waiting(), make.decided('h', APPROVE, { call: key(0), version: 3 }), /not at version 2/)
    refuses(waiting(), make.answered('none', { call: key(0) }), /not open/)
    refuses(waiting(), make.answered('none'), /not open/)
  })

  it('a question of a body can be closed', () => {
    const journal = waiting().add(make.closed('w', { call: key(0), status: 'cancelled', reason: 'gone' }))
    expect(journal.call(key(0)).waits[0]).toMatchObject({
      request: { version: 2 },
      answer: { kind: 'closed', status: 'cancelled', reason: 'gone' },
    })
  })

  it('what the application asks is open until it is answered, decided or closed', () => {
    const asked = () => {
      const { run: _run, ...bare } = make.asked('q', { kind: 'confirm' }) as Record<string, unknown>
      return new Journal().add(bare as never)
    }
    expect([...asked().state.asked.keys()]).toEqual(['q'])
    for (const end of [make.answered('q'), make.decided('q', APPROVE), make.closed('q')])
      expect(asked().add(end).state.asked.size).toBe(0)
  })

  it('a gate is answered once, and opens again if that is withdrawn', () => {
    const gated = () => new Journal().add(make.opened(), make.said([]), make.asked('g', { gate: true }))
    const gate = (journal: Journal) => journal.state.run!.frames.get(RUN)!.gate
    const decided = gated().add(make.decided('g', APPROVE, { undoMs: 9 }))
    expect(gate(decided)).toMatchObject({
      request: { version: 2 },
      answer: { decision: APPROVE, effectiveAt: NOW + 9 },
    })
    refuses(decided, make.decided('g', APPROVE, { version: 3 }), /not open/)
    refuses(gated(), make.decided('g', APPROVE, { version: 3 }), /not open/)
    expect(gate(decided.add(make.reopened('g')))).toMatchObject({ request: { version: 3 }, answer: undefined })
    refuses(gated(), make.reopened('g', { version: 2 }), /cannot open again/)
    refuses(gated(), make.reopened('x'), /cannot open again/)
    expect(gate(gated().add(make.closed('g')))).toMatchObject({ answer: { kind: 'closed', status: 'expired' } })
    expect(gate(decided.add({ v: 1, type: 'gate.passed', run: RUN }))).toBeUndefined()
  })

  it('steps of a body have their end when it is told', () => {
    const journal = waiting().add({ v: 1, type: 'step.started', call: key(0), name: 's' })
    expect(journal.call(key(0)).steps.get('s')).toBeNull()
    journal.add({ v: 1, type: 'step.finished', call: key(0), name: 's', value: 4 })
    expect(journal.call(key(0)).steps.get('s')).toEqual({ value: 4 })
  })
})

describe('standing decisions of a thread', () => {
  const spent = (journal: Journal) => {
    const given = journal.state.grants.get('g1')
    return [given?.used, given?.spent, given?.revoked]
  }

  it('are spent by a start, with their amount, and not by trying the same call again', () => {
    const journal = calling(['pay']).add(make.granted())
    expect(journal.state.grants.get('g1')).toMatchObject({ at: NOW, seq: 4, used: 0, spent: 0, revoked: null })
    expect(journal.state.grantChanges).toBe(1)
    journal.add(make.released(key(0), { by: GRANT, amount: 7 }))
    expect(spent(journal)).toEqual([0, 0, null])
    journal.add(make.started(key(0)))
    expect(spent(journal)).toEqual([1, 7, null])
    journal.add(make.released(key(0), { by: { ...GRANT, via: 'retry' } }), make.started(key(0), 2))
    expect(spent(journal)).toEqual([1, 7, null])
  })

  it('are spent by a refusal and by a rejection, and not by other people or grants', () => {
    const refused = calling(['pay', 'pay']).add(make.granted(), make.refused(key(0), { by: GRANT }))
    expect(spent(refused)).toEqual([1, 0, null])
    expect(spent(refused.add(make.refused(key(1), { by: { kind: 'grant', id: 'other' } })))).toEqual([1, 0, null])
    const rejected = asking(['pay', 'pay']).add(
      make.granted(),
      make.decided('r0', { type: 'reject' }, { call: key(0), by: GRANT }),
      make.decided('r1', APPROVE, { call: key(1), by: GRANT }),
    )
    expect(spent(rejected)).toEqual([1, 0, null])
    const person = calling(['pay']).add(make.granted(), make.released(key(0)), make.started(key(0)))
    expect(spent(person)).toEqual([0, 0, null])
  })

  it('are taken back once, alone or with the decision that gave them', () => {
    const revoke: Entry = { v: 1, type: 'grant.revoked', id: 'g1', by: ANN }
    const journal = asking(['pay']).add(make.granted(), make.granted({ id: 'g2', request: 'other' }), revoke)
    expect([spent(journal)[2], journal.state.grantChanges]).toEqual([7, 3])
    journal.add(revoke)
    expect([spent(journal)[2], journal.state.grantChanges]).toEqual([7, 3])
    expect(journal.state.grants.get('g2')?.revoked).toBeNull()
    const withdrawn = (cause: 'withdrawn' | 'edit_refused') =>
      asking(['pay']).add(
        make.decided('r0', APPROVE, { call: key(0) }),
        make.granted(),
        make.reopened('r0', { call: key(0), cause }),
      )
    expect(spent(withdrawn('withdrawn'))[2]).toBe(7)
    expect(spent(withdrawn('edit_refused'))[2]).toBeNull()
    const others = asking(['pay']).add(
      make.decided('r0', APPROVE, { call: key(0) }),
      make.granted({ request: 'other' }),
      make.reopened('r0', { call: key(0) }),
    )
    expect(spent(others)[2]).toBeNull()
  })
})
