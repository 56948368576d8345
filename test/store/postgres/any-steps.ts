import fc from 'fast-check'
import type { RecordChange } from '../../../src/ports/records.ts'
import type { Append, GrantChange, LeaseChange, RequestChange } from '../../../src/ports/store.ts'
import type { RequestQuery } from '../../../src/ports/store-lists.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import { entry, grantId, grantRow, requestId, requestRow } from '../../../src/testing/store-suite/tools.ts'

/** The clock that all stores of a sequence go by. */
export const clock = fakeClock()

const small = fc.integer({ min: 0, max: 4 })
const ttlMs = fc.constantFrom(0, -1, 5, 10, 1000, 0.5)
const holder = fc.constantFrom('a', 'b')
const takes = fc.record({ op: fc.constant('take' as const), holder, ttlMs: fc.constantFrom(5, 1000) })
const leases: fc.Arbitrary<LeaseChange> = fc.oneof(
  fc.record({ op: fc.constant('take' as const), holder, ttlMs }),
  fc.record({
    op: fc.constant('take' as const),
    holder,
    ttlMs,
    over: fc.record({ holder, token: small }),
    thenDrop: fc.boolean(),
  }),
  fc.record({ op: fc.constant('hold' as const), holder, token: small }),
  fc.record({ op: fc.constant('hold' as const), holder, token: small, thenDrop: fc.boolean() }),
  fc.record({ op: fc.constant('drop' as const), holder, token: small }),
)
const requests: fc.Arbitrary<RequestChange & { inMs?: number | undefined }> = fc.oneof(
  fc
    .record({
      n: small,
      tool: fc.constantFrom('refund', null),
      assignee: fc.constantFrom('ann', null),
      risk: fc.constantFrom('low' as const, 'high' as const, null),
      reviewed: fc.constantFrom(
        { readers: null, lists: null },
        { readers: [], lists: null },
        { readers: ['user:ann'], lists: null },
        { readers: ['user:ann', 'group:b"c'], lists: null },
        { readers: ['user:ann', 'group:b"c'], lists: [['user:ann'], ['group:b"c', 'user:ann']] },
        { readers: ['user:ann', 'group:b"c'], lists: [['user:ann'], ['group:b"c']] },
      ),
      text: fc.constantFrom('', 'hello', 'hello world'),
      entry: small,
      dueIn: fc.constantFrom(null, -5, 0, 4, 1000),
    })
    .map(({ n, entry, dueIn, reviewed, ...row }) => ({
      op: 'open' as const,
      entry,
      row: requestRow(n, { ...row, ...reviewed, expiresAt: dueIn === null ? null : clock.now() + dueIn }),
    })),
  fc
    .record({
      n: small,
      from: fc.integer({ min: 0, max: 3 }),
      entry: small,
      status: fc.constantFrom('open' as const, 'decided' as const, 'expired' as const),
      inMs: fc.option(fc.constantFrom(-1, 0, 1, 1000, Number.POSITIVE_INFINITY), { nil: undefined }),
      drop: fc.boolean(),
    })
    .map(({ n, drop, ...rest }) => ({
      op: 'change' as const,
      id: requestId(n),
      ...rest,
      ...(drop ? { dropDeadline: true as const } : {}),
    })),
  fc
    .record({
      n: small,
      assignee: fc.constantFrom('ann', 'bob', null),
      ttlMs: fc.option(fc.constantFrom(1, 5, 1000), { nil: undefined }),
      claim: fc.boolean(),
    })
    .map(({ n, assignee, ttlMs, claim }) => ({
      op: 'assign' as const,
      id: requestId(n),
      assignee,
      ...(ttlMs === undefined ? {} : { ttlMs }),
      ...(claim ? { claim: true as const } : {}),
    })),
  small.map((n) => ({ op: 'comment' as const, id: requestId(n) })),
)
const expect0 = fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined })
const records: fc.Arbitrary<RecordChange> = fc.oneof(
  fc
    .record({
      id: fc.constantFrom('a', 'b"', '\u{1f600}'),
      value: fc.constantFrom('1', '{"x":2}'),
      expect: expect0,
      ttlMs: fc.option(fc.constantFrom(1, 5, 1000), { nil: undefined }),
    })
    .map(({ id, value, expect, ttlMs }) => ({
      op: 'put' as const,
      kind: 'k',
      id,
      value,
      ...(expect === undefined ? {} : { expect }),
      ...(ttlMs === undefined ? {} : { ttlMs }),
    })),
  fc
    .record({ id: fc.constantFrom('a', 'b"'), expect: expect0 })
    .map(({ id, expect }) => ({ op: 'delete' as const, kind: 'k', id, ...(expect === undefined ? {} : { expect }) })),
)
const grants: fc.Arbitrary<GrantChange> = fc.oneof(
  fc
    .record({
      n: small,
      entry: small,
      scope: fc.constantFrom('run' as const, 'thread' as const, 'agent' as const, 'tenant' as const),
      uses: fc.constantFrom(null, 1, 2),
      cap: fc.constantFrom(null, 0.3, 10),
      expires: fc.constantFrom(null, -5, 5, 1000),
      ttlMs: fc.option(fc.constantFrom(0, 4, 10), { nil: undefined }),
    })
    .map(({ n, entry, ttlMs, expires, ...row }) => ({
      op: 'create' as const,
      entry,
      row: grantRow(n, { ...row, expiresAt: expires === null ? null : clock.now() + expires }),
      ...(ttlMs === undefined ? {} : { ttlMs }),
    })),
  fc
    .record({ n: small, amount: fc.option(fc.constantFrom(0, 0.1, 0.2, 4), { nil: undefined }) })
    .map(({ n, amount }) => ({ op: 'spend' as const, id: grantId(n), ...(amount === undefined ? {} : { amount }) })),
  fc.record({ n: small, entry: small }).map(({ n, entry }) => ({ op: 'revoke' as const, entry, id: grantId(n) })),
)
/** A mark that is set counts from the clock here. */
const marks = fc.record({
  wake: fc.option(
    fc.oneof(
      fc
        .record({ inMs: fc.constantFrom(0, 0, 0, 4, 4, 1000, -1, 0.5), tell: fc.boolean() })
        .map(({ inMs, tell }) => ({ op: 'by' as const, inMs, ...(tell ? { tell: true as const } : {}) })),
      fc.record({
        op: fc.constant('set' as const),
        inMs: fc.constantFrom(null, -5, 0, 4, 1000),
        tries: fc.constantFrom(0, 0, 1, 3, -1),
      }),
    ),
    { nil: undefined },
  ),
  run: fc.option(
    fc.record({ agent: fc.constantFrom('support', 'support', 'b"c', ''), version: fc.constantFrom('1', null) }),
    {
      nil: undefined,
      freq: 1,
    },
  ),
  earliestIn: fc.option(fc.constantFrom(-5, 0, 1, 5), { nil: undefined, freq: 2 }),
})
const place = { tenant: fc.constantFrom('x', 'y'), threadId: fc.constantFrom('t', 'u "\\\n') }
const anyAppend = fc.record({
  kind: fc.constant('append' as const),
  ...place,
  count: fc.integer({ min: 0, max: 3 }),
  version: fc.option(fc.oneof(small, fc.constant('now' as const)), { nil: undefined }),
  head: fc.option(fc.constantFrom('now', 'before', 'never'), { nil: undefined }),
  lease: fc.option(leases, { nil: undefined }),
  requests: fc.option(fc.array(requests, { maxLength: 4 }), { nil: undefined }),
  grants: fc.option(fc.array(grants, { minLength: 1, maxLength: 4 }), { nil: undefined, freq: 1 }),
  records: fc.option(fc.array(records, { minLength: 1, maxLength: 4 }), { nil: undefined, freq: 2 }),
  marks: fc.option(marks, { nil: undefined, freq: 1 }),
})
/** An append of entries alone, which nothing can refuse. */
const unguarded = {
  kind: fc.constant('append' as const),
  ...place,
  count: fc.integer({ min: 1, max: 2 }),
  version: fc.constant(undefined),
  head: fc.constant(undefined),
  lease: fc.constant(undefined),
  requests: fc.constant(undefined),
  grants: fc.constant(undefined),
  records: fc.constant(undefined),
  marks: fc.constant(undefined),
}

