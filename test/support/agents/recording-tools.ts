import { z } from 'zod'
import type { ReviewOptions } from '../../../src/policy/policy.ts'
import type { JsonObject } from '../../../src/protocol/json/json.ts'
import type { IsEnabled } from '../../../src/runtime/definition/behavior.ts'
import type { Tool } from '../../../src/runtime/definition/definition.ts'
import type { NeedsApproval, UnknownOutcomePolicy } from '../../../src/runtime/definition/tool/approval.ts'
import { tool } from '../../../src/runtime/definition/tool/tool.ts'
import type { ToolContext } from '../../../src/runtime/definition/tool/tool-context.ts'

/** What a tool's body was given, one for each time it ran. */
interface BodyRun {
  args: unknown
  ctx: ToolContext
}

export interface RecordingTool extends Tool {
  readonly runs: BodyRun[]
}

interface RecordingOptions {
  needsApproval?: NeedsApproval<never>
  parameters?: z.ZodObject
  description?: string
  parametersJsonSchema?: JsonObject
  execute?: (args: never, ctx: ToolContext) => unknown
  idempotent?: boolean
  resumable?: boolean
  onUnknownOutcome?: UnknownOutcomePolicy
  timeoutSeconds?: number
  review?: ReviewOptions
  isEnabled?: IsEnabled
}

/** A tool that needs approval and records every run of its body. Its result is `<name> done`. */
export function gated(name: string, options: RecordingOptions = {}): RecordingTool {
  const runs: BodyRun[] = []
  const { execute, parameters = z.looseObject({}), description = `does ${name}`, ...rest } = options
  const made = tool({
    name,
    description,
    parameters,
    needsApproval: true,
    ...(rest as object),
    execute(args, ctx) {
      runs.push({ args, ctx })
      return execute ? execute(args as never, ctx) : `${name} done`
    },
  })
  return { ...made, runs }
}

/** The same, without approval. */
export function free(name: string, options: RecordingOptions = {}): RecordingTool {
  return gated(name, { needsApproval: false, ...options })
}
