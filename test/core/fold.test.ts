import { describe, expect, it } from 'vitest'
import { shownMessages } from '../../src/core/queries.ts'
import type { Entry } from '../../src/protocol/entries/entry.ts'
import { asking, calling, Journal, key, make, RUN } from './journal.ts'

const invalid = (problem: RegExp) =>
  expect.objectContaining({ name: 'JournalInvalid', message: expect.stringMatching(problem) })

/** Insists that these entries cannot follow. */
function refuses(journal: Journal, entry: Entry, problem: RegExp): void {
  expect(() => journal.add(entry)).toThrow(invalid(problem))
}

const settled: Entry = { v: 1, type: 'run.settled', run: RUN, status: 'completed' }

describe('G2: a release is spent once', () => {
  const released = () => calling(['pay']).add(make.released(key(0)))

  it('by a start that has a release, and by the next attempt alone', () => {
    refuses(calling(['pay']), make.started(key(0)), /no release to start on/)
    refuses(released(), make.started(key(0), 2), /no release to start on/)
    refuses(released(), make.started(key(0), 0), /no release to start on/)
    const started = released().add(make.started(key(0)))
    expect(started.call(key(0))).toMatchObject({ attempts: 1, phase: { at: 'started', release: { digest: 'x' } } })
    refuses(started, make.started(key(0), 1), /no release to start on/)
    refuses(started, make.started(key(0), 2), /no release to start on/)
  })

  it('and a second start needs a second release', () => {
    const again = released().add(make.started(key(0)), make.released(key(0)))
    expect(again.call(key(0)).phase.at).toBe('released')
    again.add(make.started(key(0), 2))
    expect(again.call(key(0)).attempts).toBe(2)
  })

  it('and not after the call was held, answered with a no, refused or finished', () => {
    refuses(asking(['pay']), make.started(key(0)), /no release/)
    refuses(asking(['pay']), make.released(key(0)), /cannot be released/)
    for (const decision of [{ type: 'reject' }, { type: 'respond', message: 'x' }] as const) {
      const journal = asking(['pay']).add(make.decided('r0', decision, { call: key(0) }))
      refuses(journal, make.released(key(0)), /cannot be released/)
    }
    refuses(asking(['pay']).add(make.closed('r0', { call: key(0) })), make.released(key(0)), /cannot be released/)
    const two = calling(['pay', 'pay']).add(make.refused(key(0)), make.released(key(1)), make.started(key(1)))
    refuses(two, make.released(key(0)), /cannot be released/)
    const finished = calling(['pay', 'pay']).add(make.released(key(1)), make.started(key(1)), make.finished(key(1)))
    refuses(finished, make.released(key(1)), /cannot be released/)
    refuses(finished, make.started(key(1), 2), /no release/)
    refuses(released(), make.released(key(0)), /cannot be released/)
  })

  it.each([
    ['allow', true],
    ['review', true],
    ['deny', false],
    ['invalid', false],
  ])('a call that was judged %s may be released: %s', (kind, may) => {
    const verdict = { kind, reason: 'r', problem: 'p' } as never
    const journal = new Journal().add(make.opened(), make.said(['pay']), make.judged(key(0), { verdict }))
    if (may) expect(journal.add(make.released(key(0))).call(key(0)).phase.at).toBe('released')
    else refuses(journal, make.released(key(0)), /cannot be released/)
  })
})

