import type { Actor, DecisionType } from '../../protocol/decision.ts'
import type { Entry, EntryOf, GuardrailResult, PolicyMark, Usage, Verdict } from '../../protocol/entries/entry.ts'
import { type CallKey, callKey } from '../../protocol/ids.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import { type AssistantMessage, type ToolResult, textOf } from '../../protocol/message.ts'
import type { Review } from '../../protocol/request.ts'
import type { ToolDefinition } from '../digest.ts'
import { Budget, type GrantUse, type KnownGrant, type ProjectedGrant, spending } from '../grants.ts'
import { conversationOf, freeSlots, fromOutside, isRoot, pathOf } from '../queries.ts'
import type { Shown } from '../shown.ts'
import type { CallFacts, Frame, Run, ThreadState } from '../state.ts'
import { planFrameEnd } from './frames.ts'
import { errorResult } from './results.ts'

/** A call of the model's answer with its verdict. An invalid call has no `args`, `definition` or `digest`. */
export type JudgedCall =
  | {
      verdict: Extract<Verdict, { kind: 'invalid' | 'deny' }>
      refusal: ToolResult
      definition?: string
      digest?: string
      policies?: PolicyMark[]
      /** Who refused it, if not a policy. */
      by?: Actor
    }
  | {
      verdict: Extract<Verdict, { kind: 'allow' | 'review' }>
      /** Exactly what the body gets. */
      args: JsonObject
      /** Whether the model sent exactly `args`, so that they need not be stored again. */
      asSent: boolean
      /** What the model sent, if the schema does not accept its own output. */
      argsInput?: JsonObject
      definition: string
      facts?: CallFacts
      digest: string
      allowedDecisions: DecisionType[]
      /** Its body may be re-entered. */
      resumable: boolean
      /** It is a hand-off. */
      handoff?: boolean
      /** It is prepared and started in an append of its own, because starting it takes more than its release. */
      deferred?: boolean
      /** Further fields of its request, if it is asked about. */
      ask?: Omit<Review, 'allowedDecisions'> & Pick<EntryOf<'request.opened'>, 'expiresAt' | 'onTimeout' | 'reason'>
      /** How its request shows it, if it is asked about. */
      shown?: Shown
      policies?: PolicyMark[]
      /** Who allowed it, if not the rules. */
      by?: Actor
    }

/** A model's answer, judged. */
export interface JudgedAnswer {
  frame: Frame
  message: AssistantMessage
  usage?: Usage
  /** No model was asked: it was made of the results of tools. */
  byTools?: true
  /** What guardrails of the agent returned in this turn. */
  guardrails?: readonly GuardrailResult[]
  /** How many added inputs the model had read. */
  read: number
  /** One for each call of the message, in order. */
  calls: readonly JudgedCall[]
  /** The definitions of the tools that were called, by fingerprint. */
  definitions: ReadonlyMap<string, ToolDefinition>
  newId: () => string
  /** The result of the call that opened the frame, if this answer ends a nested frame. */
  result?: ToolResult
  /** A person must approve the answer before it ends the frame. */
  gate?: Pick<EntryOf<'request.opened'>, 'allowedDecisions' | 'description' | 'details' | 'risk' | 'expiresAt'>
  /** The refusal of each call, for denying grants without a message. */
  refusals: readonly ToolResult[]
  /** The grants that may cover a call. */
  grants: readonly KnownGrant[]
  /** The store's time. */
  now: number
}

/** The entries that a model's answer adds, and the grants that it spends. */
export interface PlannedAnswer {
  entries: Entry[]
  grants: ProjectedGrant[]
}

/**
 * Plans a model's answer: all of its calls are judged, the held ones asked about and the free ones cleared in one
 * append (G8). An answer without calls ends its frame, unless input arrived meanwhile.
 */
export function planAnswer(state: ThreadState, run: Run, answer: JudgedAnswer): PlannedAnswer {
  const { frame, message } = answer
  const turn = frame.turn + 1
  const answered: Entry = { v: 1, type: 'model.answered', frame: frame.key, turn, message }
  if (answer.read > 0) answered.read = answer.read
  if (answer.usage) answered.usage = answer.usage
  if (answer.byTools) answered.byTools = true
  if (answer.guardrails?.length) answered.guardrails = [...answer.guardrails]
  const entries: Entry[] = [answered]
  if (answer.calls.length === 0) {
    if (answer.gate) entries.push(openGate(run, answer, answer.gate))
    else if (frame.queued.length === answer.read) entries.push(...planFrameEnd(state, { run, frame }, answer.result))
    return { entries, grants: [] }
  }
  for (const [definition, tool] of answer.definitions) {
    if (!state.definitions.has(definition)) entries.push({ v: 1, type: 'tool.defined', definition, ...tool })
  }
  const budget = new Budget(answer.grants, answer.now)
  const place: Place = { state, run, answer, turn, budget }
  const judged = answer.calls.map((call, index) => planCall(place, call, index))
  const cleared = run.options.start === 'cleared' || judged.every((call) => !call.held)
  const mayStart = cleared && run.driver !== 'external'
  const starting = new Set(mayStart ? judged.filter(({ start }) => start.length > 0).slice(0, freeSlots(run)) : [])
  const startsNow = (call: PlannedCall): boolean => starting.has(call)
  for (const call of judged) if (call.cleared && !startsNow(call)) call.judged.review = call.cleared
  entries.push(...judged.map((call) => call.judged))
  entries.push(...judged.flatMap((call) => call.effects))
  entries.push(...[...starting].flatMap((call) => call.start))
  const spent = judged.flatMap((call) => {
    const { use } = call
    return use && (startsNow(call) || use.grant.effect === 'deny') ? [spending(use)] : []
  })
  return { entries, grants: spent }
}

