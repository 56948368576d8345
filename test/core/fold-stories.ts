import type { Entry } from '../../src/protocol/entries/entry.ts'
import { ANN, GRANT, key, make, RUN } from './journal.ts'

const USAGE = { requests: 1, inputTokens: 5, outputTokens: 3, totalTokens: 8 }
const TRACE = { traceId: '0123456789abcdef0123456789abcdef', spanId: '0123456789abcdef' }
const KEYED = { key: 'k', content: 'c' }
const POLICIES = [{ name: 'limits', version: '1', verdict: 'review' as const }]
const checked = (type: 'input' | 'output') => ({
  guardrail: { type, name: `check ${type}` },
  agent: 'agent',
  output: { tripwireTriggered: false, outputInfo: { score: 1 } },
})
const defined = (definition: string): Entry => ({
  v: 1,
  type: 'tool.defined',
  definition,
  name: 'pay',
  description: 'Pays.',
  parameters: { type: 'object' },
})

/** Approvals of all kinds, grants, and what becomes of them. */
const decisions: Entry[] = [
  make.opened(
    { maxTurns: null, maxRejections: { limit: 2, action: 'end' } },
    {
      history: [{ role: 'user', content: 'before' }],
      session: { id: 's' },
      context: { user: 'ann' },
      trace: TRACE,
    },
  ),
  defined('d1'),
  make.said(['pay', 'pay', 'pay', 'pay', 'pay'], { usage: USAGE, guardrails: [checked('input')] }),
  make.judged(key(0), { facts: { preview: 1, previewCompare: 2, preconditions: 3 }, policies: POLICIES }),
  make.judged(key(1), { args: { n: 7 }, asRun: true, argsInput: { n: '7' } }),
  make.judged(key(2)),
  make.judged(key(3), { verdict: { kind: 'allow' }, review: { allowedDecisions: ['approve'] } }),
  make.judged(key(4), { verdict: { kind: 'deny', reason: 'no' } }),
  make.asked('r0', { call: key(0), decisionValidSeconds: 60, trace: TRACE }),
  make.asked('r1', { call: key(1), expiresAt: 5_000, onTimeout: 'escalate' }),
  make.asked('r2', { call: key(2) }),
  make.decided('r0', { type: 'approve' }, { call: key(0), undoMs: 30, trace: TRACE, idempotency: KEYED }),
  make.reopened('r0', { call: key(0) }),
  make.decided('r0', { type: 'edit', args: { n: 9 }, message: 'less' }, { call: key(0), version: 4 }),
  make.reopened('r0', { call: key(0), version: 5, cause: 'edit_refused', problems: ['too little'] }),
  make.decided('r0', { type: 'edit', args: { n: 8 }, message: 'more' }, { call: key(0), version: 6 }),
  make.released(key(0), { args: { n: 8 }, request: 'r0', policies: POLICIES, delayMs: 10, facts: { preview: 4 } }),
  make.escalated('r1', { call: key(1) }),
  make.closed('r1', { call: key(1), version: 3, status: 'cancelled', reason: 'over' }),
  make.refused(key(1), { cause: 'cancelled', policies: POLICIES }),
  make.decided('r2', { type: 'reject', message: 'never' }, { call: key(2) }),
  make.granted({ uses: 2, cap: { argument: 'n', limit: 10 } } as never),
  make.granted({ id: 'g2' }),
  { v: 1, type: 'grant.revoked', id: 'g2', by: ANN },
  make.refused(key(2)),
  make.released(key(3), { by: GRANT, amount: 3 }),
  make.started(key(3), 1, { handedOver: 'host', policies: POLICIES }),
  make.asked('r3', { call: key(3), reason: 'unknown_outcome' }),
  make.decided('r3', { type: 'approve' }, { call: key(3) }),
  make.released(key(3), { request: 'r3' }),
  make.started(key(3), 2),
  make.finished(key(3), 2),
  make.refused(key(4), { cause: 'denied', by: GRANT }),
  make.started(key(0)),
  make.finished(key(0)),
  { v: 1, type: 'session.written', run: RUN, count: 2 },
]