describe('G6: one result for each call, in call order', () => {
  it('results enter the history when the whole turn has one', () => {
    const journal = calling(['a', 'b']).add(make.released(key(0)), make.started(key(0)))
    journal.add(make.refused(key(1)))
    expect(journal.state.messages).toHaveLength(2)
    journal.add(make.finished(key(0)))
    expect(journal.state.messages.slice(2)).toEqual([
      { role: 'tool', toolCallId: 'c0', toolName: 'a', content: 'ok' },
      { role: 'tool', toolCallId: 'c1', toolName: 'b', content: 'no', isError: true },
    ])
    expect(journal.state.run?.frames.get(RUN)?.calls).toEqual([])
  })

  it('a turn whose calls are not all judged is not settled', () => {
    const journal = new Journal().add(make.opened(), make.said(['a', 'b']), make.judged(key(0)), make.refused(key(0)))
    expect(journal.state.messages).toHaveLength(2)
    expect(journal.state.run?.frames.get(RUN)?.calls).toHaveLength(1)
  })

  it('only the attempt that is under way can finish', () => {
    const started = () => calling(['a', 'b']).add(make.released(key(0)), make.started(key(0)))
    refuses(started(), make.finished(key(0), 2), /attempt 2 .* is not under way/)
    refuses(started(), make.finished(key(1)), /not under way/)
    refuses(started().add(make.finished(key(0))), make.finished(key(0)), /not under way/)
    const again = started().add(make.released(key(0)), make.started(key(0), 2))
    refuses(again, make.finished(key(0), 1), /attempt 1 .* is not under way/)
  })

  it('who was asked about meanwhile may still say what happened', () => {
    const asked = calling(['a', 'b']).add(
      make.released(key(0)),
      make.started(key(0)),
      make.asked('u', { call: key(0), reason: 'unknown_outcome' }),
      make.finished(key(0)),
    )
    expect(asked.call(key(0)).phase.at).toBe('finished')
    refuses(asking(['a']), make.finished(key(0), 0), /not under way/)
  })

  it('nothing that is settled or held is refused', () => {
    refuses(asking(['a']), make.refused(key(0)), /cannot be refused/)
    refuses(calling(['a', 'b']).add(make.refused(key(0))), make.refused(key(0)), /cannot be refused/)
  })

  it('rejections of the same call are counted, and nothing else is', () => {
    const journal = calling(['a', 'a', 'b']).add(make.refused(key(0)), make.refused(key(1), { cause: 'denied' }))
    expect([...journal.state.run!.rejections.values()]).toEqual([1])
    journal.add(make.refused(key(2)))
    journal.add(make.said(['a'], { turn: 2 }), make.judged(key(0, 2)), make.refused(key(0, 2)))
    expect([...journal.state.run!.rejections.values()]).toEqual([2, 1])
    const unparsed = new Journal().add(
      make.opened(),
      make.said(['a']),
      make.judged(key(0), { verdict: { kind: 'invalid', problem: 'x' } }),
      make.refused(key(0)),
    )
    expect(unparsed.state.run!.rejections.size).toBe(0)
  })
})

describe('turns', () => {
  it('follow one another, and not while calls of the last one are open', () => {
    const journal = () => new Journal().add(make.opened())
    refuses(journal(), make.said([], { turn: 2 }), /turn 2 cannot follow turn 0/)
    refuses(journal().add(make.said([])), make.said([], { turn: 1 }), /turn 1 cannot follow turn 1/)
    refuses(calling(['a']), make.said([], { turn: 2 }), /turn 2 cannot follow/)
    // Calls that nobody judged are open, too.
    refuses(journal().add(make.said(['a'])), make.said([], { turn: 2 }), /turn 2 cannot follow/)
    expect(
      journal()
        .add(make.said([]), make.said([], { turn: 2 }))
        .state.run?.frames.get(RUN)?.turn,
    ).toBe(2)
  })

  it('a call is judged if it was made, once, in order', () => {
    const said = () => new Journal().add(make.opened(), make.said(['a']))
    refuses(said(), make.judged(key(1)), /was not made/)
    refuses(said().add(make.judged(key(0))), make.judged(key(0)), /was not made/)
    refuses(said(), make.judged(key(0, 2)), /was not made/)
    refuses(new Journal().add(make.opened()), make.judged(key(0, 0)), /was not made/)
    expect(
      said()
        .add(make.judged(key(0)))
        .call(key(0)),
    ).toMatchObject({
      id: 'c0',
      tool: 'a',
      args: { n: 0 },
      facts: {},
      handoff: false,
      nested: false,
      resumable: false,
      attempts: 0,
      waits: [],
    })
  })

  it('read what was added meanwhile, as much as they say', () => {
    const added = (content: string): Entry => ({
      v: 1,
      type: 'input.added',
      run: RUN,
      input: [{ role: 'user', content }],
    })
    const journal = new Journal().add(make.opened(), added('1'), added('2'), make.said([], { read: 1 }))
    expect(journal.state.messages.all.map(({ content }) => content)).toEqual(['go', '1', ''])
    journal.add(settled)
    expect(journal.state.messages.all.map(({ content }) => content)).toEqual(['go', '1', '', '2'])
  })

  it('add up what models used; an answer without figures is one request', () => {
    const usage = { requests: 2, inputTokens: 3, outputTokens: 5, totalTokens: 8 }
    const journal = new Journal().add(make.opened(), make.said([], { usage }), make.said([], { turn: 2 }))
    expect(journal.state.run?.usage).toEqual({ requests: 3, inputTokens: 3, outputTokens: 5, totalTokens: 8 })
    journal.add(make.said([], { turn: 3, usage }))
    expect(journal.state.run?.usage).toEqual({ requests: 5, inputTokens: 6, outputTokens: 10, totalTokens: 16 })
  })
})

