import type { JsonValue } from '../json/json.ts'
import { HoldpointError, messageOf } from './error-base.ts'

/** What a guardrail checks. */
export type GuardrailKind = 'input' | 'output' | 'tool_input' | 'tool_output'

/** A guardrail stopped the run. Nothing that it rejected was stored or shown. Resuming the state runs it again. */
export class GuardrailTripped extends HoldpointError {
  readonly guardrail: string
  readonly kind: GuardrailKind
  /** The guardrail's own information about the failure. */
  readonly outputInfo: JsonValue | undefined
  readonly toolName: string | undefined
  /** The id of the agent whose input, answer or call was checked. */
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

/** A guardrail threw or returned an invalid value. What it checks does not happen. */
export class GuardrailFailed extends HoldpointError {
  readonly guardrail: string
  readonly kind: GuardrailKind

  constructor({ guardrail, kind }: { guardrail: string; kind: GuardrailKind }, problem: string, cause?: unknown) {
    const why = cause === undefined ? '' : `: ${messageOf(cause)}`
    super('guardrail_failed', `Guardrail "${guardrail}" (${kind}) ${problem}${why}`, { cause })
    this.guardrail = guardrail
    this.kind = kind
  }
}