/** Bodies that ask, steps, nested agents, hand-offs, a held answer, and an end. */
const agents: Entry[] = [
  make.opened({ start: 'settled', preApprovalInputGuardrails: true, maxFunctionToolConcurrency: 2 }),
  { v: 1, type: 'input.added', run: RUN, input: [{ role: 'user', content: 'a note' }], note: true },
  { v: 1, type: 'input.added', run: RUN, input: [{ role: 'user', content: 'taken back' }] },
  { v: 1, type: 'input.cleared', run: RUN },
  {
    v: 1,
    type: 'model.discarded',
    run: RUN,
    usage: USAGE,
    turn: { frame: RUN, number: 1 },
    guardrails: [checked('output')],
  },
  make.said(['asks', 'inner', 'pass_on'], { turn: 2, read: 1 }),
  make.judged(key(0, 2), { verdict: { kind: 'allow' } }),
  make.judged(key(1, 2), { verdict: { kind: 'allow' } }),
  make.judged(key(2, 2), { verdict: { kind: 'allow' }, handoff: true }),
  { v: 1, type: 'run.moved', run: RUN, agent: { id: 'agent', name: 'agent', version: '2' }, by: ANN, reason: 'new' },
  make.released(key(0, 2)),
  make.started(key(0, 2), 1, { resumable: true }),
  { v: 1, type: 'step.started', call: key(0, 2), name: 'first' },
  { v: 1, type: 'step.finished', call: key(0, 2), name: 'first', value: { done: 1 } },
  { v: 1, type: 'step.started', call: key(0, 2), name: 'second' },
  make.asked('w0', { call: key(0, 2), kind: 'confirm', ordinal: 0, allowedDecisions: [] }),
  make.answered('w0', { call: key(0, 2), trace: TRACE, idempotency: KEYED }),
  make.asked('w1', { call: key(0, 2), kind: 'approve', ordinal: 1 }),
  make.decided('w1', { type: 'respond', message: 'by hand' }, { call: key(0, 2) }),
  make.asked('w2', { call: key(0, 2), kind: 'ask', ordinal: 2, allowedDecisions: [] }),
  make.closed('w2', { call: key(0, 2), reason: 'late' }),
  make.released(key(1, 2)),
  make.started(key(1, 2), 1, {
    frame: {
      agent: { id: 'inner', fingerprint: 'f' },
      input: [{ role: 'user', content: 'go' }],
      maxTurns: 3,
      context: { inner: true },
    },
  }),
  make.said(['pay'], { frame: key(1, 2) }),
  make.judged(key(0, 1, key(1, 2))),
  make.asked('n0', { call: key(0, 1, key(1, 2)), path: ['agent', 'inner'] }),
  make.decided('n0', { type: 'approve' }, { call: key(0, 1, key(1, 2)) }),
  make.released(key(0, 1, key(1, 2)), { request: 'n0' }),
  make.started(key(0, 1, key(1, 2))),
  { v: 1, type: 'input.added', run: RUN, frame: key(1, 2), input: [{ role: 'user', content: 'inside' }] },
  make.finished(key(0, 1, key(1, 2))),
  make.said([], { frame: key(1, 2), turn: 2, read: 1 }),
  make.finished(key(1, 2)),
  make.finished(key(0, 2)),
  make.released(key(2, 2)),
  make.started(key(2, 2)),
  make.finished(key(2, 2)),
  {
    v: 1,
    type: 'agent.changed',
    frame: RUN,
    agent: { id: 'next', version: '1' },
    shown: [
      { from: 0, to: 1 },
      { role: 'user', content: 'a summary' },
    ],
  },
  { v: 1, type: 'context.replaced', run: RUN, strategy: 'merge', context: { a: 1 }, toolInput: { b: 2 }, usage: USAGE },
  make.said([], { turn: 3, guardrails: [checked('output')] }),
  make.asked('gate', { gate: true, toolName: undefined, args: undefined, definition: undefined } as never),
  make.decided('gate', { type: 'approve' }),
  { v: 1, type: 'gate.passed', run: RUN },
  make.asked('app', { run: undefined, kind: 'confirm', allowedDecisions: [] } as never),
  {
    v: 1,
    type: 'run.settled',
    run: RUN,
    status: 'aborted',
    reason: 'enough',
    message: { role: 'assistant', content: '' },
  },
]

/** Threads in which nothing runs, and a call that comes from outside. */
const others: Entry[] = [
  { v: 1, type: 'session.added', items: [{ role: 'user', content: 'hello' }] },
  { v: 1, type: 'session.popped' },
  { v: 1, type: 'session.cleared' },
  { v: 1, type: 'request.commented', id: 'r0', version: 1, text: 'why?', by: ANN },
  { v: 1, type: 'request.assigned', id: 'r0', assignee: 'ann', by: ANN },
  { v: 1, type: 'erased', entry: 1, was: '0', now: '1', by: ANN, reason: 'asked for' },
  { v: 1, type: 'thread.erased', thread: 't', entries: 1, requests: 0, erasedAt: 1, by: ANN, reason: 'asked for' },
  make.opened({}, { driver: 'external', host: { source: 'mcp', conversation: 'c', call: '1', principal: 'ann' } }),
  make.said(['pay'], { byTools: true }),
]

/** Journals that have every kind of entry. */
export const foldStories = { decisions, agents, others }