describe('runs', () => {
  it('come one after the other in one history', () => {
    refuses(new Journal().add(make.opened()), make.opened(), /run run is still open/)
    const journal = new Journal().add(make.opened(), make.said([]), settled)
    journal.add(make.opened({}, { run: 'two', history: [{ role: 'user', content: 'old' }], session: { id: 's' } }))
    expect(journal.state.messages.all.map(({ content }) => content)).toEqual(['go', '', 'old', 'go'])
    expect(journal.state.run).toMatchObject({ id: 'two', status: 'open', session: { id: 's', from: 3, written: 0 } })
  })

  it('end when every call has a result, with their last words', () => {
    refuses(calling(['a']), settled, /call run\/1\.0 has no result/)
    const said: Entry = { ...settled, status: 'aborted', reason: 'why', message: { role: 'assistant', content: 'bye' } }
    const journal = new Journal().add(make.opened(), said)
    expect(journal.state.run).toMatchObject({ status: 'aborted', reason: 'why' })
    expect(journal.state.messages.at(-1)?.content).toBe('bye')
    refuses(journal, make.said([]), /no open run/)
    refuses(new Journal(), make.said([]), /no open run/)
  })

  it('keep what is told of their session and context, of the right run only', () => {
    const journal = new Journal().add(make.opened({}, { session: { id: 's' }, context: 1 }))
    journal.add({ v: 1, type: 'session.written', run: RUN, count: 4 })
    expect(journal.state.run?.session?.written).toBe(4)
    refuses(journal, { v: 1, type: 'session.written', run: 'other', count: 1 }, /run other has no session/)
    refuses(new Journal().add(make.opened()), { v: 1, type: 'session.written', run: RUN, count: 1 }, /has no session/)
    refuses(new Journal(), { v: 1, type: 'session.written', run: RUN, count: 1 }, /has no session/)
    const usage = { requests: 9, inputTokens: 0, outputTokens: 0, totalTokens: 0 }
    const replaced = { v: 1, type: 'context.replaced', run: RUN, strategy: 'merge', context: 2, toolInput: 3 } as const
    expect(journal.add(replaced).state.run).toMatchObject({ context: 2, toolInput: 3, usage: { requests: 0 } })
    expect(journal.add({ ...replaced, usage }).state.run?.usage).toEqual(usage)
    refuses(journal, { ...replaced, run: 'other' }, /run other is not the one/)
  })

  it('may begin with a history that ends in calls of another run', () => {
    const history = [{ role: 'assistant', content: '', toolCalls: [{ id: 'x', name: 'old', args: {} }] }] as const
    const begun = new Journal().add(make.opened({}, { history: [...history] as never, input: [] }), make.said([]))
    expect(begun.state.run?.frames.get(RUN)?.turn).toBe(1)
  })

  it('know the definitions of their tools, and let entries of sessions pass', () => {
    const defined = {
      v: 1,
      type: 'tool.defined',
      definition: 'd1',
      name: 'pay',
      description: '',
      parameters: {},
    } as const
    const journal = new Journal().add(defined, { v: 1, type: 'session.added', items: [] })
    expect(journal.state.definitions.get('d1')).toMatchObject({ name: 'pay' })
    journal.add({ v: 1, type: 'session.popped' }, { v: 1, type: 'session.cleared' })
    expect(journal.state).toMatchObject({ version: 4, messages: { length: 0 }, run: null })
  })

  it('count their entries', () => {
    expect(calling(['a', 'b']).state.version).toBe(4)
  })
})