/** Steps of a sequence. */
export const steps = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('many' as const),
      appends: fc.array(anyAppend, { minLength: 3, maxLength: 6 }),
    }),
  },
  { weight: 8, arbitrary: anyAppend },
  { weight: 5, arbitrary: fc.record({ ...unguarded, grants: fc.array(grants, { minLength: 1, maxLength: 3 }) }) },
  { weight: 5, arbitrary: fc.record({ ...unguarded, requests: fc.array(requests, { minLength: 1, maxLength: 3 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      ...unguarded,
      count: fc.integer({ min: 0, max: 2 }),
      version: fc.constantFrom('now' as const, 'now' as const, undefined),
      lease: fc.option(takes, { nil: undefined, freq: 1 }),
      marks,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('records' as const),
      ...place,
      changes: fc.array(records, { maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('renew' as const), ...place, holder, token: small, ttlMs }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.constantFrom(1, 4, 5, 10, 1000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('find' as const),
      ...place,
      query: fc.record(
        {
          status: fc.constantFrom('open', 'decided', 'closed'),
          kind: fc.constantFrom('approve', 'ask'),
          risk: fc.constantFrom('low', 'high'),
          readers: fc.constantFrom([], ['*'], ['user:ann'], ['group:b"c', '*']),
          satisfiedBy: fc.constantFrom([], ['user:ann'], ['user:ann', 'group:b"c'], ['group:b"c']),
          order: fc.constantFrom('opened', 'changed'),
          assignedTo: fc.constantFrom('ann', 'bob'),
          notAssignedToOthers: fc.constantFrom('ann', 'bob'),
          text: fc.constantFrom('', 'HELLO', 'world hello'),
          tool: fc.constant('refund'),
          assignee: fc.constant('ann'),
          limit: fc.constantFrom(1, 3),
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<RequestQuery>,
    }),
  },
)
/** One of them. */
export type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never

/** Entries beyond those that there are are wanted sometimes: all stores must throw the same. */
export function toAppend(step: Extract<Step, { kind: 'append' }>, n: number): Append {
  const changes = step.requests?.map((change): RequestChange => {
    if (change.op === 'assign' || change.op === 'comment') return change
    const index = step.count === 0 ? change.entry : change.entry % (step.count + (change.entry === 4 ? 1 : 0))
    if (change.op === 'open') return { ...change, entry: index }
    const { inMs, ...rest } = change
    return { ...rest, entry: index, ...(inMs === undefined ? {} : { before: clock.now() + inMs }) }
  })
  return {
    threadId: step.threadId,
    entries: Array.from({ length: step.count }, (_, i) => entry(`${n}.${i}`)),
    ...(typeof step.version === 'number' ? { version: step.version } : {}),
    ...(step.lease ? { lease: step.lease } : {}),
    ...(changes ? { requests: changes } : {}),
    ...(step.records ? { records: step.records } : {}),
    ...(step.grants
      ? { grants: step.grants.map((change) => (change.op === 'spend' ? change : { ...change, entry: 0 })) }
      : {}),
    ...toMarks(step.marks),
  }
}

function toMarks(marks: Extract<Step, { kind: 'append' }>['marks']): Pick<Append, 'wake' | 'run' | 'notBefore'> {
  const { wake, run, earliestIn } = marks ?? {}
  return {
    ...(wake?.op === 'by' ? { wake } : {}),
    ...(wake?.op === 'set'
      ? { wake: { op: 'set', at: wake.inMs === null ? null : clock.now() + wake.inMs, tries: wake.tries } }
      : {}),
    ...(run ? { run } : {}),
    ...(earliestIn === undefined ? {} : { notBefore: clock.now() + earliestIn }),
  }
}
