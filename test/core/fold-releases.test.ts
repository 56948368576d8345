import { describe, expect, it } from 'vitest'
import type { Entry } from '../../src/protocol/entries/entry.ts'
import { ANN, asking, GRANT, Journal, key, make, NOW } from './journal.ts'

const invalid = (problem: RegExp) =>
  expect.objectContaining({ name: 'JournalInvalid', message: expect.stringMatching(problem) })

/** Insists that these entries cannot follow. */
function refuses(journal: Journal, entry: Entry, problem: RegExp): void {
  expect(() => journal.add(entry)).toThrow(invalid(problem))
}

describe('G3: what is started is what was released', () => {
  it('a release takes what was judged unless it says otherwise', () => {
    const facts = { preview: 'p' }
    const journal = new Journal().add(
      make.opened(),
      make.said(['pay']),
      make.judged(key(0), { facts, args: { n: 5 } }),
      make.released(key(0), { delayMs: 7, request: 'r', amount: 3 }),
    )
    expect(journal.call(key(0)).phase).toEqual({
      at: 'released',
      release: {
        tool: 'pay',
        definition: 'd1',
        args: { n: 5 },
        facts,
        digest: 'x',
        by: ANN,
        request: 'r',
        amount: 3,
        asRun: false,
        edited: false,
        editMessage: undefined,
        notBefore: NOW + 7,
        delayed: true,
      },
    })
  })

  it('a release counts as long as the request says, from when a person decided; not if its outcome is unknown', () => {
    const asked = (more: object = {}) =>
      new Journal().add(
        make.opened(),
        make.said(['pay']),
        make.judged(key(0)),
        make.asked('r', { call: key(0), decisionValidSeconds: 2, ...more }),
      )
    const until = (journal: Journal) => {
      const { phase } = journal.call(key(0))
      return phase.at === 'released' ? phase.release.validUntil : phase.at
    }
    const approved = make.decided('r', { type: 'approve' }, { call: key(0), undoMs: 5 })
    expect(until(asked().add(approved, make.released(key(0))))).toBe(NOW + 5 + 2000)
    expect(until(asked({ decisionValidSeconds: undefined }).add(approved, make.released(key(0))))).toBeUndefined()
    const byGrant = make.decided('r', { type: 'approve' }, { call: key(0), by: GRANT })
    expect(until(asked().add(byGrant, make.released(key(0), { by: GRANT })))).toBeUndefined()
    const begun = asked().add(approved, make.released(key(0)), make.started(key(0)))
    // Given back because its body never began.
    expect(until(begun.add(make.released(key(0), { by: { ...ANN, via: 'retry' } })))).toBe(NOW + 5 + 2000)
    const unknown = asked().add(approved, make.released(key(0)), make.started(key(0)))
    unknown.add(
      make.asked('u', { call: key(0), decisionValidSeconds: 2, reason: 'unknown_outcome' }),
      make.decided('u', { type: 'approve' }, { call: key(0) }),
      make.released(key(0)),
    )
    expect(until(unknown)).toBeUndefined()
  })

  it('a release takes how the judged arguments were recorded, unless it has its own', () => {
    const judged = () =>
      new Journal().add(
        make.opened(),
        make.said(['pay']),
        make.judged(key(0), { args: { n: 5 }, asRun: true, argsInput: { n: '5' }, facts: { preview: 'p' } }),
      )
    const release = (more: Parameters<typeof make.released>[1]) => {
      const { phase } = judged()
        .add(make.released(key(0), more))
        .call(key(0))
      return phase.at === 'released' ? phase.release : undefined
    }
    expect(release({})).toMatchObject({ asRun: true, argsInput: { n: '5' }, facts: { preview: 'p' } })
    expect(release({ args: { n: 6 } })).toMatchObject({ asRun: false, argsInput: undefined, facts: {} })
    const own = { args: { n: 6 }, asRun: true, argsInput: { n: '6' }, facts: { preview: 'q' } } as const
    expect(release(own)).toMatchObject(own)
  })

  it('what policies said stays until a release or a start says otherwise', () => {
    const mark = (name: string) => [{ name, version: '1', verdict: 'allow' }] as const
    const journal = new Journal().add(
      make.opened(),
      make.said(['pay']),
      make.judged(key(0), { policies: [...mark('judged')] }),
      make.released(key(0)),
    )
    expect(journal.call(key(0)).policies).toEqual(mark('judged'))
    journal.add(make.started(key(0)))
    expect(journal.call(key(0)).policies).toEqual(mark('judged'))
    journal.add(make.released(key(0), { policies: [...mark('released')] }))
    expect(journal.call(key(0)).policies).toEqual(mark('released'))
    journal.add({ ...make.started(key(0), 2), policies: [...mark('started')] } as Entry)
    expect(journal.call(key(0)).policies).toEqual(mark('started'))
  })

  it('a start keeps the request that it was decided by', () => {
    const journal = asking(['pay']).add(make.decided('r0', { type: 'approve' }, { call: key(0) }))
    journal.add(make.released(key(0)), make.started(key(0)))
    expect(journal.call(key(0)).phase).toMatchObject({ at: 'started', request: { opened: { id: 'r0' } } })
  })

  it('facts of other arguments are not those of the call', () => {
    const journal = new Journal().add(
      make.opened(),
      make.said(['pay']),
      make.judged(key(0), { facts: { preview: 'p' } }),
    )
    journal.add(make.released(key(0), { args: { n: 9 } }))
    expect(journal.call(key(0)).phase).toMatchObject({ release: { args: { n: 9 }, facts: {} } })
  })

  it('an edited release has its own tool, definition, arguments and facts, and says why', () => {
    const edited = (more: Parameters<typeof make.released>[1]) => {
      const edit = { type: 'edit', args: { n: 1 }, message: 'too much' } as const
      const journal = asking(['pay']).add(make.decided('r0', edit, { call: key(0) }), make.released(key(0), more))
      const { phase } = journal.call(key(0))
      return phase.at === 'released' ? phase : undefined
    }
    expect(edited({ args: { n: 1 } })?.release).toMatchObject({
      args: { n: 1 },
      facts: {},
      edited: true,
      editMessage: 'too much',
    })
    expect(edited({ tool: 'other', definition: 'd2', facts: { preview: 1 } })?.release).toMatchObject({
      tool: 'other',
      definition: 'd2',
      args: { n: 0 },
      facts: { preview: 1 },
      edited: true,
    })
    // What is the same again was not edited.
    expect(edited({ args: { n: 0 }, tool: 'pay' })?.release).toMatchObject({ edited: false, editMessage: undefined })
    expect(edited({})?.request?.opened.id).toBe('r0')
  })

  it('a call without arguments or definition has nothing to release', () => {
    const bare = (more: object) =>
      new Journal().add(make.opened(), make.said(['pay']), { ...make.judged(key(0)), ...more } as Entry)
    const { definition: _gone, ...withoutDefinition } = make.judged(key(0)) as Record<string, unknown>
    const journal = new Journal().add(make.opened(), make.said(['pay']), withoutDefinition as never)
    refuses(journal, make.released(key(0)), /cannot be released/)
    expect(journal.add(make.released(key(0), { definition: 'd2' })).call(key(0)).phase.at).toBe('released')
    refuses(bare({ verdict: { kind: 'invalid', problem: 'x' } }), make.released(key(0)), /cannot be released/)
  })
})