describe('nested runs and hand-offs', () => {
  const nested = () =>
    calling(['scout', 'b']).add(
      make.released(key(0)),
      make.started(key(0), 1, {
        frame: { agent: { id: 'scout' }, input: [{ role: 'user', content: 'in' }], maxTurns: 3 },
      }),
    )

  it('a nested run has a frame of its own until its call is settled, and so have those inside of it', () => {
    const inner = key(0, 1, key(0))
    const journal = nested().add(
      make.said(['deeper'], { frame: key(0) }),
      make.judged(inner),
      make.released(inner),
      make.started(inner, 1, { frame: { agent: { id: 'deep' }, input: [], maxTurns: null } }),
    )
    expect([...journal.state.run!.frames.keys()]).toEqual([RUN, key(0), inner])
    expect(nested().state.run!.frames.get(key(0))).toMatchObject({
      agent: { id: 'scout' },
      way: [{ id: 'scout' }],
      messages: { absent: 0, loaded: [{ role: 'user', content: 'in' }] },
      queued: [],
      calls: [],
      maxTurns: 3,
      turn: 0,
      answered: false,
    })
    expect(journal.call(key(0)).nested).toBe(true)
    journal.add(make.refused(key(0)))
    expect([...journal.state.run!.frames.keys()]).toEqual([RUN])
  })

  it('a call that is settled closes no frame but its own', () => {
    const journal = nested().add(make.refused(key(1)))
    expect([...journal.state.run!.frames.keys()]).toEqual([RUN, key(0)])
    journal.add(make.finished(key(0)))
    expect([...journal.state.run!.frames.keys()]).toEqual([RUN])
    refuses(journal, make.said([], { frame: key(0) }), /there is no frame/)
    // A key that begins alike is not inside.
    const ten = calling(Array.from({ length: 11 }, () => 'scout'))
    const frame = { agent: { id: 'scout' }, input: [], maxTurns: 1 }
    for (const n of [1, 10]) ten.add(make.released(key(n)), make.started(key(n), 1, { frame }))
    expect([...ten.add(make.refused(key(1))).state.run!.frames.keys()]).toEqual([RUN, key(10)])
  })

  it('a hand-off gives the conversation to another agent, and handing back ends what came in between', () => {
    const to = (id: string, more: object = {}): Entry => ({
      v: 1,
      type: 'agent.changed',
      frame: RUN,
      agent: { id },
      ...more,
    })
    const journal = new Journal().add(make.opened(), to('b'), to('c'))
    const root = () => journal.state.run!.frames.get(RUN)!
    expect(root().way.map(({ id }) => id)).toEqual(['agent', 'b', 'c'])
    journal.add(to('b'))
    expect(root().way.map(({ id }) => id)).toEqual(['agent', 'b'])
    expect(root().agent.id).toBe('b')
    expect(root().shown).toBeUndefined()
    journal.add(to('agent'))
    expect(root().way.map(({ id }) => id)).toEqual(['agent'])
  })

  it('who goes on is shown what the filter left, then what comes after', () => {
    const shown = [{ from: 1, to: 2 }, { role: 'user', content: 'new' } as const]
    const journal = new Journal().add(make.opened(), make.said([]), {
      v: 1,
      type: 'agent.changed',
      frame: RUN,
      agent: { id: 'b' },
      shown,
    })
    journal.add(make.said([], { turn: 2, message: { role: 'assistant', content: 'b here' } }))
    const root = journal.state.run!.frames.get(RUN)!
    expect(shownMessages(root).map(({ content }) => content)).toEqual(['', 'new', 'b here'])
    expect(root.messages).toHaveLength(3)
  })
})
