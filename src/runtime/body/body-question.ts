import { pathOf } from '../../core/queries.ts'
import type { AskedRequest, Run, ThreadState } from '../../core/state.ts'
import type { DecisionType } from '../../protocol/decision.ts'
import type { EntryOf } from '../../protocol/entries/entry.ts'
import { frameOf } from '../../protocol/ids.ts'
import { type JsonValue, jsonEqual } from '../../protocol/json/json.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import type { StartedCall } from './started-call.ts'

/** A question of a body. */
export type BodyQuestion = Pick<
  EntryOf<'request.opened'>,
  'kind' | 'prompt' | 'details' | 'questions' | 'description' | 'args' | 'risk'
> & { allowedDecisions?: DecisionType[] }

/** Question number `ordinal` of a body. */
export interface NumberedQuestion {
  readonly ordinal: number
  readonly asked: BodyQuestion
}

/** The entry that stores a question. */
export function questionEntry(
  { call, tool }: StartedCall,
  { ordinal, asked }: NumberedQuestion,
  { id, run, expiresAt }: { id: string; run: Run; expiresAt: number | undefined },
): EntryOf<'request.opened'> {
  return {
    v: 1,
    type: 'request.opened',
    id,
    questionId: `${call.key}.${ordinal}`,
    run: run.id,
    call: call.key,
    ordinal,
    agent: call.agent.id,
    path: pathOf(run, frameOf(call.key)),
    toolName: tool.name,
    toolCallId: call.id,
    allowedDecisions: [],
    ...asked,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

/** The same question as a request that only a channel knows. */
export function questionRequest(
  started: StartedCall,
  question: NumberedQuestion,
  { id, run, state, now }: { id: string; run: Run; state: ThreadState; now: number },
): HitlRequest {
  const { call, tool } = started
  return {
    id,
    questionId: `${call.key}.${question.ordinal}`,
    threadId: state.threadId,
    tenant: state.tenant,
    status: 'open',
    version: 1,
    agent: call.agent.id,
    path: pathOf(run, frameOf(call.key)),
    toolName: tool.name,
    toolCallId: call.id,
    allowedDecisions: [],
    createdAt: new Date(now).toISOString(),
    ...question.asked,
  }
}

/** Whether a body that was entered again asks the same question. */
export function isSameQuestion({ opened }: AskedRequest, asked: BodyQuestion): boolean {
  const { kind, prompt, details, questions, description, args } = opened
  const { allowedDecisions: _allowed, risk: _risk, ...same } = asked
  return jsonEqual(plain({ kind, prompt, details, questions, description, args }), plain(same))
}

function plain(value: Record<string, unknown>): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue
}
