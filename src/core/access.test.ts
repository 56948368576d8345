import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AccessCaller,
  isNamedInAll,
  isSatisfiable,
  listsOf,
  mayAdminister,
  mayAudit,
  mayDecide,
  mayReadMetrics,
  mayRevoke,
  maySee,
  mayWithdraw,
  namesOf,
  readersNamed,
  readersOf,
  reviewedBy,
  reviewerProblem,
  seesAll,
} from './access.ts'

function caller(sub: string, roles: string[] = [], groups: string[] = []): AccessCaller {
  return { sub, roles, groups }
}

const NAMES = ['ann', 'user:bob', 'group:finance', 'group:legal', 'user:group:finance']
const someLists = fc.array(fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 }), { maxLength: 3 })
const someCaller = fc.record({
  sub: fc.constantFrom('ann', 'bob', 'eve', 'group:finance', 'finance'),
  roles: fc.uniqueArray(fc.constantFrom('reviewer', 'operator', 'admin', 'auditor', 'agent', 'cook')),
  groups: fc.uniqueArray(fc.constantFrom('finance', 'legal', 'user:bob')),
})

describe('names of reviewers', () => {
  it.each([['ann'], ['user:ann'], ['group:finance'], ['user:urn:x:ann'], ['ann@example.com']])('%s is one', (name) => {
    expect(reviewerProblem(name)).toBeUndefined()
  })

  it.each([
    ['team:finance', 'has the unknown prefix "team:"; use "user:ID", "group:NAME" or a bare user id'],
    ['Group:finance', 'has the unknown prefix "Group:"; use "user:ID", "group:NAME" or a bare user id'],
    [':ann', 'has the unknown prefix ":"; use "user:ID", "group:NAME" or a bare user id'],
    ['group:', 'names nobody after "group:"'],
    ['', 'is not a name'],
    [7, 'is not a name'],
  ])('%s is refused', (name, problem) => {
    expect(reviewerProblem(name)).toBe(problem)
  })

  it('a user cannot pass for a group, nor a group for a user', () => {
    expect(isNamedInAll({ id: 'group:finance' }, [['group:finance']])).toBe(false)
    expect(isNamedInAll({ id: 'finance' }, [['group:finance']])).toBe(false)
    expect(isNamedInAll({ id: 'eve', groups: ['user:bob', 'bob'] }, [['user:bob']])).toBe(false)
    expect(isNamedInAll({ id: 'eve', groups: ['finance'] }, [['group:finance']])).toBe(true)
  })
})

describe('the lists of composed policies', () => {
  it('one list is stored as it is; of several all are kept, and what is in all of them', () => {
    expect(reviewedBy([])).toEqual({})
    expect(reviewedBy([['ann', 'user:ann', 'group:x']])).toEqual({ reviewers: ['user:ann', 'group:x'] })
    expect(reviewedBy([['ann'], ['user:ann']])).toEqual({ reviewers: ['user:ann'] })
    expect(
      reviewedBy([
        ['group:finance', 'ann'],
        ['group:legal', 'ann'],
      ]),
    ).toEqual({
      reviewers: ['user:ann'],
      reviewerLists: [
        ['group:finance', 'user:ann'],
        ['group:legal', 'user:ann'],
      ],
    })
  })

  it('reads what earlier builds stored: one list of bare names', () => {
    expect(listsOf({ reviewers: ['ann', 'oidc:bob'] })).toEqual([['user:ann', 'user:oidc:bob']])
    expect(listsOf({ reviewers: [] })).toEqual([[]])
    expect(listsOf({ reviewers: ['ann'], reviewerLists: [] })).toEqual([['user:ann']])
    expect(listsOf({})).toEqual([])
  })

  it('lists that no single person can satisfy are found', () => {
    expect(isSatisfiable([['ann'], ['bob']])).toBe(false)
    expect(isSatisfiable([['ann'], ['group:x']])).toBe(true)
    expect(isSatisfiable([['ann', 'bob'], ['bob'], ['group:x']])).toBe(true)
    expect(isSatisfiable([['ann'], []])).toBe(false)
    expect(isSatisfiable([])).toBe(true)
  })

  it('storing lists changes nobody’s rights, and the single list never allows more', () => {
    fc.assert(
      fc.property(someCaller, someLists, (who, lists) => {
        const stored = reviewedBy(lists)
        const person = { id: who.sub, groups: who.groups }
        const full = lists.map((list) => listsOf({ reviewers: list })[0] ?? [])
        expect(isNamedInAll(person, listsOf(stored))).toBe(isNamedInAll(person, full))
        if (stored.reviewers && isNamedInAll(person, [stored.reviewers])) {
          expect(isNamedInAll(person, full)).toBe(true)
        }
        if (isNamedInAll(person, full)) expect(isSatisfiable(lists)).toBe(true)
      }),
    )
  })
})

