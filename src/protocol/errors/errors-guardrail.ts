import type { JsonValue } from '../json/json.ts'
import { HoldpointError, messageOf } from './error-base.ts'

/** What a guardrail watches over. */
export type GuardrailKind = 'input' | 'output' | 'tool_input' | 'tool_output'

/** A guardrail stopped the run. Nothing of what it objected to was stored or shown; running the state again asks it again. */
export class GuardrailTripped extends HoldpointError {
  readonly guardrail: string
  readonly kind: GuardrailKind
  /** What the guardrail said of it. */
  readonly outputInfo: JsonValue | undefined
  readonly toolName: string | undefined
  /** The id of the agent whose input, answer or call it was. */
  readonly agent: string

  constructor(tripped: {
    guardrail: string
    kind: GuardrailKind
    agent: string
    outputInfo?: JsonValue
    toolName?: string
  }) {
    const { guardrail, kind, toolName, agent } = tripped
    const what = `${toolName === undefined ? `the ${kind}` : `tool ${toolName} (${kind})`} of agent "${agent}"`
    super('guardrail_tripped', `Guardrail "${guardrail}" stopped the run at ${what}.`)
    this.guardrail = guardrail
    this.kind = kind
    this.outputInfo = tripped.outputInfo
    this.toolName = toolName
    this.agent = agent
  }
}

/** A guardrail threw, or said something that cannot be understood: what it watches over does not happen. */
export class GuardrailFailed extends HoldpointError {
  readonly guardrail: string
  readonly kind: GuardrailKind

  constructor(guardrail: string, kind: GuardrailKind, problem: string, cause?: unknown) {
    const why = cause === undefined ? '' : `: ${messageOf(cause)}`
    super('guardrail_failed', `Guardrail "${guardrail}" (${kind}) ${problem}${why}`, { cause })
    this.guardrail = guardrail
    this.kind = kind
  }
}
