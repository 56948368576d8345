import type { z } from 'zod'
import type { JsonObject, Tool, ToolContext } from '../../../src/index.ts'
import { free } from './recording-tools.ts'

/** A tool that notes the arguments of every run. */
export interface NotingTool extends Tool {
  readonly runs: JsonObject[]
}

/** What a noting tool may be. */
export interface NotingOptions {
  needsApproval?: boolean
  resumable?: boolean
  idempotent?: boolean
  onUnknownOutcome?: 'ask' | 'retry' | 'fail'
  timeoutSeconds?: number
  parameters?: z.ZodObject
}

/** A tool without approval whose body is a function. Its result is `<name> done` unless the body says otherwise. */
export function noting(
  name: string,
  execute?: (args: JsonObject, ctx: ToolContext) => unknown,
  options: NotingOptions = {},
): NotingTool {
  const runs: JsonObject[] = []
  const made = free(name, {
    ...options,
    execute(args: JsonObject, ctx) {
      runs.push(args)
      return execute ? execute(args, ctx) : `${name} done`
    },
  })
  return { ...made, runs }
}

/** The same, with approval. */
export function notingGated(
  name: string,
  execute?: Parameters<typeof noting>[1],
  options: NotingOptions = {},
): NotingTool {
  return noting(name, execute, { needsApproval: true, ...options })
}
