import type { Actor, Decision } from '../../protocol/decision.ts'
import type { Entry, EntryOf, PolicyMark } from '../../protocol/entries/entry.ts'
import type { Grant, GrantTerms } from '../../protocol/grant.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import { type CallFacts, isAskedAgain } from '../state.ts'

/** A decision about an open request, checked. */
export interface CheckedDecision {
  opened: EntryOf<'request.opened'>
  /** The version that it answers. */
  version: number
  decision: Decision
  by: Actor
  comment?: string
  idempotency?: { key: string; content: string }
  undoMs?: number
  /** Makes it a standing decision. */
  grant?: { id: string } & GrantTerms
  /** What it takes of the cap of the grant that decides. */
  amount?: number
  /** What exactly an edit runs, when the door has the agent's code to check it with. */
  edited?: {
    tool: string
    args: JsonObject
    argsInput?: JsonObject
    definition: string
    facts?: CallFacts
    digest: string
    /** What each policy said of it. */
    policies?: PolicyMark[]
  }
}

/** What a decision adds: the decision itself, its release where nothing more has to be checked, its grant if it is a standing one. */
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
  // An answer to a question of a body lets nothing run: the body goes on with it.
  if (opened.call === undefined || opened.ordinal !== undefined) return undefined
  const base = { v: 1, type: 'call.released', call: opened.call, by, request: opened.id } as const
  const delay = checked.undoMs ? { delayMs: checked.undoMs } : {}
  const taken = checked.amount === undefined ? {} : { amount: checked.amount }
  switch (decision.type) {
    case 'approve':
      // A request that was asked again shows a call of its own: that one, not the model's, is what was approved.
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

/** What an approval releases beside the digest: nothing for the judged call, all that was shown for one that was asked about again. */
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
  if (undoMs) grant.delayMs = undoMs
  return grant
}

/** What a decision means for later calls, if it can mean anything for them. */
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