interface Place {
  state: ThreadState
  run: Run
  answer: JudgedAnswer
  turn: number
  budget: Budget
}

/** The request always shows the held answer, whatever the hook adds to it. */
function openGate(run: Run, { frame, message, newId }: JudgedAnswer, gate: NonNullable<JudgedAnswer['gate']>): Entry {
  const id = newId()
  return {
    v: 1,
    type: 'request.opened',
    id,
    questionId: id,
    kind: 'approve',
    run: run.id,
    gate: true,
    ...(isRoot(run, frame) ? {} : { frame: frame.key }),
    agent: frame.agent.id,
    path: pathOf(run, frame.key),
    reason: 'final_answer',
    preview: textOf(message.content),
    ...gate,
  }
}

interface PlannedCall {
  judged: EntryOf<'call.judged'>
  effects: Entry[]
  start: Entry[]
  held: boolean
  /** The grant that decides it. */
  use?: GrantUse
  /** The review that people would have been asked for without the grant. */
  cleared?: Review
}

function planCall(place: Place, call: JudgedCall, index: number): PlannedCall {
  const { state, run, answer, budget } = place
  const agent = answer.frame.agent.id
  const key = callKey(answer.frame.key, place.turn, index)
  const made = answer.message.toolCalls?.[index] ?? { id: '', name: '', args: {} }
  const judged: EntryOf<'call.judged'> = { v: 1, type: 'call.judged', call: key, verdict: call.verdict }
  if (call.policies?.length) judged.policies = call.policies
  if (call.definition !== undefined) judged.definition = call.definition
  if (call.digest !== undefined) judged.digest = call.digest
  if ('facts' in call && call.facts && Object.keys(call.facts).length > 0) judged.facts = call.facts
  const none = { judged, start: [], held: false }
  if ('refusal' in call) {
    const cause = call.verdict.kind === 'deny' ? 'denied' : 'invalid'
    const by = call.by ? { by: call.by } : {}
    return { ...none, effects: [{ v: 1, type: 'call.refused', call: key, cause, ...by, result: call.refusal }] }
  }
  if (!call.asSent) judged.args = call.args
  judged.asRun = true
  if (call.argsInput !== undefined) judged.argsInput = call.argsInput
  const released = { v: 1, type: 'call.released', call: key, digest: call.digest } as const
  if (call.handoff) judged.handoff = true
  const mark = call.resumable ? ({ resumable: true } as const) : {}
  const start: Entry[] = call.deferred ? [] : [{ v: 1, type: 'call.started', call: key, attempt: 1, ...mark }]
  const { definition, args, allowedDecisions } = call
  const exact = {
    threadId: state.threadId,
    run: run.id,
    conversation: conversationOf(run),
    agent,
    tool: made.name,
    definition,
    args,
    allowedDecisions,
    reviewers: call.ask?.reviewers,
    reviewerLists: call.ask?.reviewerLists,
    via: call.ask?.via,
  }
  // Deny beats allow: a denying grant also stops calls that the rule would allow.
  const use =
    call.verdict.kind === 'allow' ? budget.takeDenial(exact) : budget.take(exact, call.ask?.reason !== undefined)
  if (use) {
    const by = { kind: 'grant', id: use.grant.id } as const
    if (use.grant.effect === 'deny') {
      const { message } = use.grant
      const result = message === undefined ? (answer.refusals[index] ?? errorResult('')) : errorResult(message)
      return { ...none, use, effects: [{ v: 1, type: 'call.refused', call: key, cause: 'rejected', by, result }] }
    }
    const amount = use.amount === undefined ? {} : { amount: use.amount }
    return { ...none, use, cleared: reviewOf(call), effects: [{ ...released, by, ...amount }], start }
  }
  if (call.verdict.kind === 'allow')
    return { ...none, effects: [{ ...released, by: call.by ?? { kind: 'policy', id: 'allow' } }], start }

  return { ...none, effects: [openRequest(place, call, { key, made })], held: true }
}

/** Asks people about a call. */
function openRequest(
  { run, answer }: Place,
  call: Extract<JudgedCall, { args: JsonObject }>,
  { key, made }: { key: CallKey; made: { id: string; name: string } },
): Entry {
  return {
    v: 1,
    type: 'request.opened',
    id: answer.newId(),
    questionId: made.id,
    kind: 'approve',
    run: run.id,
    call: key,
    ...fromOutside(run),
    agent: answer.frame.agent.id,
    path: pathOf(run, answer.frame.key),
    toolName: made.name,
    toolCallId: made.id,
    args: call.args,
    asRun: true,
    ...(call.argsInput === undefined ? {} : { argsInput: call.argsInput }),
    definition: call.definition,
    digest: call.digest,
    allowedDecisions: call.allowedDecisions,
    ...call.facts,
    ...call.shown,
    ...call.ask,
  }
}

/** The review of a call, without its deadline: that counts from when it is asked. */
function reviewOf({ allowedDecisions, ask }: Extract<JudgedCall, { args: JsonObject }>): Review {
  const { expiresAt: _expiresAt, onTimeout: _onTimeout, reason: _reason, ...review } = ask ?? {}
  return { allowedDecisions, ...review }
}
