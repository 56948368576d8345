/**
 * Who may see and do what. Pure, and used by every door: the desk, `/v1`, `/hil`, live events, webhooks, the command line.
 *
 * A person has names: `user:<id>`, and `group:<name>` for each group. A request has lists of names (one for each policy that named reviewers);
 * whoever decides it must be named in every list.
 */

/** An authenticated caller of a gateway, as far as rights go. */
export interface AccessCaller {
  readonly sub: string
  readonly roles: readonly string[]
  readonly groups: readonly string[]
}

/** Somebody with a name and groups, such as the author of a decision. */
export interface NamedPerson {
  readonly id: string
  readonly groups?: readonly string[] | undefined
}

/** The reviewers of a request, as stored. */
export interface Reviewed {
  /** The one list; of several lists, the names that are in all of them. */
  readonly reviewers?: readonly string[] | undefined
  /** All lists, if there are several. */
  readonly reviewerLists?: readonly (readonly string[])[] | undefined
  /** The doors through which it may be decided. Absent: any. */
  readonly via?: readonly string[] | undefined
}

/** The lists of names that a decider must satisfy. None: no policy named anybody. */
export type ReviewerLists = readonly (readonly string[])[]

const USER = 'user:'
const GROUP = 'group:'
/** Stands for requests that name no reviewers in `readersOf`. */
export const ANYBODY = '*'

/** The full name of a reviewer: a bare name is a user. */
function reviewerName(given: string): string {
  return given.startsWith(USER) || given.startsWith(GROUP) ? given : `${USER}${given}`
}

/** Why a policy cannot name a reviewer like this, or `undefined`. A prefix that nobody knows would be a rule that nobody can satisfy. */
export function reviewerProblem(given: unknown): string | undefined {
  if (typeof given !== 'string' || given === '') return 'is not a name'
  const [prefix, ...rest] = given.split(':')
  if (rest.length === 0) return undefined
  if (prefix !== 'user' && prefix !== 'group')
    return `has the unknown prefix "${prefix}:"; use "user:ID", "group:NAME" or a bare user id`
  return rest.join(':') === '' ? `names nobody after "${prefix}:"` : undefined
}

/** The names of a person. */
export function namesOf({ id, groups = [] }: NamedPerson): string[] {
  return [`${USER}${id}`, ...groups.map((group) => `${GROUP}${group}`)]
}

/** The lists of a request or a review. */
export function listsOf({ reviewers, reviewerLists }: Reviewed): ReviewerLists {
  const lists = reviewerLists?.length ? reviewerLists : reviewers ? [reviewers] : []
  return lists.map((list) => list.map(reviewerName))
}

/** The fields of a review for these lists. The names in all lists are kept too, for code that knows only one list: it must not allow more. */
export function reviewedBy(lists: ReviewerLists): { reviewers?: string[]; reviewerLists?: string[][] } {
  const kept = distinct(lists.map((list) => [...new Set(list.map(reviewerName))]))
  const [first, ...others] = kept
  if (first === undefined) return {}
  if (others.length === 0) return { reviewers: first }
  return { reviewers: first.filter((name) => others.every((list) => list.includes(name))), reviewerLists: kept }
}

function distinct(lists: string[][]): string[][] {
  const key = (list: readonly string[]) => JSON.stringify([...list].sort())
  return lists.filter((list, index) => lists.findIndex((other) => key(other) === key(list)) === index)
}

/** Whether one person could satisfy all lists. Groups are not known here, so a list with a group can be satisfied by anybody. */
export function isSatisfiable(given: ReviewerLists): boolean {
  const [first, ...others] = given
    .map((list) => list.map(reviewerName))
    .filter((list) => !list.some((name) => name.startsWith(GROUP)))
  return first === undefined || first.some((name) => others.every((list) => list.includes(name)))
}

/** The names of all lists, for the store to filter by. `null`: the request names nobody. */
export function readersNamed(request: Reviewed): string[] | null {
  const lists = listsOf(request)
  return lists.length === 0 ? null : [...new Set(lists.flat())].sort()
}

/** The lists of a request that has more than one, for the store to filter by. */
export function severalLists(request: Reviewed): string[][] | null {
  const lists = listsOf(request)
  return lists.length > 1 ? lists.map((list) => [...list]) : null
}

/** Whether a person is named in every list. */
export function isNamedInAll(person: NamedPerson, lists: ReviewerLists): boolean {
  const names = namesOf(person)
  return lists.every((list) => names.some((name) => list.includes(name)))
}

/** Whether the author of a decision is among the reviewers. Without lists anybody is; with lists only a person can be. */
export function isReviewer(author: NamedPerson & { readonly kind: string }, lists: ReviewerLists): boolean {
  return lists.length === 0 || (author.kind === 'person' && isNamedInAll(author, lists))
}

/** Whether a decision came through a door that its request accepts. With doors, only a person's does. */
export function isThrough(
  { kind, via }: { readonly kind: string; readonly via?: string | undefined },
  doors: readonly string[] | undefined,
): boolean {
  return doors === undefined || (kind === 'person' && via !== undefined && doors.includes(via))
}

