import { describe, expect, it } from 'vitest'
import type { RequestFacts } from '../../core/views/request-view.ts'
import type { Actor, Decision } from '../../protocol/decision.ts'
import type { Entry, EntryOf } from '../../protocol/entries/entry.ts'
import { parseAnswer } from './answer-shape.ts'
import { checkAllowed, checkAnswerable, isSame, parseDecision, parseReply, parseStanding, stale } from './check.ts'

const ann: Actor = { kind: 'person', id: 'ann' }
const approve: Decision = { type: 'approve' }
const opened: EntryOf<'request.opened'> = {
  v: 1,
  type: 'request.opened',
  id: 'r',
  questionId: 'q',
  kind: 'approve',
  agent: 'agent',
  path: ['agent'],
  toolName: 'pay',
  args: { amount: 1 },
  digest: 'x',
  allowedDecisions: ['approve', 'reject'],
}
const facts = (more: Partial<RequestFacts> = {}, about: Partial<typeof opened> = {}): RequestFacts => ({
  tenant: 'default',
  threadId: 't',
  status: 'open',
  version: 1,
  opened: { ...opened, ...about },
  openedAt: 0,
  ...more,
})
const decided = (decision: Decision, by = ann): Entry => ({
  v: 1,
  type: 'request.decided',
  id: 'r',
  version: 2,
  decision,
  by,
})
const answered = (answer: boolean, by = ann): Entry => ({
  v: 1,
  type: 'request.answered',
  id: 'r',
  version: 2,
  answer,
  by,
})
const thrown = (act: () => unknown): Error & { [member: string]: unknown } => {
  try {
    act()
  } catch (error) {
    return error as never
  }
  throw new Error('nothing was thrown')
}

describe('parsing a decision', () => {
  it('accepts valid decisions, and nothing else', () => {
    for (const decision of [
      approve,
      { type: 'edit', args: { amount: 2 }, toolName: 'pay', message: 'less' },
      { type: 'reject', message: 'no' },
      { type: 'reject' },
      { type: 'respond', message: 'words' },
    ])
      expect(parseDecision(decision)).toStrictEqual(decision)
    for (const wrong of [undefined, null, 'approve', 1, [], {}, { type: 'allow' }, { type: 'approve', args: {} }])
      expect(thrown(() => parseDecision(wrong))).toMatchObject({ name: 'DecisionInvalid', code: 'decision_invalid' })
  })

  it('names the invalid field, and lists the allowed decisions', () => {
    const { message } = thrown(() => parseDecision({ type: 'edit', args: 5 }))
    expect(message).toMatch(/^This is not a decision: args .+\. Use \{ type: 'approve' \}, /)
    expect(thrown(() => parseDecision(3)).message).toMatch(/^This is not a decision: Invalid input.*\. Use /)
  })

  it('refuses what is not plain JSON', () => {
    const cyclic: { [key: string]: unknown } = {}
    cyclic.self = cyclic
    for (const args of [cyclic, { n: Number.NaN }, { at: new Date() }, { f: () => 1 }])
      expect(thrown(() => parseDecision({ type: 'edit', args })).name).toBe('DecisionInvalid')
    expect(thrown(() => parseDecision({ type: 'reject', message: '\ud800' }))).toMatchObject({
      name: 'DecisionInvalid',
      message: 'This decision is not plain JSON: decision.message holds a lone surrogate.',
    })
  })

  it('reads an edit in the form of the seed, under both of its names', () => {
    const action = { name: 'refund', args: { amount: 3 } }
    const edit = { type: 'edit', toolName: 'refund', args: { amount: 3 } }
    expect(parseDecision({ type: 'edit', edited_action: action })).toStrictEqual(edit)
    expect(parseDecision({ type: 'edit', editedAction: action, message: 'm' })).toStrictEqual({ ...edit, message: 'm' })
    expect(thrown(() => parseDecision({ type: 'approve', edited_action: action })).name).toBe('DecisionInvalid')
  })

  it('treats a blank message as none, and never as a result', () => {
    expect(parseDecision({ type: 'reject', message: ' \n' })).toStrictEqual({ type: 'reject' })
    expect(parseDecision({ type: 'edit', args: {}, message: '' })).toStrictEqual({ type: 'edit', args: {} })
    expect(thrown(() => parseDecision({ type: 'respond', message: ' ' }))).toMatchObject({
      name: 'DecisionInvalid',
      message: expect.stringContaining('respond needs a message'),
    })
  })

  it('a standing decision may be given inside or beside it, and the one beside it wins', () => {
    const inside = { ...approve, always: { uses: 2 } }
    expect(parseStanding({ decision: inside })).toStrictEqual({ decision: approve, terms: { uses: 2 } })
    expect(parseStanding({ decision: approve, always: { uses: 3 } }).terms).toStrictEqual({ uses: 3 })
    expect(parseStanding({ decision: inside, always: { uses: 4 } }).terms).toStrictEqual({ uses: 4 })
    expect(parseStanding({ decision: inside, always: false }).terms).toBeUndefined()
    expect(parseStanding({ decision: approve }).terms).toBeUndefined()
    for (const decision of [null, 'approve', [approve], undefined])
      expect(thrown(() => parseStanding({ decision, always: true })).name).toBe('DecisionInvalid')
  })
})

