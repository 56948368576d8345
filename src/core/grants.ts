import { conversationKey } from '../protocol/conversation.ts'
import type { DecisionType } from '../protocol/decision.ts'
import type { Entry, EntryOf } from '../protocol/entries/entry.ts'
import { type Grant, type GrantScope, matcherOf } from '../protocol/grant.ts'
import { type JsonObject, type JsonValue, jsonEqual } from '../protocol/json/json.ts'
import { mayAuthor, type Reviewed } from './access.ts'
import type { ThreadState } from './state.ts'

/** A grant and its remaining budget, as last read. Only the append that spends it knows for certain. */
export interface KnownGrant {
  readonly grant: Grant
  /** The thread it was given in. */
  readonly threadId: string
  /** When it starts to count, and when it expires. */
  readonly from: number
  readonly until: number | null
  readonly uses: number | null
  readonly used: number
  readonly cap: number | null
  readonly spent: number
  /** Other names of the tool that it covers. */
  readonly alsoAs?: readonly ToolName[]
}

/** A tool's name, with its fingerprint under that name. */
export interface ToolName {
  readonly tool: string
  readonly definition: string
}

/** A call that a grant may decide. */
export interface GrantedCall extends Reviewed {
  readonly threadId: string
  readonly run: string
  /** The key of its conversation, if it comes from outside. */
  readonly conversation: string | undefined
  readonly agent: string
  readonly tool: string
  readonly definition: string | undefined
  readonly args: JsonObject | undefined
  /** The decisions that the call allows. A grant can do no more than the person who gave it, with the groups of that time. */
  readonly allowedDecisions: readonly DecisionType[]
}

/** The call as its request shows it. It differs from the model's call if the tool was changed since (G3). */
export function shownCall(threadId: string, opened: EntryOf<'request.opened'>): GrantedCall | undefined {
  const { toolName: tool, run, host, agent, definition, args, allowedDecisions, reviewers, reviewerLists, via } = opened
  if (tool === undefined || run === undefined) return undefined
  const reviewed = { allowedDecisions, reviewers, reviewerLists, via }
  const conversation = host && conversationKey(host)
  return { threadId, run, conversation, agent, tool, definition, args, ...reviewed }
}

/** One use of a grant. `amount` is deducted from its cap. */
export interface GrantUse {
  readonly grant: Grant
  readonly amount?: number
}

/** A change of a grant. The same shape as the store's, which core does not import. */
export type ProjectedGrant =
  | {
      op: 'create'
      entry: number
      row: {
        id: string
        scope: GrantScope
        run: string
        conversation?: string
        agent: string
        tool: string
        uses: number | null
        cap: number | null
        expiresAt: null
        used: number
        spent: number
      }
      ttlMs?: number
    }
  | { op: 'spend'; id: string; amount?: number }
  | { op: 'revoke'; entry: number; id: string }

/** The grants that entries create and revoke. Spending is planned elsewhere. */
export function projectGrants(entries: readonly Entry[]): ProjectedGrant[] {
  const changes: ProjectedGrant[] = []
  for (let position = 0; position < entries.length; position++) {
    const entry = entries[position]
    if (entry?.type === 'grant.revoked') changes.push({ op: 'revoke', entry: position, id: entry.id })
    if (entry?.type !== 'grant.created') continue
    const { id, scope = 'run', run, conversation, agent, tool, uses = null, cap, ttlMs } = entry.grant
    const limits = { uses, cap: cap?.max ?? null, expiresAt: null, used: 0, spent: 0 }
    const row = { id, scope, run, ...(conversation === undefined ? {} : { conversation }), agent, tool, ...limits }
    changes.push({ op: 'create', entry: position, row, ...(ttlMs === undefined ? {} : { ttlMs }) })
  }
  return changes
}

/** The change that spends one use. */
export function spending({ grant, amount }: GrantUse): ProjectedGrant {
  return { op: 'spend', id: grant.id, ...(amount === undefined ? {} : { amount }) }
}

/**
 * The grants that were given in this thread and are in force, from its journal alone. Complete for the scopes run and
 * thread, unless its run comes from outside: the calls of a conversation have threads of their own.
 */
export function ownGrants(state: ThreadState): KnownGrant[] {
  return [...state.grants.values()]
    .filter(({ revoked }) => revoked === null)
    .map(({ grant, at, used, spent }) => ({
      grant,
      threadId: state.threadId,
      from: at + (grant.delayMs ?? 0),
      until: grant.ttlMs === undefined ? null : at + grant.ttlMs,
      uses: grant.uses ?? null,
      used,
      cap: grant.cap?.max ?? null,
      spent,
    }))
}