/** Whether somebody is a reviewer of a request and came through a door that it accepts. */
export function mayAuthor(
  author: NamedPerson & { readonly kind: string; readonly via?: string | undefined },
  reviewed: Reviewed,
): boolean {
  return isReviewer(author, listsOf(reviewed)) && isThrough(author, reviewed.via)
}

/** Whether a person is named in one of the lists. */
function isNamedInAny(person: NamedPerson, lists: ReviewerLists): boolean {
  const names = namesOf(person)
  return lists.some((list) => names.some((name) => list.includes(name)))
}

/** The names under which a message on a stream may name a caller as its reviewer. Applications may write bare ids there. */
export function streamNames({ sub, groups }: Pick<AccessCaller, 'sub' | 'groups'>): string[] {
  const names = namesOf({ id: sub, groups })
  return reviewerName(sub) === sub ? names : [sub, ...names]
}

/** Whether a caller is a program that asks. Such a caller sees and decides nothing, whatever other roles it has. */
export function isAgent({ roles }: AccessCaller): boolean {
  return roles.includes('agent')
}

/** Whether a caller sees every request, journal and audit record of its tenant. */
export function seesAll(caller: AccessCaller): boolean {
  return hasRole(caller, 'operator', 'admin', 'auditor')
}

/** Whether a caller may see a request with these lists. */
export function maySee(caller: AccessCaller, lists: ReviewerLists): boolean {
  if (isAgent(caller)) return false
  if (seesAll(caller) || (lists.length === 0 && hasRole(caller, 'reviewer'))) return true
  return isNamedInAny(toPerson(caller), lists)
}

/** Whether a caller may decide a request with these lists. Operators and admins do not override reviewers. */
export function mayDecide(caller: AccessCaller, lists: ReviewerLists): boolean {
  if (!mayWrite(caller)) return false
  return lists.length === 0 ? hasRole(caller, 'reviewer', 'operator', 'admin') : isNamedInAll(toPerson(caller), lists)
}

/** The same for a request, which may also name the doors through which it is decided. */
export function mayDecideRequest(
  caller: AccessCaller & { readonly via?: string | undefined },
  reviewed: Reviewed,
): boolean {
  return mayDecide(caller, listsOf(reviewed)) && isThrough({ kind: 'person', via: caller.via ?? 'api' }, reviewed.via)
}

/** Whether a caller may write anything (comment, assign, decide) about what it sees. Auditors only read, unless they have another role too. */
export function mayWrite(caller: AccessCaller): boolean {
  return !isAgent(caller) && (!caller.roles.includes('auditor') || hasRole(caller, 'reviewer', 'operator', 'admin'))
}

/** The names that a request must have to be seen by a caller; `'*'` stands for requests without reviewers. `undefined`: it sees all. */
export function readersOf(caller: AccessCaller): string[] | undefined {
  if (isAgent(caller)) return []
  if (seesAll(caller)) return undefined
  return [...namesOf(toPerson(caller)), ...(hasRole(caller, 'reviewer') ? [ANYBODY] : [])]
}

/** Whether a caller may revoke a grant: an operator, an admin, or the person who gave it. */
export function mayRevoke(caller: AccessCaller, grant: { readonly by: { kind: string; id: string } }): boolean {
  return isOwnOrManaged(caller, grant.by)
}

/** Whether a caller may withdraw a decision: its author, an operator or an admin. */
export function mayWithdraw(caller: AccessCaller, author: { kind: string; id: string }): boolean {
  return isOwnOrManaged(caller, author)
}

function isOwnOrManaged(caller: AccessCaller, author: { kind: string; id: string }): boolean {
  if (mayOperate(caller)) return true
  return mayWrite(caller) && author.kind === 'person' && author.id === caller.sub
}

/** Whether a caller may read journals, the audit export and its verification. */
export function mayAudit(caller: AccessCaller): boolean {
  return seesAll(caller)
}

/** Whether a caller may act on what concerns others: assign requests, and give grants beyond one thread. */
export function mayOperate(caller: AccessCaller): boolean {
  return hasRole(caller, 'operator', 'admin')
}

/** Whether a caller may manage webhooks and the sessions of others. */
export function mayAdminister(caller: AccessCaller): boolean {
  return hasRole(caller, 'admin')
}

/** Whether a caller may read metrics. They are of all tenants: only who runs the gateway may know how busy each of its tenants is. */
export function mayReadMetrics(
  caller: AccessCaller & { readonly tenant: string },
  operatorTenant: string | undefined,
): boolean {
  return caller.tenant === operatorTenant && mayOperate(caller)
}

function hasRole(caller: AccessCaller, ...wanted: string[]): boolean {
  return !isAgent(caller) && wanted.some((role) => caller.roles.includes(role))
}

function toPerson({ sub, groups }: AccessCaller): NamedPerson {
  return { id: sub, groups }
}