describe('parsing a reply', () => {
  const reply = (more: object, about: Partial<typeof opened> = { kind: 'confirm' }, unchecked?: boolean) =>
    parseReply(facts({}, about), parseAnswer({ request: 'r', by: ann, answer: true, ...more }), {
      kind: about.kind as 'confirm' | 'ask',
      unchecked,
    })

  it('is an answer that fits the question', () => {
    expect(reply({})).toBe(true)
    expect(reply({ answer: false, always: false })).toBe(false)
    expect(thrown(() => reply({ answer: 'yes' }))).toMatchObject({ name: 'AnswerInvalid', questionId: 'q' })
    const ask = { kind: 'ask', questions: [{ question: 'Which?', key: 'which' }] } as never
    expect(reply({ answer: { which: 'this' } }, ask)).toStrictEqual({ which: 'this' })
    expect(thrown(() => reply({ answer: { which: 'this' } }, { kind: 'ask' })).name).toBe('AnswerInvalid')
    expect(thrown(() => reply({ answer: true }, ask)).name).toBe('AnswerInvalid')
  })

  it('is accepted unchecked by a test double alone', () => {
    expect(reply({ answer: 'anything' }, { kind: 'confirm' }, true)).toBe('anything')
  })

  it('is not a decision, and refuses the options of one', () => {
    expect(thrown(() => reply({ answer: undefined, decision: approve }))).toMatchObject({
      name: 'AnswerInvalid',
      questionId: 'q',
      message: expect.stringContaining('a confirm takes an answer, not a decision'),
    })
    for (const more of [{ always: true }, { always: {} }, { undoSeconds: 1 }])
      expect(thrown(() => reply(more))).toMatchObject({
        name: 'DecisionInvalid',
        message: expect.stringContaining('not with the answer to a confirm'),
      })
  })
})

