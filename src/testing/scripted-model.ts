import type {
  HostedMcpServer,
  Model,
  ModelApprovalRequest,
  ModelPart,
  ModelRequest,
  ModelResponse,
  ModelToolCall,
} from '../ports/model.ts'
import type { Usage } from '../protocol/entries/entry.ts'
import { HoldpointError } from '../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, type JsonValue } from '../protocol/json/json.ts'
import type { Message } from '../protocol/message.ts'

/**
 * One answer of a scripted model: a string, a string with calls, an error to throw, or a function that returns one of
 * those for a request.
 */
export type ScriptStep =
  | string
  | { text?: string; toolCalls?: ModelToolCall[]; approvalRequests?: ModelApprovalRequest[]; usage?: Partial<Usage> }
  | Error
  | ((request: RecordedRequest) => ScriptStep | Promise<ScriptStep>)

/** A request to the model: a copy that later turns do not change. */
export interface RecordedRequest {
  instructions?: string
  messages: Message[]
  tools: { name: string; description: string; parameters: JsonObject }[]
  hostedTools?: HostedMcpServer[]
  /** The JSON Schema of the agent's `outputType`. */
  outputSchema?: JsonObject
}

/** A model that plays a script and records its requests. */
export interface ScriptedModel extends Model {
  readonly requests: readonly RecordedRequest[]
  /** Throws unless every step was played. */
  assertConsumed(): void
}

/** The model was asked more often than the script has steps. */
export class ScriptExhausted extends HoldpointError {
  constructor(steps: number) {
    super('script_exhausted', `The scripted model was asked ${steps + 1} times, but its script has ${steps} step(s).`)
  }
}

/** The script has steps that were never played. */
export class ScriptUnconsumed extends HoldpointError {
  constructor(played: number, steps: number) {
    super('script_unconsumed', `The scripted model played ${played} of its ${steps} steps.`)
  }
}

/**
 * A model for tests that answers from a script, one step per request. A request beyond the script fails at once. Steps
 * that were not played fail only in `assertConsumed`. With `stream: true` it streams its answer, a string word by word.
 */
export function scriptedModel(script: readonly ScriptStep[], options: { stream?: boolean } = {}): ScriptedModel {
  const requests: RecordedRequest[] = []
  const answer = async (request: ModelRequest): Promise<ModelResponse> => {
    const recorded = record(request)
    const position = requests.push(recorded) - 1
    if (position >= script.length) throw new ScriptExhausted(script.length)
    return play(script[position] as ScriptStep, recorded)
  }
  return {
    name: 'scripted',
    requests,
    respond: (request) => (options.stream ? inParts(answer(request)) : answer(request)),
    assertConsumed() {
      if (requests.length < script.length) throw new ScriptUnconsumed(requests.length, script.length)
    },
  }
}

async function play(step: ScriptStep, request: RecordedRequest): Promise<ModelResponse> {
  if (typeof step === 'function') return play(await step(request), request)
  if (step instanceof Error) throw step
  if (typeof step === 'string') return { content: step }
  return {
    content: step.text ?? '',
    ...(step.toolCalls ? { toolCalls: step.toolCalls } : {}),
    ...(step.approvalRequests ? { approvalRequests: step.approvalRequests } : {}),
    ...(step.usage ? { usage: step.usage } : {}),
  }
}

function record(request: ModelRequest): RecordedRequest {
  return {
    ...(request.instructions === undefined ? {} : { instructions: request.instructions }),
    messages: cloneJson(request.messages as unknown as JsonValue) as unknown as Message[],
    tools: [...request.tools],
    ...(request.outputSchema ? { outputSchema: request.outputSchema } : {}),
    ...(request.hostedTools ? { hostedTools: [...request.hostedTools] } : {}),
  }
}

async function* inParts(answered: Promise<ModelResponse>): AsyncGenerator<ModelPart> {
  const { content, toolCalls = [], approvalRequests = [], usage } = await answered
  for (const text of String(content ?? '').match(/\s*\S+\s*/g) ?? []) yield { type: 'text', text }
  for (const call of toolCalls) yield { type: 'tool-call', call }
  for (const request of approvalRequests) yield { type: 'approval-request', request }
  yield { type: 'finish', ...(usage ? { usage } : {}) }
}
