import { conversationKey } from '../../protocol/conversation.ts'
import type { Actor, Decision } from '../../protocol/decision.ts'
import type { Entry, EntryOf, PolicyMark } from '../../protocol/entries/entry.ts'
import type { Grant, GrantTerms } from '../../protocol/grant.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import { isAskedAgain } from '../queries.ts'
import type { CallFacts } from '../state.ts'

/** An edit that was checked against the agent's code: what runs when it is released. */
export interface CheckedEdit {
  tool: string
  args: JsonObject
  argsInput?: JsonObject
  definition: string
  facts?: CallFacts
  digest: string
  /** What each policy said of it. */
  policies?: PolicyMark[]
}

/** A decision about an open request, checked. */
export interface CheckedDecision {
  opened: EntryOf<'request.opened'>
  /** The version that it answers. */
  version: number
  decision: Decision
  by: Actor
  comment?: string
  /** What the person was shown. */
  shown?: string
  idempotency?: { key: string; content: string }
  undoMs?: number
  /** Creates a grant from the decision. */
  grant?: { id: string } & GrantTerms
  /** The amount to deduct from the deciding grant's cap. */
  amount?: number
  /** The checked edit, if it could be checked against the agent's code. */
  edited?: CheckedEdit
}

/**
 * The entries of a decision: the decision, its release if nothing more has to be checked, and its grant if there is
 * one.
 */
export function planDecision(checked: CheckedDecision): Entry[] {
  const { opened, decision, by } = checked
  const decided: Entry = {
    v: 1,
    type: 'request.decided',
    id: opened.id,
    ...(opened.call === undefined ? {} : { call: opened.call }),
    version: checked.version + 1,
    decision,
    by,
  }
  if (checked.comment !== undefined) decided.comment = checked.comment
  if (checked.shown !== undefined) decided.shown = checked.shown
  if (checked.idempotency) decided.idempotency = checked.idempotency
  if (checked.undoMs) decided.undoMs = checked.undoMs
  const entries: Entry[] = [decided]
  const release = planRelease(checked)
  if (release) entries.push(release)
  const grant = planGrant(checked)
  if (grant) entries.push({ v: 1, type: 'grant.created', grant })
  return entries
}

function planRelease(checked: CheckedDecision): Entry | undefined {
  const { opened, decision, by, edited } = checked
  // An answer to a body's question releases nothing: the body continues with it.
  if (opened.call === undefined || opened.ordinal !== undefined) return undefined
  const base = { v: 1, type: 'call.released', call: opened.call, by, request: opened.id } as const
  const delay = checked.undoMs ? { delayMs: checked.undoMs } : {}
  const taken = checked.amount === undefined ? {} : { amount: checked.amount }
  switch (decision.type) {
    case 'approve':
      // A request that was asked again shows its own call, and that call is approved, not the model's.
      return opened.digest === undefined
        ? undefined
        : { ...base, digest: opened.digest, ...shown(opened), ...taken, ...delay }
    case 'edit':
      return edited && { ...base, ...edited, asRun: true, ...delay }
    case 'reject':
    case 'respond':
      return undefined
    default:
      return decision satisfies never
  }
}

/**
 * The fields that an approval releases besides the digest. None for the judged call; everything shown for one that was
 * asked about again.
 */
function shown(opened: EntryOf<'request.opened'>): Partial<EntryOf<'call.released'>> {
  if (!isAskedAgain(opened)) return {}
  const { preview, previewCompare, preconditions, toolName, args, asRun, argsInput, definition } = opened
  return {
    facts: {
      ...(preview === undefined ? {} : { preview }),
      ...(previewCompare === undefined ? {} : { previewCompare }),
      ...(preconditions === undefined ? {} : { preconditions }),
    },
    ...(toolName === undefined ? {} : { tool: toolName }),
    ...(args === undefined ? {} : { args }),
    ...(asRun ? { asRun } : {}),
    ...(argsInput === undefined ? {} : { argsInput }),
    ...(definition === undefined ? {} : { definition }),
  }
}

function planGrant({ opened, decision, by, grant: asked, undoMs }: CheckedDecision): Grant | undefined {
  const { run, toolName: tool, definition } = opened
  if (asked === undefined || run === undefined || tool === undefined || definition === undefined) return undefined
  const standing = grantEffect(decision)
  if (!standing) return undefined
  const grant: Grant = {
    ...asked,
    ...standing,
    run,
    agent: opened.agent,
    tool,
    definition,
    request: opened.id,
    by,
  }
  if (grant.scope === 'thread' && opened.host) grant.conversation = conversationKey(opened.host)
  if (undoMs) grant.delayMs = undoMs
  return grant
}

/** The grant effect of a decision. `undefined` if it can have none. */
function grantEffect(decision: Decision): Pick<Grant, 'effect' | 'message'> | undefined {
  switch (decision.type) {
    case 'approve':
      return { effect: 'allow' }
    case 'reject':
      return { effect: 'deny', ...(decision.message === undefined ? {} : { message: decision.message }) }
    case 'edit':
    case 'respond':
      return undefined
    default:
      return decision satisfies never
  }
}
