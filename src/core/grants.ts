import type { DecisionType } from '../protocol/decision.ts'
import type { Entry } from '../protocol/entries/entry.ts'
import { type Grant, type GrantScope, matcherOf } from '../protocol/grant.ts'
import { type JsonObject, type JsonValue, jsonEqual } from '../protocol/json/json.ts'
import type { ThreadState } from './state.ts'

/** A grant, and what is left of it as far as is known. Only the append that spends it knows for certain. */
export interface KnownGrant {
  readonly grant: Grant
  /** Where it was given. */
  readonly threadId: string
  /** From when on it counts, and until when. */
  readonly from: number
  readonly until: number | null
  readonly uses: number | null
  readonly used: number
  readonly cap: number | null
  readonly spent: number
  /** The tool that it covers under its other names, where it has any. */
  readonly alsoAs?: readonly ToolName[]
}

/** A tool by one of its names, with the fingerprint that it has under it. */
export interface ToolName {
  readonly tool: string
  readonly definition: string
}

/** A call that a grant may decide. */
export interface GrantedCall {
  readonly threadId: string
  readonly run: string
  readonly agent: string
  readonly tool: string
  readonly definition: string | undefined
  readonly args: JsonObject | undefined
  /** What people may decide about it, and who: a grant says no more than the person who gave it could. */
  readonly allowedDecisions: readonly DecisionType[]
  readonly reviewers: readonly string[] | undefined
}

/** One use of a grant: `amount` is what it takes of its cap. */
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

/** The grants that entries create and revoke. What spends one is told by who plans that. */
export function projectGrants(entries: readonly Entry[]): ProjectedGrant[] {
  const changes: ProjectedGrant[] = []
  for (let position = 0; position < entries.length; position++) {
    const entry = entries[position]
    if (entry?.type === 'grant.revoked') changes.push({ op: 'revoke', entry: position, id: entry.id })
    if (entry?.type !== 'grant.created') continue
    const { id, scope = 'run', run, agent, tool, uses = null, cap, ttlMs } = entry.grant
    const row = { id, scope, run, agent, tool, uses, cap: cap?.max ?? null, expiresAt: null, used: 0, spent: 0 }
    changes.push({ op: 'create', entry: position, row, ...(ttlMs === undefined ? {} : { ttlMs }) })
  }
  return changes
}

/** Spends one use. */
export function spending({ grant, amount }: GrantUse): ProjectedGrant {
  return { op: 'spend', id: grant.id, ...(amount === undefined ? {} : { amount }) }
}

/** The grants that were given in a thread and are in force there, by its journal alone: complete for those of a run or thread. */
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
 * Hands out uses of grants, call by call, so that what one call takes is gone for the next.
 *
 * A denying grant beats an allowing one. Of several that allow, one without limits comes first: it costs nothing.
 */
export class Budget {
  readonly #grants: { known: KnownGrant; used: number; spent: number }[]

  constructor(grants: readonly KnownGrant[], now: number) {
    this.#grants = grants
      .filter(({ from, until }) => from <= now && (until === null || until > now))
      .map((known) => ({ known, used: known.used, spent: known.spent }))
  }

  /** Sets aside what a call that was released on a grant has not spent yet. */
  reserve(id: string, amount = 0): void {
    const item = this.#grants.find(({ known }) => known.grant.id === id)
    if (!item) return
    item.used += 1
    item.spent += amount
  }

  /** The use that decides a call under review, if any does. What needs a person is not allowed by a grant. */
  take(call: GrantedCall, needsPerson = false): GrantUse | undefined {
    const denial = this.#take(call, (grant) => grant.effect === 'deny')
    return denial ?? (needsPerson ? undefined : this.#take(call, (grant) => grant.effect === 'allow'))
  }

  /** The use that stops a call which nobody needs to review. Grants beyond the thread are not looked up for these. */
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

/** Whether a grant is about such a call at all, whatever is left of it. */
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

function mayApprove({ by }: Grant, { allowedDecisions, reviewers }: GrantedCall): boolean {
  return allowedDecisions.includes('approve') && (reviewers === undefined || reviewers.includes(by.id))
}

function reaches({ scope = 'run', run, agent }: Grant, threadId: string, call: GrantedCall): boolean {
  if (scope === 'tenant') return true
  if (agent !== call.agent) return false
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

/** What a call takes of a grant's cap; `undefined` if it has none, or the call has no usable value. */
function amountOf({ cap }: Grant, { args = {} }: GrantedCall): number | undefined {
  const value = cap && Object.hasOwn(args, cap.field) ? args[cap.field] : undefined
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

function hasLeft(
  { known, used, spent }: { known: KnownGrant; used: number; spent: number },
  amount: number | undefined,
): boolean {
  if (known.uses !== null && used >= known.uses) return false
  // The same sum, in the same order, as in the store: what fits here fits there, unless somebody else was faster.
  return known.cap === null || spent + (amount ?? 0) <= known.cap
}