/**
 * Allocates uses of grants call by call, so that an earlier call's use is no longer available to the next.
 *
 * A denying grant beats an allowing one. Among allowing grants, one without limits comes first, since using it costs
 * nothing.
 */
export class Budget {
  readonly #grants: { known: KnownGrant; used: number; spent: number }[]

  constructor(grants: readonly KnownGrant[], now: number) {
    this.#grants = grants
      .filter(({ from, until }) => from <= now && (until === null || until > now))
      .map((known) => ({ known, used: known.used, spent: known.spent }))
  }

  /** Reserves the use of a call that was released on a grant and has not spent it yet. */
  reserve(id: string, amount = 0): void {
    const item = this.#grants.find(({ known }) => known.grant.id === id)
    if (!item) return
    item.used += 1
    item.spent += amount
  }

  /** The use that decides a call under review, if any. With `needsPerson`, no grant can allow it. */
  take(call: GrantedCall, needsPerson = false): GrantUse | undefined {
    const denial = this.#take(call, (grant) => grant.effect === 'deny')
    return denial ?? (needsPerson ? undefined : this.#take(call, (grant) => grant.effect === 'allow'))
  }

  /** The use that denies a call which needs no review. Grants from other threads are not looked up for such calls. */
  takeDenial(call: GrantedCall): GrantUse | undefined {
    return this.#take(call, ({ effect, scope = 'run' }) => effect === 'deny' && (scope === 'run' || scope === 'thread'))
  }

  #take(call: GrantedCall, fits: (grant: Grant) => boolean): GrantUse | undefined {
    const covering = this.#grants.filter(
      (item) => fits(item.known.grant) && covers(item.known, call) && hasLeft(item, amountOf(item.known.grant, call)),
    )
    const chosen = covering.find(({ known }) => known.uses === null && known.cap === null) ?? covering[0]
    if (!chosen) return undefined
    const { grant } = chosen.known
    const amount = amountOf(grant, call)
    chosen.used += 1
    chosen.spent += amount ?? 0
    return amount === undefined ? { grant } : { grant, amount }
  }
}

/** Whether a grant applies to a call, whatever budget is left. */
function covers({ grant, threadId, alsoAs = [] }: KnownGrant, call: GrantedCall): boolean {
  const isAbout = ({ tool, definition }: ToolName): boolean => tool === call.tool && definition === call.definition
  if (!(isAbout(grant) || alsoAs.some(isAbout)) || !reaches(grant, threadId, call)) return false
  if (grant.effect === 'allow' && !mayApprove(grant, call)) return false
  if (grant.cap && amountOf(grant, call) === undefined) return false
  return Object.entries(grant.args ?? {}).every(([name, pattern]) => {
    const { args = {} } = call
    return Object.hasOwn(args, name) && fitsPattern(pattern, args[name] as JsonValue)
  })
}

function mayApprove({ by }: Grant, call: GrantedCall): boolean {
  return call.allowedDecisions.includes('approve') && mayAuthor(by, call)
}

function reaches({ scope = 'run', run, agent, conversation }: Grant, threadId: string, call: GrantedCall): boolean {
  if (scope === 'tenant') return true
  if (agent !== call.agent) return false
  if (scope === 'thread' && conversation !== undefined) return conversation === call.conversation
  return scope === 'agent' || (threadId === call.threadId && (scope === 'thread' || run === call.run))
}

function fitsPattern(pattern: JsonValue, value: JsonValue): boolean {
  const matcher = matcherOf(pattern)
  switch (matcher?.kind) {
    case undefined:
      return jsonEqual(pattern, value)
    case 'oneOf':
      return matcher.values.some((one) => jsonEqual(one, value))
    case 'prefix':
      return typeof value === 'string' && value.startsWith(matcher.text)
  }
}

/** The amount a call takes from a grant's cap. `undefined` if there is no cap, or no usable value in the call. */
function amountOf({ cap }: Grant, { args = {} }: GrantedCall): number | undefined {
  const value = cap && Object.hasOwn(args, cap.field) ? args[cap.field] : undefined
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

function hasLeft(
  { known, used, spent }: { known: KnownGrant; used: number; spent: number },
  amount: number | undefined,
): boolean {
  if (known.uses !== null && used >= known.uses) return false
  // Same sum, in the same order, as in the store: what fits here fits there, unless another process spent first.
  return known.cap === null || spent + (amount ?? 0) <= known.cap
}
