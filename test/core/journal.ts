import { apply } from '../../src/core/fold/fold.ts'
import { findCall } from '../../src/core/queries.ts'
import { type Call, emptyState, type ThreadState } from '../../src/core/state.ts'
import type { Actor, Decision } from '../../src/protocol/decision.ts'
import type { Entry, EntryOf } from '../../src/protocol/entries/entry.ts'
import type { Grant } from '../../src/protocol/grant.ts'
import { type CallKey, callKey } from '../../src/protocol/ids.ts'

/** The only run of these journals, and its root frame. */
export const RUN = 'run'
/** When entries are written unless a journal is told otherwise. */
export const NOW = 1_000
/** Somebody who decides. */
export const ANN: Actor = { kind: 'person', id: 'ann' }
/** A grant that decides. */
export const GRANT: Actor = { kind: 'grant', id: 'g1' }

/** The key of a call of the root's first turn, unless told otherwise. */
export const key = (index: number, turn = 1, frame: string = RUN): CallKey => callKey(frame, turn, index)

type Given<T extends Entry['type']> = Partial<EntryOf<T>>

/** Entries with everything that a test does not care about filled in. */
export const make = {
  opened: (options: Partial<EntryOf<'run.opened'>['options']> = {}, more: Given<'run.opened'> = {}): Entry => ({
    v: 1,
    type: 'run.opened',
    run: RUN,
    agent: { id: 'agent', name: 'agent' },
    input: [{ role: 'user', content: 'go' }],
    options: { maxTurns: 10, start: 'cleared', ...options },
    ...more,
  }),
  /** A model's answer: the names of the tools that it calls, each with `{ n: index }`. */
  said: (tools: readonly string[], more: Given<'model.answered'> = {}): Entry => ({
    v: 1,
    type: 'model.answered',
    frame: RUN,
    turn: 1,
    message: {
      role: 'assistant',
      content: '',
      ...(tools.length > 0 ? { toolCalls: tools.map((name, n) => ({ id: `c${n}`, name, args: { n } })) } : {}),
    },
    ...more,
  }),
  judged: (call: CallKey, more: Given<'call.judged'> = {}): Entry => ({
    v: 1,
    type: 'call.judged',
    call,
    definition: 'd1',
    digest: 'x',
    verdict: { kind: 'review' },
    ...more,
  }),
  asked: (id: string, more: Given<'request.opened'> = {}): Entry => ({
    v: 1,
    type: 'request.opened',
    id,
    questionId: id,
    kind: 'approve',
    run: RUN,
    agent: 'agent',
    path: ['agent'],
    toolName: 'pay',
    args: { n: 0 },
    definition: 'd1',
    allowedDecisions: ['approve', 'edit', 'reject', 'respond'],
    ...more,
  }),
  decided: (id: string, decision: Decision, more: Given<'request.decided'> = {}): Entry => ({
    v: 1,
    type: 'request.decided',
    id,
    version: 2,
    decision,
    by: ANN,
    ...more,
  }),
  answered: (id: string, more: Given<'request.answered'> = {}): Entry => ({
    v: 1,
    type: 'request.answered',
    id,
    version: 2,
    answer: true,
    by: ANN,
    ...more,
  }),
  reopened: (id: string, more: Given<'request.reopened'> = {}): Entry => ({
    v: 1,
    type: 'request.reopened',
    id,
    version: 3,
    cause: 'withdrawn',
    by: ANN,
    ...more,
  }),
  closed: (id: string, more: Given<'request.closed'> = {}): Entry => ({
    v: 1,
    type: 'request.closed',
    id,
    version: 2,
    status: 'expired',
    by: { kind: 'time', id: 'deadline' },
    ...more,
  }),
  escalated: (id: string, more: Given<'request.escalated'> = {}): Entry => ({
    v: 1,
    type: 'request.escalated',
    id,
    version: 2,
    by: { kind: 'time', id: 'deadline' },
    ...more,
  }),
  granted: (more: Partial<Grant> = {}): Entry => ({
    v: 1,
    type: 'grant.created',
    grant: {
      id: 'g1',
      effect: 'allow',
      run: RUN,
      agent: 'agent',
      tool: 'pay',
      definition: 'd1',
      request: 'r0',
      by: ANN,
      ...more,
    },
  }),
  released: (call: CallKey, more: Given<'call.released'> = {}): Entry => ({
    v: 1,
    type: 'call.released',
    call,
    digest: 'x',
    by: ANN,
    ...more,
  }),
  started: (call: CallKey, attempt = 1, more: Given<'call.started'> = {}): Entry => ({
    v: 1,
    type: 'call.started',
    call,
    attempt,
    ...more,
  }),
  finished: (call: CallKey, attempt = 1, content = 'ok'): Entry => ({
    v: 1,
    type: 'call.finished',
    call,
    attempt,
    result: { content },
  }),
  refused: (call: CallKey, more: Given<'call.refused'> = {}): Entry => ({
    v: 1,
    type: 'call.refused',
    call,
    cause: 'rejected',
    result: { content: 'no', isError: true },
    ...more,
  }),
}

/** A thread that is folded entry by entry. */
export class Journal {
  readonly state: ThreadState = emptyState('default', 't')
  at = NOW

  add(...entries: Entry[]): this {
    for (const entry of entries) apply(this.state, entry, this.at)
    return this
  }

  /** The call of a key whose turn is open. */
  call(of: CallKey): Call {
    const found = findCall(this.state, of)
    if (!found) throw new Error(`there is no call ${of}`)
    return found
  }
}

/** A run whose first answer makes calls of these tools, all judged to be reviewed. */
export function calling(tools: readonly string[], options: Parameters<typeof make.opened>[0] = {}): Journal {
  return new Journal().add(make.opened(options), make.said(tools), ...tools.map((_, index) => make.judged(key(index))))
}

/** The same, with one request about each call: `r0`, `r1` and so on. */
export function asking(tools: readonly string[], options: Parameters<typeof make.opened>[0] = {}): Journal {
  const requests = tools.map((toolName, n) => make.asked(`r${n}`, { call: key(n), toolName, args: { n } }))
  return calling(tools, options).add(...requests)
}
