import type { Actor } from '../../protocol/decision.ts'
import type { Entry, EntryOf, Usage } from '../../protocol/entries/entry.ts'
import type { Grant } from '../../protocol/grant.ts'
import { type JsonValue, jsonEqual } from '../../protocol/json/json.ts'
import { callsOf, framesOf } from '../queries.ts'
import type { Run, ThreadState } from '../state.ts'
import { planReopen } from './calls.ts'
import { planGateReopen } from './gate.ts'

/** The data that a process passes to a run that it resumes. */
export interface GivenContext {
  strategy: 'merge' | 'replace'
  context?: JsonValue
  toolInput?: JsonValue
  usage?: Usage
}

const CONTEXT: Actor = { kind: 'system', id: 'context' }

/**
 * Gives a run new application data. `merge` keeps all decisions, and the stored `toolInput` if none is given. `replace`
 * takes the data as given: it withdraws every decision that was not acted on, and revokes the grants that `revokes`
 * selects.
 */
export function planContext(
  state: ThreadState,
  run: Run,
  { revokes, ...given }: GivenContext & { revokes: (grant: Grant) => boolean },
): Entry[] {
  const { strategy, context, usage } = given
  const toolInput = given.toolInput ?? (strategy === 'merge' ? run.toolInput : undefined)
  const replaced: EntryOf<'context.replaced'> = { v: 1, type: 'context.replaced', run: run.id, strategy }
  if (context !== undefined) replaced.context = context
  if (toolInput !== undefined) replaced.toolInput = toolInput
  if (usage) replaced.usage = usage
  if (strategy === 'replace') return [replaced, ...planWithdrawAll(state, revokes, CONTEXT)]
  const changes = !same(context, run.context) || !same(toolInput, run.toolInput) || usage !== undefined
  return changes ? [replaced] : []
}

/** Withdraws every decision that was not acted on, and revokes the grants that `revokes` selects. */
export function planWithdrawAll(state: ThreadState, revokes: (grant: Grant) => boolean, by: Actor): Entry[] {
  const revoked = [...state.grants.values()].flatMap(({ grant, revoked }): Entry[] =>
    revoked === null && revokes(grant) ? [{ v: 1, type: 'grant.revoked', id: grant.id, by }] : [],
  )
  const reopened = callsOf(state).flatMap((call) => {
    // A request that was closed without an answer has no decision to withdraw.
    if (call.phase.at === 'answered' && call.phase.answer.kind === 'closed') return []
    return planReopen(call, { cause: 'withdrawn', by })
  })
  return [...revoked, ...reopened, ...framesOf(state).flatMap((frame) => planGateReopen(frame, by))]
}

function same(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a === undefined || b === undefined ? a === b : jsonEqual(a, b)
}