describe('whether an answer counts', () => {
  it('an open request takes an answer to what it asks, at its version', () => {
    for (const meant of [
      {},
      { version: 1 },
      { digest: 'x' },
      { copy: { digest: 'x', toolName: 'pay', args: { amount: 1 } } },
    ])
      expect(checkAnswerable(facts(), meant, false)).toBe('fresh')
    expect(checkAnswerable(facts(), {}, true)).toBe('fresh')
  })

  it('an answer to another call is refused, and says what is asked now', () => {
    for (const meant of [
      { digest: 'y' },
      { copy: { digest: 'y' } },
      { copy: { toolName: 'refund' } },
      { copy: { args: { amount: 2 } } },
      { digest: 'x', copy: { digest: 'y' } },
    ])
      expect(thrown(() => checkAnswerable(facts({ version: 3 }), meant, false))).toMatchObject({
        name: 'RequestChanged',
        requestId: 'r',
        version: 3,
        digest: 'x',
      })
  })

  it('an answer to another version of an open request is stale', () => {
    for (const version of [0, 2])
      expect(thrown(() => checkAnswerable(facts(), { version }, false))).toMatchObject({
        name: 'HitlStaleAnswer',
        requestStatus: 'open',
      })
  })

  it('the same answer again is done already, if it is about the same version and call', () => {
    const settled = facts({ status: 'decided', version: 2, changed: decided(approve) })
    expect(checkAnswerable(settled, {}, true)).toBe('already')
    expect(checkAnswerable(settled, { version: 1, digest: 'x' }, true)).toBe('already')
    for (const [meant, same] of [
      [{}, false],
      [{ version: 2 }, true],
      [{ version: 3 }, true],
      [{ digest: 'y' }, true],
    ] as const)
      expect(thrown(() => checkAnswerable(settled, meant, same)).name).toBe('HitlStaleAnswer')
    expect(thrown(() => checkAnswerable(facts({ status: 'expired', version: 2 }), {}, true)).name).toBe(
      'HitlStaleAnswer',
    )
  })

  it('only the decisions that are allowed count, from the reviewers that are named', () => {
    expect(() => checkAllowed(facts(), 'reject', ann)).not.toThrow()
    expect(() => checkAllowed(facts({}, { reviewers: ['bob', 'ann'] }), 'approve', ann)).not.toThrow()
    expect(thrown(() => checkAllowed(facts(), 'edit', ann))).toMatchObject({
      name: 'DecisionNotAllowed',
      requestId: 'r',
      toolName: 'pay',
      allowed: ['approve', 'reject'],
    })
    expect(thrown(() => checkAllowed(facts({}, { reviewers: ['bob'] }), 'approve', ann))).toMatchObject({
      name: 'ReviewerNotAllowed',
      requestId: 'r',
      reviewer: 'ann',
    })
  })
})

describe('whether an answer is the one that was given', () => {
  const bob: Actor = { kind: 'person', id: 'bob' }
  const policy: Actor = { kind: 'policy', id: 'ann' }

  it('the same decision by the same person is', () => {
    const given = facts({ changed: decided({ type: 'reject', message: 'no' }) })
    expect(isSame(given, { type: 'reject', message: 'no' }, { ...ann, via: 'web' })).toBe(true)
    expect(isSame(given, { type: 'reject' }, ann)).toBe(false)
    expect(isSame(given, { type: 'reject', message: 'no' }, bob)).toBe(false)
    expect(isSame(given, { type: 'reject', message: 'no' }, policy)).toBe(false)
    expect(isSame(given, { answer: { type: 'reject', message: 'no' } }, ann)).toBe(false)
  })

  it('the same answer by the same person is', () => {
    const given = facts({ changed: answered(true) })
    expect(isSame(given, { answer: true }, ann)).toBe(true)
    expect(isSame(given, { answer: false }, ann)).toBe(false)
    expect(isSame(given, { answer: true }, bob)).toBe(false)
    expect(isSame(given, approve, ann)).toBe(false)
  })

  it('no answer is the same where nobody answered', () => {
    expect(isSame(facts(), approve, ann)).toBe(false)
    const closed: Entry = { v: 1, type: 'request.closed', id: 'r', version: 2, status: 'cancelled', by: ann }
    expect(isSame(facts({ changed: closed }), { answer: true }, ann)).toBe(false)
  })
})

describe('the refusal of a late answer', () => {
  it('says who decided what, and when', () => {
    const by = { ...ann, secret: 1 } as Actor
    const settled = facts({ status: 'decided', version: 2, changed: decided(approve, by), changedAt: 5 })
    const error = stale(settled)
    expect(error).toMatchObject({
      requestId: 'r',
      requestStatus: 'decided',
      decision: approve,
      at: new Date(5).toISOString(),
    })
    expect(error.by).toStrictEqual(ann)
  })

  it('says who answered or closed it, where nothing was decided', () => {
    const error = stale(facts({ status: 'decided', version: 2, changed: answered(true), changedAt: 5 }))
    expect([error.by, error.decision]).toStrictEqual([ann, undefined])
  })

  it('names nobody where nobody acted', () => {
    const released: Entry = { v: 1, type: 'call.released', call: 'run/1/0' as never, digest: 'x', by: ann }
    const judged = { v: 1, type: 'call.judged', call: 'run/1/0', verdict: { kind: 'review' } } as never
    for (const changed of [undefined, released, judged])
      expect(stale(facts({ changed, changedAt: 5 }))).toMatchObject({
        requestId: 'r',
        requestStatus: 'open',
        by: undefined,
        at: undefined,
      })
  })
})
