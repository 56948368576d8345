import type { DecisionType } from '../../protocol/decision.ts'
import type { Entry, EntryOf, PolicyMark, Usage, Verdict } from '../../protocol/entry.ts'
import { callKey } from '../../protocol/ids.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { AssistantMessage, ToolResult } from '../../protocol/message.ts'
import type { ToolDefinition } from '../digest.ts'
import { grantFor } from '../next.ts'
import type { CallFacts, Frame, Run, ThreadState } from '../state.ts'
import { errorResult } from './results.ts'

/** A call of the model's answer with what was judged of it. `args`, `definition` and `digest` are absent if it is invalid. */
export type JudgedCall =
  | {
      verdict: Extract<Verdict, { kind: 'invalid' | 'deny' }>
      refusal: ToolResult
      definition?: string
      digest?: string
      policies?: PolicyMark[]
    }
  | {
      verdict: Extract<Verdict, { kind: 'allow' | 'review' }>
      args: JsonObject
      /** Whether `args` are just what the model sent, so that they need not be stored again. */
      asSent: boolean
      definition: string
      facts?: CallFacts
      digest: string
      allowedDecisions: DecisionType[]
      /** Its body may be entered again. */
      resumable: boolean
      /** What else the request says, if it is asked. */
      ask?: Partial<
        Pick<
          EntryOf<'request.opened'>,
          'description' | 'expiresAt' | 'reviewers' | 'argsSchema' | 'onTimeout' | 'risk' | 'reason'
        >
      >
      policies?: PolicyMark[]
    }

/** A model's answer, judged. */
export interface JudgedAnswer {
  frame: Frame
  message: AssistantMessage
  usage?: Usage
  /** How many added inputs it had read. */
  read: number
  /** One for each call of the message, in order. */
  calls: readonly JudgedCall[]
  /** The definitions of the tools that were called, by fingerprint. */
  definitions: ReadonlyMap<string, ToolDefinition>
  newId: () => string
  /** A person must let the answer through before it ends the run. */
  gate?: Pick<EntryOf<'request.opened'>, 'allowedDecisions' | 'description' | 'details' | 'risk' | 'expiresAt'>
  /** What each call's refusal says if a denying grant without words of its own covers it. */
  refusals: readonly string[]
}

/**
 * What a model's answer adds to the journal: all of its calls are judged, the held ones asked and the free ones cleared in one
 * append (G8). An answer without calls ends the run, unless input came in meanwhile.
 */
export function planAnswer(state: ThreadState, run: Run, answer: JudgedAnswer): Entry[] {
  const { frame, message } = answer
  const turn = frame.turn + 1
  const answered: Entry = { v: 1, type: 'model.answered', frame: frame.key, turn, message }
  if (answer.read > 0) answered.read = answer.read
  if (answer.usage) answered.usage = answer.usage
  const entries: Entry[] = [answered]
  if (answer.calls.length === 0) {
    if (answer.gate) entries.push(openGate(run, answer, answer.gate))
    else if (frame.queued.length === answer.read)
      entries.push({ v: 1, type: 'run.settled', run: run.id, status: 'completed' })
    return entries
  }
  for (const [definition, tool] of answer.definitions) {
    if (!state.definitions.has(definition)) entries.push({ v: 1, type: 'tool.defined', definition, ...tool })
  }
  const judged = answer.calls.map((call, index) => planCall(run, answer, call, { turn, index }))
  entries.push(...judged.map((call) => call.judged))
  entries.push(...judged.flatMap((call) => call.effects))
  const mayStart = run.options.start === 'cleared' || judged.every((call) => !call.held)
  if (mayStart) entries.push(...judged.flatMap((call) => call.start))
  return entries
}

function openGate(run: Run, { frame, newId }: JudgedAnswer, gate: NonNullable<JudgedAnswer['gate']>): Entry {
  const id = newId()
  return {
    v: 1,
    type: 'request.opened',
    id,
    questionId: id,
    kind: 'approve',
    run: run.id,
    gate: true,
    agent: frame.agent,
    path: [frame.agent],
    reason: 'final_answer',
    ...gate,
  }
}

interface PlannedCall {
  judged: Entry
  effects: Entry[]
  start: Entry[]
  held: boolean
}

function planCall(run: Run, answer: JudgedAnswer, call: JudgedCall, at: { turn: number; index: number }): PlannedCall {
  const key = callKey(answer.frame.key, at.turn, at.index)
  const made = answer.message.toolCalls?.[at.index] ?? { id: '', name: '', args: {} }
  const judged: Entry = { v: 1, type: 'call.judged', call: key, verdict: call.verdict }
  if (call.policies?.length) judged.policies = call.policies
  if (call.definition !== undefined) judged.definition = call.definition
  if (call.digest !== undefined) judged.digest = call.digest
  if ('facts' in call && call.facts && Object.keys(call.facts).length > 0) judged.facts = call.facts
  if ('refusal' in call) {
    const cause = call.verdict.kind === 'deny' ? 'denied' : 'invalid'
    return {
      judged,
      effects: [{ v: 1, type: 'call.refused', call: key, cause, result: call.refusal }],
      start: [],
      held: false,
    }
  }
  if (!call.asSent) judged.args = call.args
  const released = { v: 1, type: 'call.released', call: key, digest: call.digest } as const
  const mark = call.resumable ? ({ resumable: true } as const) : {}
  const start: Entry[] = [{ v: 1, type: 'call.started', call: key, attempt: 1, ...mark }]
  // Deny beats allow: a standing rejection also stops what the rule would let through.
  const grant = grantFor(run, answer.frame.agent, { tool: made.name, definition: call.definition })
  if (grant?.effect === 'deny') {
    const result = errorResult(grant.message ?? answer.refusals[at.index] ?? '')
    return {
      judged,
      effects: [{ v: 1, type: 'call.refused', call: key, cause: 'rejected', result }],
      start: [],
      held: false,
    }
  }
  if (call.verdict.kind === 'allow') {
    return { judged, effects: [{ ...released, by: { kind: 'policy', id: 'allow' } }], start, held: false }
  }
  if (grant) return { judged, effects: [{ ...released, by: { kind: 'grant', id: grant.id } }], start, held: false }

  const opened: Entry = {
    v: 1,
    type: 'request.opened',
    id: answer.newId(),
    questionId: made.id,
    kind: 'approve',
    run: run.id,
    call: key,
    agent: answer.frame.agent,
    path: [answer.frame.agent],
    toolName: made.name,
    toolCallId: made.id,
    args: call.args,
    definition: call.definition,
    digest: call.digest,
    allowedDecisions: call.allowedDecisions,
    ...call.facts,
    ...call.ask,
  }
  return { judged, effects: [opened], start: [], held: true }
}