describe('who sees and decides', () => {
  const both = listsOf(reviewedBy([['group:finance'], ['group:legal', 'ann']]))

  it('sees all: operator, admin and auditor', () => {
    for (const role of ['operator', 'admin', 'auditor']) expect(seesAll(caller('eve', [role]))).toBe(true)
    expect(seesAll(caller('eve', ['reviewer']))).toBe(false)
    expect(seesAll(caller('eve'))).toBe(false)
  })

  it('without reviewers a request is for everybody with a role that decides', () => {
    expect(maySee(caller('eve', ['reviewer']), [])).toBe(true)
    expect(mayDecide(caller('eve', ['reviewer']), [])).toBe(true)
    expect(maySee(caller('eve'), [])).toBe(false)
    expect(mayDecide(caller('eve'), [])).toBe(false)
  })

  it('one list makes it visible, every list makes it decidable', () => {
    const inOne = caller('eve', ['reviewer'], ['finance'])
    expect([maySee(inOne, both), mayDecide(inOne, both)]).toEqual([true, false])
    const inBoth = caller('ann', [], ['finance'])
    expect([maySee(inBoth, both), mayDecide(inBoth, both)]).toEqual([true, true])
    const inNone = caller('eve', ['reviewer'], ['kitchen'])
    expect([maySee(inNone, both), mayDecide(inNone, both)]).toEqual([false, false])
  })

  it('operators and admins do not override reviewers', () => {
    for (const role of ['operator', 'admin']) {
      expect(mayDecide(caller('eve', [role]), both)).toBe(false)
      expect(mayDecide(caller('eve', [role]), [])).toBe(true)
      expect(mayDecide(caller('ann', [role], ['finance']), both)).toBe(true)
    }
  })

  it('an auditor reads and decides nothing, unless they are a reviewer too', () => {
    expect(mayDecide(caller('ann', ['auditor'], ['finance']), both)).toBe(false)
    expect(mayDecide(caller('ann', ['auditor']), [])).toBe(false)
    expect(mayDecide(caller('ann', ['auditor', 'reviewer'], ['finance']), both)).toBe(true)
    expect(mayAudit(caller('ann', ['auditor']))).toBe(true)
  })

  it('an agent may do nothing, whatever else it is', () => {
    fc.assert(
      fc.property(someCaller, someLists, (given, lists) => {
        const who = { ...given, roles: [...given.roles, 'agent'] }
        expect(maySee(who, listsOf(reviewedBy(lists)))).toBe(false)
        expect(mayDecide(who, listsOf(reviewedBy(lists)))).toBe(false)
        expect(readersOf(who)).toEqual([])
        const by = { kind: 'person', id: who.sub }
        const rights = [seesAll(who), mayAudit(who), mayAdminister(who), mayReadMetrics({ ...who, tenant: 'a' }, 'a')]
        expect([...rights, mayRevoke(who, { by }), mayWithdraw(who, by)]).not.toContain(true)
      }),
    )
  })

  it('who may decide may see, and a store that filters by names finds exactly what may be seen', () => {
    fc.assert(
      fc.property(someCaller, someLists, (who, given) => {
        const request = reviewedBy(given)
        const lists = listsOf(request)
        if (mayDecide(who, lists)) expect(maySee(who, lists)).toBe(true)
        const readers = readersOf(who)
        const named = readersNamed(request) ?? ['*']
        const found = readers === undefined || named.some((name) => readers.includes(name))
        expect(found).toBe(maySee(who, lists))
      }),
    )
  })

  it('a name in a list never matches the mark of requests for anybody', () => {
    expect(namesOf({ id: '*', groups: ['*'] })).toEqual(['user:*', 'group:*'])
    expect(readersNamed({ reviewers: ['*'] })).toEqual(['user:*'])
  })
})

describe('what else a caller may do', () => {
  const given = { by: { kind: 'person', id: 'ann' } }

  it('a grant is revoked and a decision withdrawn by its author, an operator or an admin', () => {
    for (const may of [
      (who: AccessCaller) => mayRevoke(who, given),
      (who: AccessCaller) => mayWithdraw(who, given.by),
    ]) {
      expect(may(caller('ann'))).toBe(true)
      expect(may(caller('ann', ['auditor']))).toBe(false)
      expect(may(caller('bob', ['reviewer']))).toBe(false)
      expect(may(caller('bob', ['operator']))).toBe(true)
      expect(may(caller('bob', ['admin']))).toBe(true)
    }
    expect(mayWithdraw(caller('ann'), { kind: 'grant', id: 'ann' })).toBe(false)
  })

  it('only admins administer; metrics are for operators too', () => {
    expect(mayAdminister(caller('ann', ['operator']))).toBe(false)
    expect(mayAdminister(caller('ann', ['admin']))).toBe(true)
    expect(mayReadMetrics({ ...caller('ann', ['auditor']), tenant: 'a' }, 'a')).toBe(false)
    expect(mayReadMetrics({ ...caller('ann', ['operator']), tenant: 'a' }, 'a')).toBe(true)
    for (const own of ['b', undefined])
      expect(mayReadMetrics({ ...caller('ann', ['operator', 'admin']), tenant: 'a' }, own)).toBe(false)
  })
})
